import { randomBytes } from "node:crypto";
import type { Account, Item, User } from "./account.ts";

export const chatTypes = ["u2i", "u2u", "a2u"] as const;
export type ChatType = (typeof chatTypes)[number];

/** The content of a message by its type; some types have none. */
export type Content = Readonly<Record<string, unknown>>;

/** A message of a chat. */
export interface StoredMessage {
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** 0 and 1: Avito itself. */
  readonly authorId: number;
  /** Unix seconds. */
  readonly created: number;
  /** From the account's point of view. */
  readonly direction: "in" | "out";
  type: string;
  content: Content;
  /** When the other side read it, in Unix seconds; null: not yet. */
  read: number | null;
  readonly quoted: StoredMessage | undefined;
}

/** Who writes system messages. */
export const avitoId = 1;
/** The author of notices that no bot writes. */
export const noticeAuthorId = 0;

/** A chat of an account with a buyer, about a listing or without one. */
export class Chat {
  readonly id: string;
  readonly type: ChatType;
  readonly account: Account;
  readonly user: User;
  readonly item: Item | undefined;
  readonly created: number;
  updated: number;
  /** The buyer has blocked the account. */
  blocked = false;
  readonly #keep: number;
  readonly #messages = new Map<string, StoredMessage>();

  constructor(setup: {
    id: string;
    type: ChatType;
    account: Account;
    user: User;
    item: Item | undefined;
    created: number;
    keepMessages: number;
  }) {
    this.id = setup.id;
    this.type = setup.type;
    this.account = setup.account;
    this.user = setup.user;
    this.item = setup.item;
    this.created = setup.created;
    this.updated = setup.created;
    this.#keep = setup.keepMessages;
  }

  put(message: StoredMessage): void {
    this.#messages.set(message.id, message);
    this.updated = message.created;
    if (this.#messages.size <= this.#keep) return;
    const [oldest] = this.#messages.keys();
    if (oldest !== undefined) this.#messages.delete(oldest);
  }

  get(id: string): StoredMessage | undefined {
    return this.#messages.get(id);
  }

  /** Newest first. */
  newest(): StoredMessage[] {
    return [...this.#messages.values()].reverse();
  }

  get hasUnread(): boolean {
    return [...this.#messages.values()].some(({ direction, read }) => direction === "in" && read === null);
  }

  /** One side reads everything of the other. Returns the messages that were unread. */
  markRead(direction: "in" | "out", at: number): StoredMessage[] {
    const unread = [...this.#messages.values()].filter(
      (message) => message.direction === direction && message.read === null,
    );
    for (const message of unread) message.read = at;
    return unread;
  }
}

/** `u2i-edoS30kaZhxk~xihAdJ8Ow`: 16 bytes in an alphabet with a tilde. */
export function newChatId(type: ChatType): string {
  return `${type}-${randomBytes(16).toString("base64url").replaceAll("-", "~")}`;
}

export function newMessageId(): string {
  return randomBytes(16).toString("hex");
}
