import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { getReceiver } from "../../../core/webhook/receiver/receivers.ts";
import { testReceiver } from "../../../core/webhook/receiver/test-receiver.ts";
import { createGuardedDispatcher } from "../../../platform/network/safe-fetch.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, nullableString } from "../../schema/shapes.ts";
import { receiverQuery } from "./query.ts";

const TIMEOUT_MS = 30_000;
const result = Type.Object({
  kind: Type.String(),
  ok: Type.Boolean(),
  status: Type.Unsafe<number | null>({ type: ["integer", "null"] }),
  failure: nullableString,
  durationMs: Type.Integer(),
});

/** `POST /v3/webhooks/test` */
export function testReceiverRoute(app: App, core: Core): void {
  app.post(
    "/v3/webhooks/test",
    {
      schema: {
        operationId: "testReceiver",
        tags: ["webhooks"],
        summary: "Send a receiver an example of each event it is subscribed to, marked as a test",
        querystring: receiverQuery,
        response: { 200: Type.Array(result), ...errorAnswers },
      },
      config: { errors: ["WEBHOOK_RECEIVER_NOT_FOUND"] },
    },
    (request, reply) =>
      answerOnce(core, request, reply, async () => {
        const scope = scopeOf(request);
        const { id: receiverId } = await getReceiver(core.db, scope, request.query.receiverId ?? null);
        const dispatcher = createGuardedDispatcher({ allowNetworks: core.settings.allowNetworks });
        const poster = { dispatcher, timeoutMs: TIMEOUT_MS };
        return testReceiver(core, poster, { scope, receiverId }).finally(() => dispatcher.destroy());
      }),
  );
}
