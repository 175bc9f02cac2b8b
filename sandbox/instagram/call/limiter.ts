import type { Clock } from "../../clock.ts";
import { RateLimiter } from "../../rate-limiter.ts";

/** https://developers.facebook.com/docs/instagram-platform/overview#rate-limiting */
export interface Limits {
  /** Texts, links, reactions and stickers of an account. */
  readonly textPerSecond: number;
  /** Audio and video. */
  readonly mediaPerSecond: number;
  readonly conversationsPerSecond: number;
  readonly privateRepliesPerHour: number;
}

export const platformLimits: Limits = {
  textPerSecond: 100,
  mediaPerSecond: 10,
  conversationsPerSecond: 2,
  privateRepliesPerHour: 750,
};

/** Counts the actions of accounts. Unlimited until limits are set, so that tests need not wait. */
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

  /** Counts one action; false: over the limit. */
  take(accountId: string, what: "text" | "media" | "conversations" | "privateReplies"): boolean {
    if (!this.#limits) return true;
    const { textPerSecond, mediaPerSecond, conversationsPerSecond, privateRepliesPerHour } = this.#limits;
    const rates = {
      text: [textPerSecond, textPerSecond],
      media: [mediaPerSecond, mediaPerSecond],
      conversations: [conversationsPerSecond, conversationsPerSecond],
      privateReplies: [privateRepliesPerHour, privateRepliesPerHour / 3600],
    } as const;
    const [size, perSecond] = rates[what];
    return this.#rates.take(`${what} ${accountId}`, size, perSecond);
  }
}
