import { setTimeout as delay } from "node:timers/promises";

/** How long a session's `close` waits for an event that core is still storing. `close` must return within 5 s. */
const CLOSE_LIMIT_MS = 4_000;

/** Resolves when `work` settles, or after `limitMs` at the latest. Never rejects. */
export async function settleWithin(work: Promise<unknown>, limitMs = CLOSE_LIMIT_MS): Promise<void> {
  await Promise.race([work.catch(() => undefined), delay(limitMs, undefined, { ref: false })]);
}
