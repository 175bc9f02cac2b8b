import { randomBytes } from "node:crypto";
import type { BlobStore } from "../blob-store.ts";
import { Clock } from "../clock.ts";
import { AdminError, missing } from "../http/fields.ts";
import { Journal } from "../journal.ts";
import { Novelty } from "../trouble/novelty.ts";
import { Bot, type BotCallRecord, type UpdateRecord } from "./bot.ts";
import { FloodControl } from "./call/flood.ts";
import { type Chat, GroupChat, PrivateChat, privateShape } from "./chat/chat.ts";
import { createFaultList } from "./fault.ts";
import { FileRegistry } from "./file/file-registry.ts";
import type { Message, PhotoSize, UpdateBody, User } from "./shape.ts";

/** Durations that a test may shorten, so that it need not wait as long as a real bot. */
export interface Settings {
  /** Multiplies the delays between webhook retries, including `Retry-After`. */
  retryScale: number;
  /** Multiplies the delays of getUpdates and conflicts (3 s on the platform). */
  waitScale: number;
  /** Timeout of a webhook delivery. */
  webhookTimeoutMs: number;
  /** Seed of the fields that Telegram adds without notice; 0: none. See `Novelty`. */
  novelty: number;
}

const keptRecords = 1000;
const defaults: Settings = { retryScale: 1, waitScale: 1, webhookTimeoutMs: 60_000, novelty: 0 };

/** The state of the emulated messenger. Methods change it and queue the resulting updates. */
export class World {
  readonly clock = new Clock();
  readonly bots = new Map<number, Bot>();
  readonly botsByToken = new Map<string, Bot>();
  readonly users = new Map<number, User>();
  readonly groups = new Map<number, GroupChat>();
  /** Profile photos, newest first. */
  readonly userPhotos = new Map<number, readonly PhotoSize[][]>();
  readonly calls = new Journal<BotCallRecord>(keptRecords);
  readonly told = new Journal<UpdateRecord>(keptRecords);
  readonly faults = createFaultList();
  readonly flood = new FloodControl(this.clock);
  readonly files: FileRegistry;
  readonly keepMessages: number;
  readonly changed: () => void;
  settings: Settings = { ...defaults };
  /** How many updates there were, which `Novelty` counts. */
  #reports = 0;

  constructor(setup: { blobs: BlobStore; keepMessages: number; changed: () => void }) {
    this.files = new FileRegistry(setup.blobs, this.clock);
    this.keepMessages = setup.keepMessages;
    this.changed = setup.changed;
  }

  addBot(setup: { token?: string; username?: string; name?: string; readsAll?: boolean }): Bot {
    const token = setup.token ?? this.#newToken();
    const id = Number(/^(\d+):[\w-]{24,}$/.exec(token)?.[1] ?? 0);
    if (!Number.isSafeInteger(id) || id <= 0) {
      throw new AdminError(
        400,
        "invalid_field",
        "token must be digits, a colon and at least 24 of A-Za-z0-9_-",
      );
    }
    if (this.bots.has(id)) throw new AdminError(409, "exists", `there is already a bot ${id}`);
    const user = {
      id,
      is_bot: true,
      first_name: setup.name ?? `Bot ${id}`,
      username: setup.username ?? `sandbox_${id}_bot`,
    };
    const readsAll = setup.readsAll ?? false;
    const lastUpdateId = 100_000_000 + Math.floor(Math.random() * 100_000_000);
    return this.#register(new Bot({ token, user, readsAll, lastUpdateId, keepSent: this.#keepSent() }));
  }

  /** Restores a bot of a saved state. */
  restoreBot(setup: { token: string; user: User; readsAll: boolean; lastUpdateId: number }): Bot {
    return this.#register(new Bot({ ...setup, keepSent: this.#keepSent() }));
  }

  /** The old token becomes invalid at once; everything else of the bot stays. */
  revokeToken(bot: Bot): string {
    this.botsByToken.delete(bot.token);
    bot.token = `${bot.id}:${randomBytes(26).toString("base64url")}`;
    this.botsByToken.set(bot.token, bot);
    this.changed();
    return bot.token;
  }

