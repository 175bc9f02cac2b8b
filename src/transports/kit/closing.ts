import { setTimeout as delay } from "node:timers/promises";

/** How long `close` of a session waits for an event that core is still storing: it must end within five seconds. */
const CLOSE_LIMIT_MS = 4_000;

/** Resolves when the work has ended, however it did, and after a few seconds in any case. */
export async function endInTime(work: Promise<unknown>, limitMs = CLOSE_LIMIT_MS): Promise<void> {
  await Promise.race([work.catch(() => undefined), delay(limitMs, undefined, { ref: false })]);
}
