import { MessageRing } from "./message-ring.ts";
import type { Person } from "./person.ts";

/** `played` (a voice message) and `deleted` come by hand only. */
export type StatusName = "sent" | "delivered" | "read" | "failed" | "played" | "deleted";

/** A message as both sides keep it. */
export interface StoredMessage {
  readonly id: string;
  /** `out` came over the API, `echo` from the business's own phone. */
  readonly direction: "in" | "out" | "echo";
  readonly type: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** The object named like the type. */
  content: unknown;
  /** What is quoted. */
  readonly contextId?: string;
  /** `biz_opaque_callback_data`, echoed in the statuses. */
  readonly opaque?: string;
  readonly pricingCategory?: string;
  /** Told so far, in the order of telling. */
  readonly statuses: StatusName[];
  /** The business has seen it (the blue ticks of an inbound message). */
  readByBusiness?: boolean;
}

const windowMs = 24 * 60 * 60 * 1000;

/** What one number and one person wrote to each other. */
export class Conversation {
  readonly person: Person;
  readonly messages: MessageRing;
  blocked = false;
  /** By `block_users`: what the person writes does not arrive. */
  blockedByBusiness = false;
  /** When the person last wrote; opens the window of 24 hours. */
  lastInboundMs = Number.NEGATIVE_INFINITY;
  /** When the business last opened the conversation itself; counts against the messaging limit. */
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