  /** Creates the user, or renames an existing one. */
  putUser(user: Omit<User, "id" | "is_bot"> & { readonly id?: number }): User {
    const id = user.id ?? Math.max(999, ...this.users.keys()) + 1;
    const { id: _given, ...names } = user;
    const whole = { id, is_bot: false, ...names };
    this.users.set(id, whole);
    for (const bot of this.bots.values()) {
      const chat = bot.privateChat(id);
      if (!chat) continue;
      chat.user = whole;
      chat.shape = privateShape(whole);
    }
    this.changed();
    return whole;
  }

  addGroup(setup: {
    id?: number;
    title: string;
    type: "group" | "supergroup";
    username?: string;
  }): GroupChat {
    const start = setup.type === "group" ? -1000 : -1_001_000_000_000;
    let id = setup.id ?? start - this.groups.size - 1;
    while (setup.id === undefined && this.groups.has(id)) id--;
    if (id >= 0) throw new AdminError(400, "invalid_field", "the id of a group is negative");
    if (this.groups.has(id)) throw new AdminError(409, "exists", `there is already a group ${id}`);
    const { title, type, username } = setup;
    const group = new GroupChat({ id, title, ...(username && { username }), type }, this.keepMessages);
    this.groups.set(id, group);
    this.changed();
    return group;
  }

  /** The private chat, created when the user presses start. */
  openPrivateChat(bot: Bot, user: User): PrivateChat {
    const existing = bot.privateChat(user.id);
    if (existing) return existing;
    const chat = new PrivateChat(user, this.keepMessages);
    bot.chats.set(user.id, chat);
    this.changed();
    return chat;
  }

  /** Stores a message in its chat. */
  store(chat: Chat, message: Message): void {
    chat.messages.put(message);
    this.changed();
  }

  /** Queues an update for a bot; updates of one ordering key stay in order. */
  notify(bot: Bot, known: UpdateBody, orderingKey: string): number | undefined {
    const novelty = new Novelty(this.settings.novelty, this.#reports++);
    const body = this.settings.novelty === 0 ? known : novelty.sprinkled(known);
    const entry = bot.notify(body, orderingKey, this.clock.nowMs());
    if (!entry) return undefined;
    const at = new Date(this.clock.nowMs()).toISOString();
    this.told.append({ bot_id: bot.id, at, event: Object.keys(body)[0] ?? "", update: body });
    this.changed();
    return entry.id;
  }

  bot(id: number): Bot {
    return this.bots.get(id) ?? fail(missing("bot", id));
  }

  user(id: number): User {
    return this.users.get(id) ?? fail(missing("user", id));
  }

  group(id: number): GroupChat {
    return this.groups.get(id) ?? fail(missing("group", id));
  }

  /** Ends all waits. */
  release(): void {
    this.calls.release();
    this.told.release();
    for (const bot of this.bots.values()) {
      bot.sent.release();
      bot.calls.release();
      bot.answers.release();
    }
  }

  /** Deletes everything except the clock. */
  clear(): void {
    this.release();
    this.bots.clear();
    this.botsByToken.clear();
    this.users.clear();
    this.groups.clear();
    this.userPhotos.clear();
    this.faults.clear();
    this.flood.clear();
    this.files.clear();
    this.settings = { ...defaults };
    this.changed();
  }

  #register(bot: Bot): Bot {
    this.bots.set(bot.id, bot);
    this.botsByToken.set(bot.token, bot);
    this.changed();
    return bot;
  }

  #newToken(): string {
    const id = Math.max(1_000_100, ...this.bots.keys()) + 1;
    return `${id}:${randomBytes(26).toString("base64url")}`;
  }

  #keepSent(): number {
    return this.keepMessages === Number.POSITIVE_INFINITY ? 1_000_000 : 10_000;
  }
}

function fail(error: Error): never {
  throw error;
}
