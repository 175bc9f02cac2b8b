import type { RawNumber } from "../../http/raw-number.ts";
import type { Bot } from "../bot.ts";

/** A person; the id is the same for all bots. */
export interface User {
  readonly user_id: number;
  first_name: string;
  last_name: string;
  username: string | null;
  /** IETF BCP 47, e.g. `ru`. */
  locale: string;
  /** Digits; sent by a contact button. */
  phone: string;
  /** Unix milliseconds. */
  lastActivityMs: number;
}

/** The message that a message quotes or forwards. */
export interface Link {
  readonly type: "reply" | "forward";
  readonly message: StoredMessage;
}

/** An attachment in the API's format. */
export type Attachment = Readonly<Record<string, unknown>> & { readonly type: string };

/** A message of a chat. */
export interface StoredMessage {
  readonly mid: string;
  readonly seq: RawNumber;
  readonly chat: Chat;
  readonly sender: User | Bot;
  /** Unix milliseconds. */
  readonly timestamp: number;
  text: string | null;
  attachments: readonly Attachment[];
  markup: readonly unknown[];
  link: Link | undefined;
}

/** A dialog of one bot with one person, or a group. */
export class Chat {
  readonly chatId: number;
  readonly type: "dialog" | "chat" | "channel";
  readonly users = new Map<number, User>();
  readonly bots = new Map<number, Bot>();
  readonly createdMs: number;
  title: string | null;
  /** The person has stopped the bot: it cannot write until they start it again. */
  suspended = false;
  readonly #keep: number;
  readonly #messages = new Map<string, StoredMessage>();

  constructor(setup: {
    chatId: number;
    type: Chat["type"];
    title: string | null;
    createdMs: number;
    keepMessages: number;
  }) {
    this.chatId = setup.chatId;
    this.type = setup.type;
    this.title = setup.title;
    this.createdMs = setup.createdMs;
    this.#keep = setup.keepMessages;
  }

  /** The other person of a dialog. */
  get user(): User | undefined {
    return this.type === "dialog" ? this.users.values().next().value : undefined;
  }

  put(message: StoredMessage): void {
    this.#messages.set(message.mid, message);
    if (this.#messages.size <= this.#keep) return;
    const [oldest] = this.#messages.keys();
    if (oldest !== undefined) this.#messages.delete(oldest);
  }

  get(mid: string): StoredMessage | undefined {
    return this.#messages.get(mid);
  }

  delete(mid: string): boolean {
    return this.#messages.delete(mid);
  }

  /** Oldest first. */
  list(): StoredMessage[] {
    return [...this.#messages.values()];
  }

  /** Newest first. */
  newest(): StoredMessage[] {
    return this.list().reverse();
  }

  clear(): void {
    this.#messages.clear();
  }
}

/** The id of a dialog: on the platform both ids XORed (seen in live updates). */
export function dialogId(botId: number, userId: number): number {
  return Number(BigInt(botId) ^ BigInt(userId));
}
