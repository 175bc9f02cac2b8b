import { setTimeout as sleep } from "node:timers/promises";

/** A rate limiter: passes callers one by one in order, at most `perSecond` per second. */
export interface RateLimiter {
  /** Rejects with the signal's reason if it aborts first. */
  acquire(signal: AbortSignal): Promise<void>;
}

/**
 * Intervals are measured from the actual pass of the previous caller, so that a stalled process does not release a
 * burst.
 */
export function createRateLimiter({ perSecond }: { readonly perSecond: number }): RateLimiter {
  const pauseMs = 1000 / perSecond;
  let previous: Promise<void> = Promise.resolve();
  let next = 0;

  async function waitFor(before: Promise<void>, signal: AbortSignal): Promise<void> {
    await before;
    signal.throwIfAborted();
    const waitMs = next - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    // Timers may fire slightly early.
    next = Math.max(performance.now(), next) + pauseMs;
  }

  return {
    async acquire(signal) {
      signal.throwIfAborted();
      const turn = waitFor(previous, signal);
      previous = turn.catch(() => undefined);
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
