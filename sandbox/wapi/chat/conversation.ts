import { MessageRing } from "./message-ring.ts";
import type { Person } from "./person.ts";

const windowMs = 24 * 60 * 60 * 1000;

/** The messages between one number and one person. */
export class Conversation {
  readonly person: Person;
  readonly messages: MessageRing;
  blocked = false;
  /** By `block_users`: the person's messages do not arrive. */
  blockedByBusiness = false;
  /** When the person last wrote; opens the 24-hour window. */
  lastInboundMs = Number.NEGATIVE_INFINITY;
  /** When the business last started the conversation; counts against the messaging limit. */
  lastInitiatedMs = Number.NEGATIVE_INFINITY;

  constructor(person: Person, keep: number) {
    this.person = person;
    this.messages = new MessageRing(keep);
  }

  /** Whether free-form messages are allowed: the person wrote within 24 hours. */
  isOpen(nowMs: number): boolean {
    return nowMs - this.lastInboundMs < windowMs;
  }

  /** Whether the business has already counted this person within 24 hours. */
  isInitiated(nowMs: number): boolean {
    return nowMs - this.lastInitiatedMs < windowMs;
  }
}
