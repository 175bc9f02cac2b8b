import type { Clock } from "../clock.ts";

/** The limit in the headers if no other was set. Avito does not publish the limits of the messenger API. */
const usualPerMinute = 500;

/** Counts the calls of each account per calendar minute. */
export class MinuteCounter {
  readonly #clock: Clock;
  readonly #counts = new Map<number, { minute: number; calls: number }>();
  #perMinute: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Refuses further calls; undefined: no limit. */
  limit(perMinute: number | undefined): void {
    this.#perMinute = perMinute;
    this.#counts.clear();
  }

  /** Counts a call; false: over the limit. */
  take(accountId: number): boolean {
    const minute = Math.floor(this.#clock.nowMs() / 60_000);
    const known = this.#counts.get(accountId);
    const count = known?.minute === minute ? known : { minute, calls: 0 };
    count.calls++;
    this.#counts.set(accountId, count);
    return this.#perMinute === undefined || count.calls <= this.#perMinute;
  }

  /** `X-RateLimit-Limit` and `X-RateLimit-Remaining`. */
  headers(accountId: number): Readonly<Record<string, string>> {
    const limit = this.#perMinute ?? usualPerMinute;
    const used = this.#counts.get(accountId)?.calls ?? 0;
    return {
      "X-RateLimit-Limit": String(limit),
      "X-RateLimit-Remaining": String(Math.max(0, limit - used)),
    };
  }
}
