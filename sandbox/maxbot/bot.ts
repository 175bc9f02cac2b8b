import { Journal } from "../journal.ts";
import type { UpdateQueue } from "./update/update-queue.ts";

/** An address that receives the bot's updates. */
export interface Subscription {
  readonly url: string;
  /** Unix milliseconds. */
  readonly time: number;
  /** Null: every type. */
  readonly updateTypes: readonly string[] | null;
  readonly secret: string | undefined;
  /** Time of the first of the consecutive failures. */
  failingSinceMs: number | undefined;
}

/** A recorded action of a bot in a chat. */
export interface SentRecord {
  readonly method: "sendMessage" | "editMessage" | "deleteMessage" | "answerOnCallback" | "sendAction";
  /** Unix milliseconds. */
  readonly at: number;
  readonly chat_id: number;
  readonly mid: string | null;
  /** The message in the API's format; null once it is deleted. */
  readonly message: unknown;
  readonly request: unknown;
}

/** A bot's answer to a press. */
export interface PressAnswer {
  readonly callback_id: string;
  readonly notification: string | null;
  /** Whether the answer also changed the message. */
  readonly message: unknown;
}

/** A bot with all its own state. */
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

  /** Ends all waits for this bot. */
  release(): void {
    this.sent.release();
    this.answers.release();
    this.updates.release();
  }
}
