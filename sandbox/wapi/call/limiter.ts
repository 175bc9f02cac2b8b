import type { Clock } from "../../clock.ts";

/** The limits; every rate is a token bucket. */
export interface Limits {
  /** Messages of a number: 80 a second, 1,000 with higher throughput. */
  readonly numberPerSecond: number;
  /** Seconds per message to the same person, */
  readonly pairSeconds: number;
  /** after a burst of this many. */
  readonly pairBurst: number;
  /** Management calls for an account. */
  readonly callsPerHour: number;
}

export const platformLimits: Limits = {
  numberPerSecond: 80,
  pairSeconds: 6,
  pairBurst: 45,
  callsPerHour: 5000,
};

interface Bucket {
  level: number;
  atMs: number;
}

/** Counts sends and calls. Unlimited until limits are set, so that tests need not wait. */
export class Limiter {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();
  #limits: Limits | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  limit(limits: Limits | undefined): void {
    this.#limits = limits;
    this.#buckets.clear();
  }

  /** The error code for a message over the limit; undefined: allowed. */
  refuseMessage(numberId: string, to: string): number | undefined {
    const limits = this.#limits;
    if (!limits) return undefined;
    if (!this.#take(`number ${numberId}`, limits.numberPerSecond, limits.numberPerSecond)) return 130429;
    return this.#take(`pair ${numberId} ${to}`, limits.pairBurst, 1 / limits.pairSeconds)
      ? undefined
      : 131056;
  }

  /** The error code for a management call over the limit. */
  refuseCall(wabaId: string): number | undefined {
    const limits = this.#limits;
    if (!limits) return undefined;
    const { callsPerHour } = limits;
    return this.#take(`waba ${wabaId}`, callsPerHour, callsPerHour / 3600) ? undefined : 80007;
  }

  /** How much of an account's calls is used up, in percent, for the header. */
  callUsage(wabaId: string): number {
    const bucket = this.#buckets.get(`waba ${wabaId}`);
    if (!this.#limits || !bucket) return 0;
    return Math.round(100 * (1 - bucket.level / this.#limits.callsPerHour));
  }

  #take(key: string, size: number, perSecond: number): boolean {
    const nowMs = this.#clock.nowMs();
    const bucket = this.#buckets.get(key) ?? { level: size, atMs: nowMs };
    bucket.level = Math.min(size, bucket.level + ((nowMs - bucket.atMs) / 1000) * perSecond);
    bucket.atMs = nowMs;
    this.#buckets.set(key, bucket);
    if (bucket.level < 1) return false;
    bucket.level--;
    return true;
  }
}
