import type { proto } from "baileys/WAProto/index.js";

/** A message as stored on a phone. */
export interface StoredMessage {
  readonly id: string;
  /** The author's phone number. */
  readonly from: string;
  readonly atMs: number;
  kind: string;
  text: string;
  edited: boolean;
  deleted: boolean;
  /** Reactions by phone number. */
  readonly reactions: Map<string, string>;
  /** Phone numbers of the people who reported it as read. */
  readonly readBy: Set<string>;
  /** The content, for media, quotes and retries. */
  content: proto.IMessage;
}

const keptMessages = 1000;

/** A conversation from one member's point of view: the last thousand messages, oldest first. */
export class Conversation {
  readonly #messages = new Map<string, StoredMessage>();

  get(id: string): StoredMessage | undefined {
    return this.#messages.get(id);
  }

  /** False if there is already a message with this id: a phone shows it once. */
  put(message: StoredMessage): boolean {
    if (this.#messages.has(message.id)) return false;
    this.#messages.set(message.id, message);
    const [oldest] = this.#messages.keys();
    if (this.#messages.size > keptMessages && oldest !== undefined) this.#messages.delete(oldest);
    return true;
  }

  list(): StoredMessage[] {
    return [...this.#messages.values()];
  }
}
