import type { Message } from "../shape.ts";

/** The newest messages of a chat by id; older ones are dropped. */
export class MessageRing {
  readonly #messages = new Map<number, Message>();
  /** Messages sent with a reply keyboard, which cannot be edited. */
  readonly #locked = new Set<number>();
  readonly #keep: number;

  constructor(keep: number) {
    this.#keep = keep;
  }

  get(messageId: number): Message | undefined {
    return this.#messages.get(messageId);
  }

  put(message: Message): void {
    this.#messages.set(message.message_id, message);
    this.#messages.delete(message.message_id - this.#keep);
    this.#locked.delete(message.message_id - this.#keep);
  }

  lock(messageId: number): void {
    this.#locked.add(messageId);
  }

  isLocked(messageId: number): boolean {
    return this.#locked.has(messageId);
  }

  delete(messageId: number): boolean {
    return this.#messages.delete(messageId);
  }

  /** Newest first. */
  newest(): Message[] {
    return [...this.#messages.values()].sort((a, b) => b.message_id - a.message_id);
  }
}
