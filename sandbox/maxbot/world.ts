import { randomBytes, randomInt } from "node:crypto";
import type { BlobStore } from "../blob-store.ts";
import { CallbackQueue, type DeliverySettings } from "../callback/queue.ts";
import { Clock } from "../clock.ts";
import { AdminError, missing } from "../http/fields.ts";
import { Journal } from "../journal.ts";
import { RateLimiter } from "../rate-limiter.ts";
import { Bot } from "./bot.ts";
import { Chat, dialogId, type User } from "./chat/chat.ts";
import type { Press } from "./chat/press.ts";
import { createFaultList } from "./fault.ts";
import { MediaRegistry } from "./media/media-registry.ts";
import { deliveryRules } from "./update/delivery-rules.ts";
import { UpdateQueue } from "./update/update-queue.ts";

/** Settings of the platform that a test may change. */
export interface Settings extends DeliverySettings {
  /** How many attempts to send a new video, audio or file are refused as not ready. */
  readonly notReadyCalls: number;
  /** Whether `message_callback` has the `chat_id` of a dialog, which live updates of 2026 do not have. */
  readonly callbackChatIds: boolean;
  /** Seed of the fields that MAX adds without notice; 0: none. See `Novelty`. */
  readonly novelty: number;
}

const defaults: Settings = {
  retryScale: 1,
  callbackTimeoutMs: 30_000,
  deliveries: 1,
  notReadyCalls: 1,
  callbackChatIds: false,
  novelty: 0,
};

/** https://dev.max.ru/docs-api: calls of a bot, and messages to one chat. */
export const platformLimits = { botPerSecond: 30, chatPerSecond: 2 } as const;
export type Limits = Readonly<Record<keyof typeof platformLimits, number>>;

/** A call of the API, including refused ones. */
export interface CallRecord {
  readonly bot_id: number | null;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly request: unknown;
  /** 0 if a fault closed the connection. */
  readonly status: number;
  readonly error?: string;
  /** The platform has no such path, parameter or field. */
  readonly unknown?: boolean;
}

/** Everything that exists in the emulated platform. */
export class World {
  readonly clock = new Clock();
  readonly bots = new Map<number, Bot>();
  readonly users = new Map<number, User>();
  readonly chats = new Map<number, Chat>();
  /** By callback id. */
  readonly presses = new Map<string, Press>();
  readonly faults = createFaultList();
  readonly limiter = new RateLimiter(this.clock);
  readonly calls = new Journal<CallRecord>(1000);
  readonly callbacks: CallbackQueue;
  readonly media: MediaRegistry;
  readonly changed: () => void;
  /** The emulator's address, for example `http://127.0.0.1:8090/maxbot`. */
  readonly url: () => string;
  /** Undefined: no limit. */
  limits: Limits | undefined;
  settings: Settings = { ...defaults };
  /** Updates so far. */
  reports = 0;
  readonly #keepMessages: number;
  #lastSeq = 0n;

  constructor(setup: { blobs: BlobStore; keepMessages: number; changed: () => void; url: () => string }) {
    this.media = new MediaRegistry(setup.blobs);
    this.callbacks = new CallbackQueue(this.clock, deliveryRules(this), () => this.settings);
    this.#keepMessages = setup.keepMessages;
    this.changed = setup.changed;
    this.url = setup.url;
  }

  addBot(setup: {
    id?: number | undefined;
    token?: string | undefined;
    username?: string | undefined;
    name?: string | undefined;
    description?: string | null | undefined;
    nextUpdate?: number;
  }): Bot {
    const id = setup.id ?? randomInt(1e8, 9e8);
    const token = setup.token ?? newToken();
    if (this.bots.has(id)) throw new AdminError(409, "exists", `there is already a bot ${id}`);
    if (this.botByToken(token)) throw new AdminError(409, "exists", "there is already a bot with that token");
    const bot = new Bot({
      id,
      token,
      username: setup.username ?? `bot_${id}_bot`,
      name: setup.name ?? `Bot ${id}`,
      description: setup.description ?? null,
      nowMs: this.clock.nowMs(),
      updates: new UpdateQueue(this.clock, setup.nextUpdate ?? 1),
    });
    this.bots.set(id, bot);
    this.changed();
    return bot;
  }

  /** Creates a person, or changes a known one. */
  putUser(user: User): User {
    const known = this.users.get(user.user_id);
    const whole = known ? Object.assign(known, user) : user;
    this.users.set(whole.user_id, whole);
    this.changed();
    return whole;
  }

  addGroup(setup: { chatId?: number | undefined; type: "chat" | "channel"; title: string }): Chat {
    const chatId = setup.chatId ?? -randomInt(1e12, 9e13);
    if (this.chats.has(chatId)) throw new AdminError(409, "exists", `there is already a chat ${chatId}`);
    return this.#addChat(chatId, setup.type, setup.title);
  }

  /** The dialog of a bot with a person; created if it does not exist. */
  openDialog(bot: Bot, user: User): Chat {
    const chatId = dialogId(bot.id, user.user_id);
    const known = this.chats.get(chatId);
    if (known) return known;
    const chat = this.#addChat(chatId, "dialog", null);
    chat.users.set(user.user_id, user);
    chat.bots.set(bot.id, bot);
    return chat;
  }

  botByToken(token: string): Bot | undefined {
    return [...this.bots.values()].find((bot) => bot.token === token);
  }

  bot(id: number): Bot {
    return this.bots.get(id) ?? fail(missing("bot", id));
  }

  user(id: number): User {
    return this.users.get(id) ?? fail(missing("user", id));
  }

  group(id: number): Chat {
    const chat = this.chats.get(id);
    return chat && chat.type !== "dialog" ? chat : fail(missing("group", id));
  }

  dialog(bot: Bot, user: User): Chat {
    const chat = this.chats.get(dialogId(bot.id, user.user_id));
    return chat ?? fail(new AdminError(409, "not_started", "the user has not started the bot; POST …/start"));
  }

  /** The next message number: milliseconds, then 16 bits, so that later ones are always larger. */
  nextSeq(): bigint {
    const seq = BigInt(this.clock.nowMs()) << 16n;
    this.#lastSeq = seq > this.#lastSeq ? seq + BigInt(randomInt(1, 0x4000)) : this.#lastSeq + 1n;
    return this.#lastSeq;
  }

  /** Ends all waits. */
  release(): void {
    this.calls.release();
    this.callbacks.attempts.release();
    for (const bot of this.bots.values()) bot.release();
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
    for (const things of [this.bots, this.users, this.chats, this.presses]) things.clear();
    this.settings = { ...defaults };
    this.changed();
  }

  #addChat(chatId: number, type: Chat["type"], title: string | null): Chat {
    const createdMs = this.clock.nowMs();
    const chat = new Chat({ chatId, type, title, createdMs, keepMessages: this.#keepMessages });
    this.chats.set(chatId, chat);
    this.changed();
    return chat;
  }
}

/** A bot token in the platform's style. */
export function newToken(): string {
  return `f9LHod${randomBytes(32).toString("base64url")}`;
}

function fail(error: Error): never {
  throw error;
}
