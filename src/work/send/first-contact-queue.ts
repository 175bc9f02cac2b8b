import type { Allowance } from "../../core/pacing/limits.ts";
import { DAY_MS, slotAt } from "../../core/pacing/slots.ts";

/** A message to somebody new. */
export interface FirstContact {
  readonly chat: string;
  /** Grows with the time of acceptance. */
  readonly jobId: number;
  readonly messageId: string;
}

/** A lane that waits is looked at again after this long at the latest: its person may have written meanwhile. */
export const RELOOK_MS = 30_000;
/** Who has not asked for so long does not wait any more. */
const FORGOTTEN_MS = 3 * RELOOK_MS;
const MAX_IN_LINE = 1_000;

/**
 * First contacts of one channel: those made, and the line of those that wait, the first accepted first. In the memory
 * of the channel's owner, who reads at its start what was made before.
 */
export class FirstContactQueue {
  /** When each message took its part of the allowance, ascending. */
  readonly #made: Map<string, number>;
  readonly #waiting = new Map<string, { jobId: number; askedAt: number }>();
  #lastAt = Number.NEGATIVE_INFINITY;
  /** Part of the longest random pause, drawn anew after each first contact. */
  #chance = Math.random();

  /** `ages`: by message, how many milliseconds ago, the oldest first. */
  constructor(ages: ReadonlyMap<string, number>, now: number) {
    this.#made = new Map([...ages].map(([messageId, ageMs]) => [messageId, now - ageMs]));
    for (const at of this.#made.values()) this.#lastAt = at;
  }

  /** Milliseconds until this message may leave, 0 for now, Infinity for not at all. Who is told to wait is in the line. */
  waitMs(
    contact: FirstContact,
    limits: { readonly allowance: Allowance; readonly jitterMs: number; readonly heldUntil: number },
    now: number,
  ): number {
    const held = Math.max(0, limits.heldUntil - now);
    // Repeated after an attempt that had no effect: it has its part already.
    if (this.#made.has(contact.messageId)) return held;
    const ahead = this.#ahead(contact, now);
    const from = now + held;
    const slot = slotAt([...this.#made.values()], limits.allowance, { from, ahead });
    const ready = Math.max(slot, limits.heldUntil, this.#lastAt) + this.#chance * limits.jitterMs;
    // Not before those ahead, who have not left yet.
    const wait = Math.max(0, ready - now);
    if (wait > 0) this.#join(contact, now);
    return wait;
  }

  take({ chat, messageId }: FirstContact, now: number): void {
    this.leave(chat);
    if (this.#made.has(messageId)) return;
    for (const [id, at] of this.#made) if (at <= now - DAY_MS) this.#made.delete(id);
    this.#made.set(messageId, now);
    this.#lastAt = now;
    this.#chance = Math.random();
  }

  /** The chat is not new any more. */
  leave(chat: string): void {
    this.#waiting.delete(chat);
  }

  #ahead({ chat, jobId }: FirstContact, now: number): number {
    let ahead = 0;
    for (const [other, { jobId: otherId, askedAt }] of this.#waiting) {
      if (askedAt < now - FORGOTTEN_MS) this.#waiting.delete(other);
      else if (other !== chat && otherId < jobId) ahead++;
    }
    return ahead;
  }

  #join({ chat, jobId }: FirstContact, now: number): void {
    if (this.#waiting.size < MAX_IN_LINE || this.#waiting.has(chat))
      this.#waiting.set(chat, { jobId, askedAt: now });
  }
}
