import type { WACallEvent } from "baileys";

const REMEMBERED = 100;

/** Tells missed calls from answered ones. */
export class CallWatch {
  readonly #answered = new Set<string>();

  /** Whether this event ends a call that nobody took. */
  isMissed({ id, status, isGroup, groupJid }: WACallEvent): boolean {
    if (status === "accept") this.#remember(id);
    const isEnd = status === "timeout" || status === "terminate" || status === "reject";
    if (!isEnd || this.#answered.has(id) || isGroup === true || groupJid !== undefined) return false;
    // The phone tells of an end once more in other words.
    this.#remember(id);
    return true;
  }

  #remember(id: string): void {
    this.#answered.add(id);
    const [oldest] = this.#answered;
    if (this.#answered.size > REMEMBERED && oldest !== undefined) this.#answered.delete(oldest);
  }
}
