/** The service's source of time; tests provide their own. */
export interface Clock {
  /** Wall-clock time, for values that are stored or shown. */
  now(): Date;
  /** Monotonic milliseconds since an arbitrary moment, for durations and deadlines. */
  monotonicMs(): number;
}

/** The machine's monotonic clock in milliseconds. Unlike `monotonicMs`, it is the same in all processes. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};
