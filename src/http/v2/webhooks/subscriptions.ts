import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { V2_EVENTS, type V2Event } from "../../../core/delivery/receiver/kinds.ts";
import {
  addSubscriptions,
  changeSubscriptions,
  listSubscriptions,
  removeSubscriptions,
} from "../../../core/delivery/receiver/subscriptions.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, patterned, strictObject } from "../../schema/shapes.ts";
import { envelope, enveloped } from "../envelope.ts";

const MAX_ITEMS = 100;
const id = patterned("uuid");
const url = Type.String({ minLength: 1, maxLength: 200 });
const event = Type.Unsafe<V2Event>({ type: "string", enum: [...V2_EVENTS] });
const many = { minItems: 1, maxItems: MAX_ITEMS };

const answer = envelope(
  Type.Array(
    Type.Object({ id: Type.String(), url: Type.String(), event: Type.String() }, { title: "Subscription" }),
  ),
);
const tags = ["webhooks"];
const PATH = "/v2/webhooks";

/** `/v2/webhooks`: subscriptions of addresses to events. */
export function webhookSubscriptionRoutes(app: App, core: Core): void {
  listRoute(app, core);
  addRoute(app, core);
  changeRoute(app, core);
  removeRoute(app, core);
}

function listRoute(app: App, core: Core): void {
  const response = { 200: answer, ...errorAnswers };
  const summary = "List the subscriptions of addresses to events";
  app.get(PATH, { schema: { operationId: "listSubscriptions", tags, summary, response } }, async (request) =>
    enveloped(core, await listSubscriptions(core.db, scopeOf(request))),
  );
}

function addRoute(app: App, core: Core): void {
  app.post(
    PATH,
    {
      schema: {
        operationId: "addSubscriptions",
        tags,
        summary: "Subscribe addresses to events: all, or none if one is invalid",
        body: strictObject({ data: Type.Array(strictObject({ url, event }), many) }),
        response: { 200: answer, ...errorAnswers },
      },
      config: {
        body: "list",
        errors: [
          "uriNotValid",
          "WEBHOOK_SUBSCRIPTION_EXISTS",
          "WEBHOOK_TOO_MANY_ADDRESSES",
          "QUOTA_EXCEEDED",
        ],
      },
    },
    (request, reply) =>
      answerOnce(core, request, reply, async () =>
        enveloped(core, await addSubscriptions(core, scopeOf(request), request.body.data)),
      ),
  );
}

function changeRoute(app: App, core: Core): void {
  const change = strictObject({ id, url: Type.Optional(url), event: Type.Optional(event) });
  app.patch(
    PATH,
    {
      schema: {
        operationId: "changeSubscriptions",
        tags,
        summary: "Change subscriptions; omitted fields keep their value",
        body: strictObject({ data: Type.Array(change, many) }),
        response: { 200: answer, ...errorAnswers },
      },
      config: {
        body: "list",
        errors: [
          "uriNotValid",
          "WEBHOOK_SUBSCRIPTION_NOT_FOUND",
          "WEBHOOK_SUBSCRIPTION_EXISTS",
          "WEBHOOK_TOO_MANY_ADDRESSES",
        ],
      },
    },
    async (request) => enveloped(core, await changeSubscriptions(core, scopeOf(request), request.body.data)),
  );
}

function removeRoute(app: App, core: Core): void {
  const named = Type.Union([id, Type.Object({ id })]);
  app.delete(
    PATH,
    {
      schema: {
        operationId: "removeSubscriptions",
        tags,
        summary: "Delete subscriptions by id",
        body: strictObject({ data: Type.Array(named, many) }),
        response: { 200: envelope(Type.Null()), ...errorAnswers },
      },
      config: { errors: ["WEBHOOK_SUBSCRIPTION_NOT_FOUND"], readsBody: true },
    },
    async (request) => {
      const ids = request.body.data.map((item) => (typeof item === "string" ? item : item.id));
      await removeSubscriptions(core, scopeOf(request), ids);
      return enveloped(core, null);
    },
  );
}
