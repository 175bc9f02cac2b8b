import { Journal } from "../journal.ts";
import type { UpdateQueue } from "./update-queue.ts";

/** An address that gets the bot's updates. */
export interface Subscription {
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Null: every type. */
  readonly updateTypes: readonly string[] | null;
  readonly secret: string | undefined;
  /** Since when deliveries fail without a success between. */
  failingSinceMs: number | undefined;
}

/** Something that a bot did in a chat. */
export interface SentRecord {
  readonly method: "sendMessage" | "editMessage" | "deleteMessage" | "answerOnCallback" | "sendAction";
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly chat_id: number;
  readonly mid: string | null;
  /** The message as the API gives it; null once it is deleted. */
  readonly message: unknown;
  readonly request: unknown;
}

/** What a bot answered to a press. */
export interface PressAnswer {
  readonly callback_id: string;
  readonly notification: string | null;
  /** Whether the message was changed with it. */
  readonly message: unknown;
}

/** A bot with everything that only it knows. */
export class Bot {
  readonly id: number;
  token: string;
  username: string;
  name: string;
  readonly description: string | null;
  lastActivityMs: number;
  readonly subscriptions = new Map<string, Subscription>();
  readonly updates: UpdateQueue;
  readonly answers = new Journal<PressAnswer>(1000);
  readonly sent = new Journal<SentRecord>(10_000);

  constructor(setup: {
    id: number;
    token: string;
    username: string;
    name: string;
    description: string | null;
    nowMs: number;
    updates: UpdateQueue;
  }) {
    this.id = setup.id;
    this.token = setup.token;
    this.username = setup.username;
    this.name = setup.name;
    this.description = setup.description;
    this.lastActivityMs = setup.nowMs;
    this.updates = setup.updates;
  }

  /** Lets everybody go who waits for something of this bot. */
  release(): void {
    this.sent.release();
    this.answers.release();
    this.updates.release();
  }
}
