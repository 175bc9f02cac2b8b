import { Type } from "typebox";
import { AccountConcurrencyLimit } from "../../../core/concurrency-limit.ts";
import type { Core } from "../../../core/core.ts";
import { getReceiver } from "../../../core/delivery/receiver/receivers.ts";
import { testReceiver } from "../../../core/delivery/receiver/test-receiver.ts";
import { createGuardedDispatcher } from "../../../platform/network/safe-fetch.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, nullableString } from "../../schema/shapes.ts";
import { receiverQuery } from "./query.ts";

const TIMEOUT_MS = 30_000;
/** Of one account on one node: a test sends an example of every event at once, and a silent receiver holds each. */
const TURNS = {
  maxConcurrent: 1,
  maxWaiting: 10,
  refusal: "Too many tests of the account are waiting; repeat the request later",
};
const result = Type.Object({
  kind: Type.String(),
  ok: Type.Boolean(),
  status: Type.Unsafe<number | null>({ type: ["integer", "null"] }),
  failure: nullableString,
  durationMs: Type.Integer(),
});

/** `POST /v3/webhooks/test` */
export function testReceiverRoute(app: App, core: Core): void {
  const turns = new AccountConcurrencyLimit(TURNS);
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
        return turns.run(scope.accountId, () => {
          const dispatcher = createGuardedDispatcher({ allowNetworks: core.settings.allowNetworks });
          const poster = { dispatcher, timeoutMs: TIMEOUT_MS };
          return testReceiver(core, poster, { scope, receiverId }).finally(() => dispatcher.destroy());
        });
      }),
  );
}
