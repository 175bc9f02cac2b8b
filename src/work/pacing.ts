import type { Bucket, ChatType, Pacing } from "../core/transport/definition.ts";

/** A token bucket on a monotonic clock. */
class TokenBucket {
  readonly #bucket: Bucket;
  #tokens: number;
  #at: number;
  #closedUntil = 0;

  constructor(bucket: Bucket, now: number) {
    this.#bucket = bucket;
    this.#tokens = bucket.burst;
    this.#at = now;
  }

  /** Milliseconds until a token is there; 0 when one is. */
  waitMs(now: number): number {
    this.#refill(now);
    const filling = this.#tokens >= 1 ? 0 : ((1 - this.#tokens) / this.#bucket.perSecond) * 1000;
    return Math.max(filling, this.#closedUntil - now, 0);
  }

  take(now: number): void {
    this.#refill(now);
    this.#tokens -= 1;
  }

  available(now: number): number {
    return this.waitMs(now) > 0 ? 0 : Math.floor(this.#tokens);
  }

  /** Nothing until then: the messenger asked for a pause. */
  close(until: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, until);
  }

  isFull(now: number): boolean {
    this.#refill(now);
    return this.#tokens >= this.#bucket.burst && this.#closedUntil <= now;
  }

  #refill(now: number): void {
    this.#tokens = Math.min(
      this.#bucket.burst,
      this.#tokens + ((now - this.#at) / 1000) * this.#bucket.perSecond,
    );
    this.#at = now;
  }
}

const UNLIMITED: Bucket = { perSecond: 1e9, burst: 1e9 };
const MAX_CHATS = 10_000;

/** When one channel's next message may leave: a bucket for the channel and one for each chat. */
export class ChannelPacing {
  readonly #pacing: Pacing;
  readonly #off: boolean;
  readonly #channel: TokenBucket;
  readonly #chats = new Map<string, TokenBucket>();

  /** `off` lifts the limits but still honours pauses that the messenger asked for. */
  constructor(pacing: Pacing, options: { readonly off: boolean; readonly now: number }) {
    this.#pacing = pacing;
    this.#off = options.off;
    this.#channel = new TokenBucket(options.off ? UNLIMITED : pacing.channel, options.now);
  }

  /** How many messages the channel may send at once. */
  available(now: number): number {
    return this.#channel.available(now);
  }

  /** Milliseconds until a message to this chat may leave; takes the tokens when that is now. */
  take(chat: string, chatType: string, now: number): number {
    const bucket = this.#chat(chat, chatType, now);
    const wait = Math.max(this.#channel.waitMs(now), bucket.waitMs(now));
    if (wait > 0) return Math.ceil(wait);
    this.#channel.take(now);
    bucket.take(now);
    return 0;
  }

  pause(scope: "chat" | "channel", chat: string, chatType: string, ms: number, now: number): void {
    const bucket = scope === "channel" ? this.#channel : this.#chat(chat, chatType, now);
    bucket.close(now + ms);
  }

  /** A random pause before a send, for accounts of persons. */
  jitterMs(): number {
    return this.#off ? 0 : Math.random() * this.#pacing.jitterMs;
  }

  #chat(chat: string, chatType: string, now: number): TokenBucket {
    const known = this.#chats.get(chat);
    if (known !== undefined) return known;
    if (this.#chats.size >= MAX_CHATS) this.#forgetFull(now);
    const limits = this.#pacing.chatOfType?.[chatType as ChatType] ?? this.#pacing.chat;
    const bucket = new TokenBucket(this.#off ? UNLIMITED : limits, now);
    this.#chats.set(chat, bucket);
    return bucket;
  }

  /** A full bucket is as good as none. */
  #forgetFull(now: number): void {
    for (const [chat, bucket] of this.#chats) if (bucket.isFull(now)) this.#chats.delete(chat);
  }
}
