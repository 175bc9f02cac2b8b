import type { Clock } from "./clock.ts";

interface Bucket {
  level: number;
  atMs: number;
}

/** Token buckets by key: each holds `size` and refills steadily. */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes one from the bucket; false when it is empty. */
  take(key: string, size: number, perSecond: number): boolean {
    const bucket = this.#refill(key, size, perSecond);
    if (bucket.level < 1) return false;
    bucket.level--;
    return true;
  }

  /** How many are left, rounded down. */
  left(key: string, size: number, perSecond: number): number {
    return Math.floor(this.#refill(key, size, perSecond).level);
  }

  clear(): void {
    this.#buckets.clear();
  }

  #refill(key: string, size: number, perSecond: number): Bucket {
    const nowMs = this.#clock.nowMs();
    const bucket = this.#buckets.get(key) ?? { level: size, atMs: nowMs };
    bucket.level = Math.min(size, bucket.level + ((nowMs - bucket.atMs) / 1000) * perSecond);
    bucket.atMs = nowMs;
    this.#buckets.set(key, bucket);
    return bucket;
  }
}
