import { setTimeout as sleep } from "node:timers/promises";

/** Lets callers through one by one, at most so many a second, in the order in which they came. */
export interface Turnstile {
  /** Rejects with the signal's reason when it fires before the turn comes. */
  pass(signal: AbortSignal): Promise<void>;
}

export function createTurnstile({ perSecond }: { readonly perSecond: number }): Turnstile {
  const pauseMs = 1000 / perSecond;
  let next = 0;
  return {
    async pass(signal) {
      signal.throwIfAborted();
      const now = performance.now();
      const turn = Math.max(now, next);
      next = turn + pauseMs;
      if (turn > now) await sleep(turn - now, undefined, { signal });
    },
  };
}
