import { randomBytes, randomInt } from "node:crypto";
import type { BlobStore } from "../blob-store.ts";
import { CallbackQueue, type DeliverySettings } from "../callback/queue.ts";
import { Clock } from "../clock.ts";
import { AdminError, missing } from "../http/fields.ts";
import { Journal } from "../journal.ts";
import { RateLimiter } from "../rate-limiter.ts";
import { Bot, Conversation, type User } from "./bot.ts";
import { deliveryRules } from "./delivery-rules.ts";
import { createFaultList } from "./fault.ts";
import { MediaRegistry } from "./media-registry.ts";

/** Settings of the platform that a test may change. */
export interface Settings extends DeliverySettings {
  /** How far receipts of a message are sent automatically; `none` leaves all to the admin API. */
  readonly autoReceipts: "none" | "delivered" | "seen";
  /** The signature is also sent as `?sig=`, on which the official client for Node.js relies. */
  readonly sigParameter: boolean;
  /** The seed of unknown fields and types of events (`../trouble/novelty.ts`); 0: none. */
  readonly novelty: number;
}

const defaults: Settings = {
  retryScale: 1,
  callbackTimeoutMs: 10_000,
  deliveries: 1,
  autoReceipts: "delivered",
  sigParameter: false,
  novelty: 0,
};

/** `broadcast_message`: 500 requests in 10 seconds; `get_user_details`: 2 for a user in 12 hours. */
export const platformLimits = {
  broadcastsPerSecond: 50,
  detailsPerHalfDay: 2,
  messagesPerSecond: 100,
} as const;
export type Limits = Readonly<Record<keyof typeof platformLimits, number>>;

/** A call of the API, including refused ones, and a welcome message in the response to a callback. */
export interface CallRecord {
  readonly bot_id: string | null;
  readonly method: string;
  /** Without the token. */
  readonly request: unknown;
  /** The status of the response; null if a fault closed the connection. */
  readonly status: number | null;
  readonly error?: string;
  /** The platform has no such method or field. */
  readonly unknown?: boolean;
}

/** Everything that exists in the emulated platform. */
export class World {
  readonly clock = new Clock();
  readonly bots = new Map<string, Bot>();
  readonly users = new Map<string, User>();
  readonly faults = createFaultList();
  readonly limiter = new RateLimiter(this.clock);
  readonly calls = new Journal<CallRecord>(1000);
  readonly callbacks: CallbackQueue;
  readonly media: MediaRegistry;
  readonly changed: () => void;
  /** Undefined: no limit. */
  limits: Limits | undefined;
  settings: Settings = { ...defaults };
  /** How many events were reported. */
  reports = 0;
  readonly #keepMessages: number;
  #lastToken = 0n;

  /** The emulator's address. */
  readonly url: () => string;

  constructor(setup: { blobs: BlobStore; keepMessages: number; changed: () => void; url: () => string }) {
    this.media = new MediaRegistry(setup.blobs, this.clock, setup.url);
    this.url = setup.url;
    this.callbacks = new CallbackQueue(this.clock, deliveryRules, () => this.settings);
    this.#keepMessages = setup.keepMessages;
    this.changed = setup.changed;
  }

  addBot(setup: {
    id?: string | undefined;
    token?: string | undefined;
    name?: string | undefined;
    uri?: string | undefined;
  }): Bot {
    const id = setup.id ?? `pa:${randomInt(1e12, 9e13)}${randomInt(1e6, 9e6)}`;
    const token = setup.token ?? newToken();
    if (this.bots.has(id) || this.botByToken(token))
      throw new AdminError(409, "exists", "there is already a bot with that id or token");
    const name = setup.name ?? `Bot ${this.bots.size + 1}`;
    const bot = new Bot({ id, token, name, uri: setup.uri ?? `bot${id.slice(3, 9)}` });
    this.bots.set(id, bot);
    this.changed();
    return bot;
  }

  /** Creates a person, or changes a known one. */
  putUser(user: User): User {
    const known = this.users.get(user.id);
    const whole = known ? Object.assign(known, user) : user;
    this.users.set(whole.id, whole);
    this.changed();
    return whole;
  }

  conversation(bot: Bot, user: User): Conversation {
    const known = bot.conversations.get(user.id);
    if (known) return known;
    const conversation = new Conversation(user, bot.id, this.#keepMessages);
    bot.conversations.set(user.id, conversation);
    this.changed();
    return conversation;
  }

  botByToken(token: string): Bot | undefined {
    return [...this.bots.values()].find((bot) => bot.token === token);
  }

  bot(id: string): Bot {
    return this.bots.get(id) ?? fail(missing("bot", id));
  }

  user(id: string): User {
    return this.users.get(id) ?? fail(missing("user", id));
  }

  /** The next `message_token`: above 2^53, and increasing. */
  nextToken(): string {
    const token = (BigInt(this.clock.nowMs()) << 22n) + BigInt(randomInt(0, 1 << 21));
    this.#lastToken = token > this.#lastToken ? token : this.#lastToken + 1n;
    return String(this.#lastToken);
  }

  /** Ends all waits. */
  release(): void {
    this.calls.release();
    this.callbacks.attempts.release();
    for (const { sent } of this.bots.values()) sent.release();
  }

  /** Deletes everything except the clock. */
  clear(): void {
    this.release();
    this.callbacks.stop();
    this.callbacks.attempts.clear();
    this.calls.clear();
    this.faults.clear();
    this.limiter.clear();
    this.limits = undefined;
    this.media.clear();
    for (const things of [this.bots, this.users]) things.clear();
    this.settings = { ...defaults };
    this.changed();
  }
}

/** A bot token in the platform's style: three groups of hexadecimal digits. */
export function newToken(): string {
  const hex = randomBytes(24).toString("hex");
  return `${hex.slice(0, 16)}-${hex.slice(16, 32)}-${hex.slice(32)}`;
}

function fail(error: Error): never {
  throw error;
}
