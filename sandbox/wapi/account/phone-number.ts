import { Journal } from "../../journal.ts";
import { Conversation } from "../chat/conversation.ts";
import type { Person } from "../chat/person.ts";
import type { Waba } from "./account.ts";

/** The states of a business phone number that Meta names. */
export const numberStatuses = [
  "PENDING",
  "CONNECTED",
  "LINKED",
  "UNLINKED",
  "FLAGGED",
  "RESTRICTED",
  "BANNED",
  "MIGRATED",
  "DELETED",
  "DISCONNECTED",
] as const;
export type NumberStatus = (typeof numberStatuses)[number];

/** A recorded action of the business that a person can notice. */
export interface SentRecord {
  readonly at: number;
  /** Marking as read causes `read` and `typing`. */
  readonly type: string;
  readonly message_id: string;
  /** The person in the admin API; null if nobody has that number. */
  readonly user: string | null;
  /** `to` or `recipient` as in the request. */
  readonly to: string | null;
  readonly request: Readonly<Record<string, unknown>>;
}

/** A code that opens a chat with the number, with a prepared text. */
export interface QrCode {
  readonly code: string;
  readonly prefilledMessage: string;
}

/** The initial data of a number. */
export interface NumberSetup {
  readonly id: string;
  readonly waba: Waba;
  /** Digits only. */
  readonly phone: string;
  readonly verifiedName: string;
  readonly onBizApp: boolean;
  /** Whether the owner agrees to it in the phone's app. */
  readonly sharesHistory?: boolean;
  readonly registered: boolean;
  readonly keepMessages: number;
}

/** How the owner's address book calls a person. */
export interface ContactName {
  readonly fullName: string;
  readonly firstName: string;
}

/** A business phone number. */
export class PhoneNumber {
  readonly id: string;
  readonly waba: Waba;
  readonly phone: string;
  /** Also used in the phone's own app ("coexistence"), whose messages are echoed. */
  readonly onBizApp: boolean;
  readonly sent = new Journal<SentRecord>(10_000);
  readonly conversations = new Map<string, Conversation>();
  /** The number's own callbacks, by app id. */
  readonly overrides = new Map<string, string>();
  readonly profile: Record<string, unknown> = {};
  /** By feature; only values that differ from the defaults. */
  readonly settings: Record<string, unknown> = {};
  /** What happens when the history is requested; null: it was. */
  history: "shared" | "declined" | null;
  /** The address book of the phone's own app: names by the digits of the number. */
  readonly contacts = new Map<string, ContactName>();
  /** Whether the contacts were requested. */
  contactsShared = false;
  readonly qrCodes = new Map<string, QrCode>();
  verifiedName: string;
  nameStatus = "APPROVED";
  quality = "GREEN";
  codeVerification = "VERIFIED";
  throughput: "STANDARD" | "HIGH" | "NOT_APPLICABLE" = "STANDARD";
  status: NumberStatus;
  pin: string | undefined;
  readonly #keepMessages: number;

  constructor(setup: NumberSetup) {
    this.id = setup.id;
    this.waba = setup.waba;
    this.phone = setup.phone;
    this.verifiedName = setup.verifiedName;
    this.onBizApp = setup.onBizApp;
    this.history = setup.sharesHistory === false ? "declined" : "shared";
    this.status = setup.registered ? "CONNECTED" : "PENDING";
    this.#keepMessages = setup.keepMessages;
  }

  /** The format of webhooks: digits. */
  get displayDigits(): string {
    return this.phone;
  }

  /** The format of the Graph API: `+1 555-078-3881`. */
  get displayPhoneNumber(): string {
    const national = /^1(\d{3})(\d{3})(\d{4})$/.exec(this.phone);
    return national ? `+1 ${national[1]}-${national[2]}-${national[3]}` : `+${this.phone}`;
  }

  get isRegistered(): boolean {
    return !["PENDING", "DISCONNECTED", "UNLINKED"].includes(this.status);
  }

  /** The conversation with a person; created if it does not exist. */
  conversationWith(person: Person): Conversation {
    const existing = this.conversations.get(person.id);
    if (existing) return existing;
    const conversation = new Conversation(person, this.#keepMessages);
    this.conversations.set(person.id, conversation);
    return conversation;
  }

  /** The conversation that holds a message. */
  conversationOf(messageId: string): Conversation | undefined {
    for (const conversation of this.conversations.values()) {
      if (conversation.messages.get(messageId)) return conversation;
    }
    return undefined;
  }

  /** The number of people to whom the business wrote first within 24 hours: counts against the messaging limit. */
  initiatedCount(nowMs: number): number {
    let count = 0;
    for (const conversation of this.conversations.values()) if (conversation.isInitiated(nowMs)) count++;
    return count;
  }
}
