import { setTimeout as sleep } from "node:timers/promises";

/** Lets callers through one by one, at most so many a second, in the order in which they came. */
export interface Turnstile {
  /** Rejects with the signal's reason when it fires before the turn comes. */
  pass(signal: AbortSignal): Promise<void>;
}

/** Pauses count from when the one before really went: a process that was held up lets nobody through together. */
export function createTurnstile({ perSecond }: { readonly perSecond: number }): Turnstile {
  const pauseMs = 1000 / perSecond;
  let last: Promise<void> = Promise.resolve();
  let next = 0;

  async function waitFor(before: Promise<void>, signal: AbortSignal): Promise<void> {
    await before;
    signal.throwIfAborted();
    const waitMs = next - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    // Timers may fire a moment early.
    next = Math.max(performance.now(), next) + pauseMs;
  }

  return {
    async pass(signal) {
      signal.throwIfAborted();
      const turn = waitFor(last, signal);
      last = turn.catch(() => undefined);
      const { promise: aborted, reject } = Promise.withResolvers<never>();
      const leave = (): void => reject(signal.reason);
      signal.addEventListener("abort", leave, { once: true });
      try {
        await Promise.race([turn, aborted]);
      } finally {
        signal.removeEventListener("abort", leave);
      }
    },
  };
}
