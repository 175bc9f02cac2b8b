import type { Clock } from "../../clock.ts";
import { RateLimiter } from "../../rate-limiter.ts";

/** Calls that one key may make: https://dev.vk.com/ru/api/api-requests#limits */
export interface Limits {
  readonly groupPerSecond: number;
  readonly userPerSecond: number;
}

export const platformLimits: Limits = { groupPerSecond: 20, userPerSecond: 3 };

/** Counts calls. Unlimited until limits are set, so that tests need not wait. */
export class Limiter {
  readonly #rates: RateLimiter;
  #limits: Limits | undefined;

  constructor(clock: Clock) {
    this.#rates = new RateLimiter(clock);
  }

  limit(limits: Limits | undefined): void {
    this.#limits = limits;
    this.#rates.clear();
  }

  /** Counts a call with the key; false: over the limit. */
  take(token: string, isGroup: boolean): boolean {
    if (!this.#limits) return true;
    const perSecond = isGroup ? this.#limits.groupPerSecond : this.#limits.userPerSecond;
    return this.#rates.take(token, perSecond, perSecond);
  }
}
