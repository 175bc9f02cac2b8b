import { Journal } from "../journal.ts";
import type { Chat, PrivateChat } from "./chat/chat.ts";
import type { Message, UpdateBody, User } from "./shape.ts";
import { type PendingUpdate, UpdateQueue } from "./update/update-queue.ts";

/** A recorded action of a bot, for tests to read and wait for. */
export interface SentRecord {
  readonly method: string;
  readonly at: string;
  readonly chat_id: number;
  readonly message_id: number;
  /** The message after the call; absent for deletions and chat actions. */
  readonly message?: Message;
  /** The parameters as the bot gave them (uploads as `{file_name, size}`). */
  readonly request: Readonly<Record<string, unknown>>;
}

/** A call of the Bot API, with its outcome. */
export interface CallRecord {
  readonly method: string;
  readonly chat_id?: number | string;
  readonly error_code?: number;
  readonly description?: string;
}

/** A call of any bot, with its parameters. */
export interface BotCallRecord extends CallRecord {
  readonly bot_id: number;
  readonly at: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/** An update for a bot, delivered by polling or webhook. */
export interface UpdateRecord {
  readonly bot_id: number;
  readonly at: string;
  readonly event: string;
  readonly update: UpdateBody;
}

/** Where updates are pushed: https://core.telegram.org/bots/api#setwebhook */
export interface WebhookConfig {
  readonly url: string;
  readonly secret: string | undefined;
  readonly maxConnections: number;
  readonly ipAddress: string | undefined;
  readonly hasCertificate: boolean;
  lastErrorDate?: number;
  lastErrorMessage?: string;
}

/** A press on an inline button, with the bot's answer once given. */
export interface Press {
  readonly callback_query_id: string;
  readonly chat_id: number;
  readonly pressed_at_ms: number;
  answer?: Readonly<Record<string, unknown>>;
}

/** https://core.telegram.org/bots/api#setwebhook: types that are sent only on request. */
const onRequestOnly = new Set(["chat_member", "message_reaction", "message_reaction_count"]);

const keptCalls = 1000;

/** A bot account with its own state. */
export class Bot {
  readonly id: number;
  token: string;
  user: User;
  /** False, the default, is the platform's privacy mode: in groups, only commands and replies arrive. */
  readsAllGroupMessages: boolean;
  readonly chats = new Map<number, Chat>();
  readonly updates: UpdateQueue;
  readonly sent: Journal<SentRecord>;
  readonly calls = new Journal<CallRecord>(keptCalls);
  readonly presses = new Map<string, Press>();
  readonly answers = new Journal<Press>(keptCalls);
  /** The owners of the accounts that it is connected to, by the connection's id. */
  readonly businessConnections = new Map<string, User>();
  /** How many messages of connected accounts there were. */
  businessMessages = 0;
  commands: unknown[] = [];
  /** Name and descriptions by language; see `method/names.ts`. */
  readonly profileTexts = new Map<string, string>();
  /** By user; undefined is the default. */
  readonly menuButtons = new Map<number | undefined, Readonly<Record<string, unknown>>>();
  webhook: WebhookConfig | undefined;
  webhookSetAtMs = 0;
  loggedOutUntilMs = 0;
  /** Undefined: all types except those of `onRequestOnly`. */
  allowedUpdates: ReadonlySet<string> | undefined;
  /** Called after an update was queued, for the poller or the webhook sender. */
  onUpdate: (entry: PendingUpdate) => void = () => undefined;

  constructor(setup: {
    token: string;
    user: User;
    readsAll: boolean;
    lastUpdateId: number;
    keepSent: number;
  }) {
    this.token = setup.token;
    this.user = setup.user;
    this.id = setup.user.id;
    this.readsAllGroupMessages = setup.readsAll;
    this.updates = new UpdateQueue(setup.lastUpdateId);
    this.sent = new Journal(setup.keepSent);
  }

  /** Queues an update, unless the bot has not subscribed to its type. */
  notify(body: UpdateBody, orderingKey: string, nowMs: number): PendingUpdate | undefined {
    const type = Object.keys(body)[0] ?? "";
    const wanted = this.allowedUpdates ? this.allowedUpdates.has(type) : !onRequestOnly.has(type);
    if (!wanted) return undefined;
    const entry = this.updates.push(body, orderingKey, nowMs);
    this.onUpdate(entry);
    return entry;
  }

  /** Stores a press for its answer; the oldest are dropped. */
  notePress(press: Press): void {
    this.presses.set(press.callback_query_id, press);
    const oldest = this.presses.keys().next();
    if (this.presses.size > keptCalls && !oldest.done) this.presses.delete(oldest.value);
  }

  privateChat(userId: number): PrivateChat | undefined {
    const chat = this.chats.get(userId);
    return chat?.kind === "private" ? chat : undefined;
  }
}
