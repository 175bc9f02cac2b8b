import type { proto } from "baileys/WAProto/index.js";

/** A message as it stands in somebody's phone. */
export interface StoredMessage {
  readonly id: string;
  /** The phone number of whoever wrote it. */
  readonly from: string;
  readonly atMs: number;
  kind: string;
  text: string;
  edited: boolean;
  deleted: boolean;
  /** Reactions by phone number. */
  readonly reactions: Map<string, string>;
  /** Who has told that it was read, by phone number. */
  readonly readBy: Set<string>;
  /** The content, for media, quotes and what has to be sent again. */
  content: proto.IMessage;
}

const keptMessages = 1000;

/** A conversation as one of its people sees it: the last thousand messages, oldest first. */
export class Conversation {
  readonly #messages = new Map<string, StoredMessage>();

  get(id: string): StoredMessage | undefined {
    return this.#messages.get(id);
  }

  /** False when there is a message with this id already: a phone shows it once. */
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
