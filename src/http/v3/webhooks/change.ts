import { type Static, Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import {
  changeWebhookSettings,
  uriNotValid,
  type WebhookSettingsChange,
} from "../../../core/delivery/receiver/settings.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, patterned } from "../../schema/shapes.ts";

const SPACE = /[\p{Cc}\s]/u;

const subscriptionsShape = Type.Object({
  messagesAndStatuses: Type.Optional(Type.Boolean()),
  contactsAndDealsCreation: Type.Optional(Type.Boolean()),
  channelsUpdates: Type.Optional(Type.Boolean()),
  templateStatus: Type.Optional(Type.Boolean()),
  wabaTemplatesStatus: Type.Optional(Type.Boolean()),
  templateStatuses: Type.Optional(Type.Boolean()),
  reactions: Type.Optional(Type.Boolean()),
});

const body = Type.Object({
  webhooksUri: Type.Optional(Type.String()),
  crmKey: Type.Optional(patterned("headerText", { maxLength: 4_096 })),
  subscriptions: Type.Optional(subscriptionsShape),
});
type Body = Static<typeof body>;

/** `PATCH /v3/webhooks` */
export function changeWebhooksRoute(app: App, core: Core): void {
  app.patch(
    "/v3/webhooks",
    {
      schema: {
        operationId: "changeWebhooks",
        tags: ["webhooks"],
        summary: "Set the webhook address and its subscriptions",
        body,
        response: { 200: Type.String({ description: "The word OK, as plain text" }), ...errorAnswers },
      },
      config: { errors: ["uriNotValid", "testPostNotPassed"] },
    },
    async (request, reply) => {
      await changeWebhookSettings(core, scopeOf(request), changeOf(request.body));
      return reply.type("text/plain; charset=utf-8").send("OK");
    },
  );
}

/** Omitted fields keep their value; an empty `crmKey` removes the key. */
function changeOf({ webhooksUri, crmKey, subscriptions }: Body): WebhookSettingsChange {
  if (webhooksUri !== undefined && SPACE.test(webhooksUri))
    throw uriNotValid("It contains spaces or control characters");
  return {
    ...(webhooksUri === undefined ? {} : { webhooksUri }),
    ...(crmKey === undefined ? {} : { crmKey: crmKey === "" ? null : crmKey }),
    ...(subscriptions === undefined ? {} : { subscriptions: switchesOf(subscriptions) }),
  };
}

function switchesOf(
  from: NonNullable<Body["subscriptions"]>,
): NonNullable<WebhookSettingsChange["subscriptions"]> {
  const { messagesAndStatuses, contactsAndDealsCreation, channelsUpdates, reactions } = from;
  const templateStatus = [from.templateStatus, from.wabaTemplatesStatus, from.templateStatuses].filter(
    (each) => each !== undefined,
  );
  return {
    ...(messagesAndStatuses === undefined ? {} : { messagesAndStatuses }),
    ...(contactsAndDealsCreation === undefined ? {} : { contactsAndDealsCreation }),
    ...(channelsUpdates === undefined ? {} : { channelsUpdates }),
    ...(reactions === undefined ? {} : { reactions }),
    ...(templateStatus.length === 0 ? {} : { templateStatus }),
  };
}
