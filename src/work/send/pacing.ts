import { type Allowance, allowanceAt, changedPacing } from "../../core/pacing/limits.ts";
import type { StoredPacing } from "../../core/pacing/stored.ts";
import type { Bucket, ChatType, Pacing } from "../../core/transport/definition.ts";
import type { FirstContact, FirstContactQueue } from "./first-contact-queue.ts";

/** A token bucket on a monotonic clock. */
class TokenBucket {
  #bucket: Bucket;
  #tokens: number;
  #at: number;
  #closedUntil = 0;

  constructor(bucket: Bucket, now: number) {
    this.#bucket = bucket;
    this.#tokens = bucket.burst;
    this.#at = now;
  }

  /** Milliseconds until a token is available; 0 if one is. */
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

  /** Allows nothing until then: the messenger asked for a pause. */
  close(until: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, until);
  }

  /** Changes the rate. Saved tokens are kept up to the size of the new bucket. */
  change(bucket: Bucket, now: number): void {
    this.#refill(now);
    this.#bucket = bucket;
    this.#tokens = Math.min(this.#tokens, bucket.burst);
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
const NO_LIMIT: Allowance = { perDay: 1e9, burst: 1e9 };
/** Full buckets are forgotten when the number of buckets has doubled, at least to this one. */
const LEAST_SWEPT = 64;
/** With a new bucket, they are also forgotten this long after the last time. */
const SWEEP_MS = 60_000;
/** How long a message rests that reaches a channel just stopped, unless the channel is resumed earlier. */
const STOPPED_MS = 60_000;
/** Stored values are read again within this time. */
const STORED_WITHIN_MS = 5_000;
/** Two readings of the same stored time may differ by this much. */
const CLOCK_DOUBT_MS = 1_000;

/**
 * Why a message waits. `pace`: its channel or chat has reached its rate; `allowance`: the day's first contacts are
 * used up; `hold`: cooldown after the messenger's warning about first contacts; `retry`: an attempt failed and is
 * repeated later.
 */
export type WaitReason = "pace" | "allowance" | "hold" | "retry";

/** What a message waits for, and how long. Infinity: until a setting changes or the person writes. */
export interface Wait {
  readonly by: WaitReason;
  readonly ms: number;
  /** After how long to check again, because it may have ended by then; undefined: not before its end. */
  readonly recheckMs?: number;
}

/** A message that is about to be sent. */
export interface PacedMessage {
  readonly chat: string;
  readonly chatType: string;
  /** Set if the message is a first contact. */
  readonly first?: { readonly contact: FirstContact; readonly line: FirstContactQueue };
}

/**
 * When the next message of one channel may be sent: a token bucket for the channel, one for each chat, and an
 * allowance of first contacts. Times are on the node's monotonic clock.
 */
export class ChannelPacing {
  readonly #own: Pacing;
  readonly #off: boolean;
  readonly #channel: TokenBucket;
  readonly #chats = new Map<string, { readonly chatType: string; readonly bucket: TokenBucket }>();
  #pacing: Pacing;
  #stored: StoredPacing;
  #sweep: { readonly atSize: number; readonly at: number };
  /** A cooldown that was just stored. Rows read before do not contain it. */
  #latestCooldown = { heldUntil: Number.NEGATIVE_INFINITY, at: Number.NEGATIVE_INFINITY };

  /** `off` lifts the limits, but pauses and cooldowns of the messenger still apply. */
  constructor(own: Pacing, stored: StoredPacing, options: { readonly off: boolean; readonly now: number }) {
    this.#own = own;
    this.#off = options.off;
    this.#stored = stored;
    this.#pacing = changedPacing(own, stored.changes);
    this.#channel = new TokenBucket(options.off ? UNLIMITED : this.#pacing.channel, options.now);
    this.#channel.close(stored.pausedUntil);
    this.#sweep = { atSize: LEAST_SWEPT, at: options.now + SWEEP_MS };
  }

  /** Takes over the stored state. Returns whether waiting messages may be sent sooner now. */
  update(stored: StoredPacing, now: number): boolean {
    const before = this.#stored;
    this.#stored = stored;
    this.#channel.close(stored.pausedUntil);
    const isChanged = JSON.stringify(before.changes) !== JSON.stringify(stored.changes);
    if (isChanged) this.#change(changedPacing(this.#own, stored.changes), now);
    const goesOn = before.stopped && !stored.stopped;
    return isChanged || goesOn || before.cooldownUntil > Math.max(now, stored.cooldownUntil + CLOCK_DOUBT_MS);
  }

  #change(pacing: Pacing, now: number): void {
    this.#pacing = pacing;
    if (this.#off) return;
    this.#channel.change(pacing.channel, now);
    for (const { chatType, bucket } of this.#chats.values()) bucket.change(this.#limitsOf(chatType), now);
  }

  /** How many messages the channel may send at once. */
  available(now: number): number {
    return this.#stored.stopped ? 0 : this.#channel.available(now);
  }

  /** Whether a new object in the same state would decide the same: all buckets are full. */
  isIdle(now: number): boolean {
    this.#forgetFull(now);
    return this.#chats.size === 0 && this.#channel.isFull(now);
  }

  /** Number of chats with a bucket. */
  get chats(): number {
    return this.#chats.size;
  }

  /** Whether first contacts are limited, so that it matters if a message is one. */
  mindsFirstContacts(now: number): boolean {
    return this.#allowance(now) !== null || this.isCoolingDown(now);
  }

  /** The channel is in a cooldown: no first contacts. */
  isCoolingDown(now: number): boolean {
    return this.#cooldownUntil(now) > now;
  }

  /** What the message has to wait for. Null: it may be sent, and its tokens are taken. */
  take({ chat, chatType, first }: PacedMessage, now: number): Wait | null {
    if (this.#stored.stopped) return { by: "pace", ms: STOPPED_MS };
    const rate = Math.max(this.#channel.waitMs(now), this.#chats.get(chat)?.bucket.waitMs(now) ?? 0);
    const stranger = first === undefined ? 0 : this.#firstContactWait(first, now);
    if (first !== undefined && stranger > 0 && stranger >= rate) {
      const by = this.isCoolingDown(now) ? "hold" : "allowance";
      return { by, ms: Math.ceil(stranger), recheckMs: first.line.recheckMs };
    }
    if (rate > 0) return { by: "pace", ms: Math.ceil(rate) };
    this.#channel.take(now);
    this.#chat(chat, chatType, now).take(now);
    first?.line.take(first.contact, now);
    return null;
  }

  pause(scope: "chat" | "channel", chat: string, chatType: string, ms: number, now: number): void {
    const bucket = scope === "channel" ? this.#channel : this.#chat(chat, chatType, now);
    bucket.close(now + ms);
  }

  /** Records a cooldown that was just stored after a warning by the messenger. */
  startCooldown(until: number, now: number): void {
    this.#latestCooldown = { heldUntil: Math.max(until, this.#cooldownUntil(now)), at: now };
  }

  /** A random pause before a send, for personal accounts. */
  jitterMs(): number {
    return this.#off ? 0 : Math.random() * this.#pacing.jitterMs;
  }

  #firstContactWait({ contact, line }: NonNullable<PacedMessage["first"]>, now: number): number {
    const allowance = this.#allowance(now) ?? NO_LIMIT;
    const jitterMs = this.#off ? 0 : (this.#pacing.firstContact?.jitterMs ?? 0);
    return line.waitMs(contact, { allowance, jitterMs, cooldownUntil: this.#cooldownUntil(now) }, now);
  }

  #allowance(now: number): Allowance | null {
    return this.#off ? null : allowanceAt(this.#pacing, now - this.#stored.activeSince);
  }

  #cooldownUntil(now: number): number {
    const { heldUntil, at } = this.#latestCooldown;
    return now - at < STORED_WITHIN_MS
      ? Math.max(heldUntil, this.#stored.cooldownUntil)
      : this.#stored.cooldownUntil;
  }

  #chat(chat: string, chatType: string, now: number): TokenBucket {
    const known = this.#chats.get(chat);
    if (known !== undefined) return known.bucket;
    if (this.#chats.size >= this.#sweep.atSize || (this.#chats.size > 0 && now >= this.#sweep.at))
      this.#forgetFull(now);
    const bucket = new TokenBucket(this.#limitsOf(chatType), now);
    this.#chats.set(chat, { chatType, bucket });
    return bucket;
  }

  #limitsOf(chatType: string): Bucket {
    return this.#off ? UNLIMITED : (this.#pacing.chatOfType?.[chatType as ChatType] ?? this.#pacing.chat);
  }

  /** A full bucket needs no entry. */
  #forgetFull(now: number): void {
    for (const [chat, { bucket }] of this.#chats) if (bucket.isFull(now)) this.#chats.delete(chat);
    this.#sweep = { atSize: Math.max(LEAST_SWEPT, 2 * this.#chats.size), at: now + SWEEP_MS };
  }
}
