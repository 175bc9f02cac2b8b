import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { getWebhookSettings } from "../../../core/delivery/receiver/settings.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers } from "../../schema/shapes.ts";

const answer = Type.Object({
  webhooksUri: Type.String(),
  subscriptions: Type.Object({
    messagesAndStatuses: Type.Boolean(),
    contactsAndDealsCreation: Type.Boolean(),
    channelsUpdates: Type.Boolean(),
    templateStatus: Type.Boolean(),
    wabaTemplatesStatus: Type.Boolean(),
    reactions: Type.Boolean(),
  }),
});

/** `GET /v3/webhooks` */
export function getWebhooksRoute(app: App, core: Core): void {
  app.get(
    "/v3/webhooks",
    {
      schema: {
        operationId: "getWebhooks",
        tags: ["webhooks"],
        summary: "Get the webhook address and its subscriptions",
        response: { 200: answer, ...errorAnswers },
      },
    },
    async (request) => {
      const { webhooksUri, subscriptions } = await getWebhookSettings(core, scopeOf(request));
      return {
        webhooksUri,
        // One switch under two names: both are in use by clients.
        subscriptions: { ...subscriptions, wabaTemplatesStatus: subscriptions.templateStatus },
      };
    },
  );
}
