import { newId } from "../../../platform/ids.ts";
import type { Base } from "../../base.ts";
import type { Event } from "../../payload/event.ts";
import { EXAMPLES } from "../../payload/examples.ts";
import type { Scope } from "../../scope.ts";
import { logAttempt } from "../request/attempts.ts";
import { composeWhole } from "../request/batch.ts";
import { type Poster, sendTest } from "../request/deliver.ts";
import { isSuccess } from "../request/policy.ts";
import type { Keys } from "../request/request.ts";
import { getAddress } from "./receivers.ts";

/** A receiver's response to the example of one kind. */
export interface TestResult {
  readonly kind: string;
  readonly ok: boolean;
  readonly status: number | null;
  readonly failure: string | null;
  readonly durationMs: number;
}

/**
 * Sends a receiver an example of each kind that it takes, all concurrently, even if it is paused. Their bodies begin
 * with `"test":true`, so that no CRM treats them as real. The requests are logged but do not change the receiver's
 * health.
 */
export async function testReceiver(
  core: Pick<Base, "db" | "clock"> & Keys,
  poster: Poster,
  { scope, receiverId }: { readonly scope: Scope; readonly receiverId: string },
): Promise<TestResult[]> {
  const to = await getAddress(core.db, scope, receiverId);
  if (to.url === "") return [];
  const examples = to.kinds.flatMap((kind) => EXAMPLES.get(kind) ?? []);
  return Promise.all(
    examples.map(async (event) => {
      const test = {
        to,
        deliveryId: `msg_${newId()}`,
        body: testBody(event, core.clock.now()),
        kinds: [event.kind],
      };
      const { answer, attempt } = await sendTest(core, poster, test);
      await logAttempt(core.db, to, attempt);
      const { status, failure } = answer;
      const durationMs = Math.round(attempt.durationMs);
      return { kind: event.kind, ok: isSuccess(answer), status, failure, durationMs };
    }),
  );
}

/** Body of a request with this one event, marked as a test. Pure. */
function testBody({ kind, channelId, chat, body }: Event, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1000);
  const queued = { id: 0, kind, channelId, chat, body: JSON.stringify(body), seconds };
  return `{"test":true,${composeWhole([queued], [0])?.body.slice(1)}`;
}
