import type { StoredMessage } from "./stored-message.ts";

/** The newest messages of a conversation, by id and in order. */
export class MessageRing {
  readonly #keep: number;
  readonly #messages = new Map<string, StoredMessage>();

  constructor(keep: number) {
    this.#keep = keep;
  }

  put(message: StoredMessage): void {
    this.#messages.set(message.id, message);
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

  delete(id: string): boolean {
    return this.#messages.delete(id);
  }
}
