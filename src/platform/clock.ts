/** Time as the service sees it; tests bring their own. */
export interface Clock {
  /** Wall time, for what is stored and shown. */
  now(): Date;
  /** Milliseconds since some fixed moment; never jumps. For durations and deadlines. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};
