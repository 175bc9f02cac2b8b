import type { Message } from "../shape.ts";

/** The newest messages of a chat by id; older ones are dropped. */
export class MessageRing {
  readonly #messages = new Map<number, Message>();
  /** Messages sent with a reply keyboard, which cannot be edited. */
  readonly #locked = new Set<number>();
  /** Emoji by message and by the id of the person or bot. */
  readonly #reactions = new Map<number, Map<number, string>>();
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
    this.#reactions.delete(message.message_id - this.#keep);
  }

  /** The emoji of a person or bot is replaced, or removed (undefined). Returns the earlier one. */
  react(messageId: number, by: number, emoji: string | undefined): string | undefined {
    const given = this.#reactions.get(messageId) ?? new Map<number, string>();
    const earlier = given.get(by);
    given.delete(by);
    if (emoji !== undefined) given.set(by, emoji);
    this.#reactions.set(messageId, given);
    return earlier;
  }

  reactionsTo(messageId: number): string[] {
    return [...(this.#reactions.get(messageId)?.values() ?? [])];
  }

  lock(messageId: number): void {
    this.#locked.add(messageId);
  }

  isLocked(messageId: number): boolean {
    return this.#locked.has(messageId);
  }

  delete(messageId: number): boolean {
    this.#reactions.delete(messageId);
    return this.#messages.delete(messageId);
  }

  /** Newest first. */
  newest(): Message[] {
    return [...this.#messages.values()].sort((a, b) => b.message_id - a.message_id);
  }
}
