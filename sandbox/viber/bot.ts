import { createHash } from "node:crypto";
import { Journal } from "../journal.ts";

/** Events that a webhook can be set for; the first three come in any case. */
export const eventTypes = [
  "message",
  "subscribed",
  "unsubscribed",
  "conversation_started",
  "delivered",
  "seen",
  "failed",
  "client_status",
] as const;
export type EventType = (typeof eventTypes)[number];
export const mandatoryEvents: readonly EventType[] = ["message", "subscribed", "unsubscribed"];

/** A person with Viber. */
export interface User {
  /** For the admin API; each bot knows the person by another id. */
  readonly id: string;
  name: string;
  country: string;
  language: string;
  /** Of the person's application. */
  apiVersion: number;
  /** Digits; what a share-phone button gives. */
  phone: string;
  /** Bots do not get the name and picture. */
  hidesProfile: boolean;
  /** On how many devices messages arrive: each of them reports. */
  devices: number;
}

/** Where a bot's callbacks go. */
export interface Webhook {
  readonly url: string;
  readonly events: ReadonlySet<EventType>;
}

/** A message of a conversation. */
export interface StoredMessage {
  /** 64 bits, as decimal text. */
  readonly token: string;
  readonly direction: "in" | "out";
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  /** The message in the API's form, without sender and receiver. */
  readonly content: Readonly<Record<string, unknown>>;
  /** What the bot is told of, in the order of its happening. */
  readonly events: EventType[];
}

/** What a bot did. */
export interface SentRecord {
  readonly method: "send_message" | "broadcast_message" | "welcome";
  readonly at: number;
  readonly user: string;
  readonly viber_id: string;
  readonly message_token: string;
  readonly message: unknown;
}

/** One person and one bot. */
export class Conversation {
  readonly user: User;
  /** What the bot knows the person by: 16 bytes in base64, the same for ever. */
  readonly viberId: string;
  subscribed = false;
  /** The last time the person wrote. */
  lastInboundMs = Number.NEGATIVE_INFINITY;
  /** When the bot wrote since then, at most an hour ago. */
  unanswered: number[] = [];
  /** Of the bot's last message; comes back with the person's next. */
  trackingData = "";
  readonly #keep: number;
  readonly #messages = new Map<string, StoredMessage>();

  constructor(user: User, botId: string, keepMessages: number) {
    this.user = user;
    this.viberId = createHash("md5").update(`${botId} ${user.id}`).digest("base64");
    this.#keep = keepMessages;
  }

  put(message: StoredMessage): void {
    this.#messages.set(message.token, message);
    if (this.#messages.size <= this.#keep) return;
    const [oldest] = this.#messages.keys();
    if (oldest !== undefined) this.#messages.delete(oldest);
  }

  get(token: string): StoredMessage | undefined {
    return this.#messages.get(token);
  }

  /** Newest first. */
  newest(): StoredMessage[] {
    return [...this.#messages.values()].reverse();
  }
}

/** A bot with everything that only it knows. */
export class Bot {
  /** `pa:` and digits. */
  readonly id: string;
  token: string;
  name: string;
  readonly uri: string;
  /** The status that every call is refused with: 7, 8, 9 or 15; 0 when all is well. */
  state = 0;
  webhook: Webhook | undefined;
  readonly conversations = new Map<string, Conversation>();
  readonly sent = new Journal<SentRecord>(10_000);

  constructor(setup: { id: string; token: string; name: string; uri: string }) {
    this.id = setup.id;
    this.token = setup.token;
    this.name = setup.name;
    this.uri = setup.uri;
  }

  byViberId(viberId: string): Conversation | undefined {
    return [...this.conversations.values()].find((conversation) => conversation.viberId === viberId);
  }

  get subscribers(): number {
    return [...this.conversations.values()].filter(({ subscribed }) => subscribed).length;
  }
}
