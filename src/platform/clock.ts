/** Time as the service sees it; tests bring their own. */
export interface Clock {
  /** Wall time, for what is stored and shown. */
  now(): Date;
  /** Milliseconds since some fixed moment; never jumps. For durations and deadlines. */
  monotonicMs(): number;
}

/** Milliseconds on the machine's clock that never jumps: the same in each of its processes, unlike `monotonicMs`. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};
