import { createHash } from "node:crypto";
import { Journal } from "../journal.ts";

/** Events that a webhook can subscribe to; the first three are always sent. */
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
  /** The admin API's id; bots know the person by other ids. */
  readonly id: string;
  name: string;
  country: string;
  language: string;
  /** The API version of the person's application. */
  apiVersion: number;
  /** Digits; sent by a share-phone button. */
  phone: string;
  /** Bots do not get the name and picture. */
  hidesProfile: boolean;
  /** The number of devices that receive messages; each of them reports. */
  devices: number;
}

/** The address of a bot's callbacks. */
export interface Webhook {
  readonly url: string;
  readonly events: ReadonlySet<EventType>;
}

/** A message of a conversation. */
export interface StoredMessage {
  /** 64 bits, as decimal text. */
  readonly token: string;
  readonly direction: "in" | "out";
  /** Unix milliseconds. */
  readonly timestamp: number;
  /** The message in the API's format, without sender and receiver. */
  readonly content: Readonly<Record<string, unknown>>;
  /** The events reported to the bot, in order. */
  readonly events: EventType[];
}

/** A recorded action of a bot. */
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
  /** The person's id for the bot: 16 bytes in base64, which never change. */
  readonly viberId: string;
  subscribed = false;
  /** The last time the person wrote. */
  lastInboundMs = Number.NEGATIVE_INFINITY;
  /** Times of the bot's messages since then, within the last hour. */
  unanswered: number[] = [];
  /** Of the bot's last message; returned with the person's next one. */
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

/** A bot with all its own state. */
export class Bot {
  /** `pa:` and digits. */
  readonly id: string;
  token: string;
  name: string;
  readonly uri: string;
  /** The status with which all calls are refused: 7, 8, 9 or 15; 0: none. */
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
