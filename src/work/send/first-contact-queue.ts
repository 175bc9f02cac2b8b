import type { Allowance } from "../../core/pacing/limits.ts";
import { DAY_MS, slotAt } from "../../core/pacing/slots.ts";

/** A message to a person who has never written to the channel. */
export interface FirstContact {
  readonly chat: string;
  /** Ascending in the order of acceptance. */
  readonly jobId: number;
  readonly messageId: string;
}

/** A waiting chat is checked again after this long: its person may have written meanwhile. */
const RECHECK_MS = 30_000;
/** In a long queue less often, so that the checks of all its chats are this far apart. */
const CHECK_GAP_MS = 100;
const MAX_IN_LINE = 10_000;
/** More contacts ahead count as this many, because the time of a slot is computed contact by contact. */
const MAX_AHEAD = 1_000;

/**
 * First contacts of one channel: those made, and the queue of those that wait, in order of acceptance. Kept in memory
 * by the channel's owner, who reads earlier first contacts from the database at the start.
 */
export class FirstContactQueue {
  /** When each message used its part of the allowance, ascending. */
  readonly #made: Map<string, number>;
  readonly #waiting = new Map<string, { jobId: number; expiresAt: number }>();
  #lastAt = Number.NEGATIVE_INFINITY;
  /** Fraction of the longest random pause, drawn again after each first contact. */
  #chance = Math.random();

  /** `ages`: per message, how many milliseconds ago it was sent, oldest first. */
  constructor(ages: ReadonlyMap<string, number>, now: number) {
    this.#made = new Map([...ages].map(([messageId, ageMs]) => [messageId, now - ageMs]));
    for (const at of this.#made.values()) this.#lastAt = at;
  }

  /**
   * Milliseconds until this message may be sent: 0 for now, Infinity for never. A message that has to wait is queued.
   */
  waitMs(
    contact: FirstContact,
    limits: { readonly allowance: Allowance; readonly jitterMs: number; readonly cooldownUntil: number },
    now: number,
  ): number {
    const cooldown = Math.max(0, limits.cooldownUntil - now);
    // A retry after an attempt without effect has used its part of the allowance already.
    if (this.#made.has(contact.messageId)) return cooldown;
    const ahead = this.#ahead(contact, now);
    const from = now + cooldown;
    const slot = slotAt([...this.#made.values()], limits.allowance, { from, ahead });
    const ready = Math.max(slot, limits.cooldownUntil, this.#lastAt) + this.#chance * limits.jitterMs;
    // Not before the messages ahead of it, which are not sent yet.
    const wait = Math.max(0, ready - now);
    if (wait > 0) this.#join(contact, now);
    return wait;
  }

  take({ chat, messageId }: FirstContact, now: number): void {
    this.leave(chat);
    this.count([messageId], now);
  }

  /** First contacts that were made now. */
  count(ids: readonly string[], now: number): void {
    const news = ids.filter((id) => !this.#made.has(id));
    if (news.length === 0) return;
    for (const [id, at] of this.#made) if (at <= now - DAY_MS) this.#made.delete(id);
    for (const id of news) this.#made.set(id, now);
    this.#lastAt = now;
    this.#chance = Math.random();
  }

  /** After how long a waiting chat is checked again, at the latest. */
  get recheckMs(): number {
    return Math.max(RECHECK_MS, this.#waiting.size * CHECK_GAP_MS);
  }

  /** The chat is no longer a first contact, or has no more messages. */
  leave(chat: string): void {
    this.#waiting.delete(chat);
  }

  /** Most of those that wait were cancelled; the others join again when they are checked. */
  leaveAll(): void {
    this.#waiting.clear();
  }

  #ahead({ chat, jobId }: FirstContact, now: number): number {
    let ahead = 0;
    for (const [other, { jobId: otherId, expiresAt }] of this.#waiting) {
      if (expiresAt < now) this.#waiting.delete(other);
      else if (other !== chat && otherId < jobId) ahead++;
    }
    return Math.min(ahead, MAX_AHEAD);
  }

  #join({ chat, jobId }: FirstContact, now: number): void {
    // It loses its place if it is not checked again.
    const expiresAt = now + 3 * this.recheckMs;
    if (this.#waiting.size < MAX_IN_LINE || this.#waiting.has(chat))
      this.#waiting.set(chat, { jobId, expiresAt });
  }
}
