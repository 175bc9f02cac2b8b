import type { QueuedEvent } from "../../core/webhook/events.ts";
import type { Progress } from "../../core/webhook/progress.ts";

/**
 * Where one turn at a cursor is: what was read and not sent, what is under way, and what the receiver has. Pure
 * bookkeeping; whoever stores it names the claim.
 */
export class CursorProgress {
  /** Events read and not sent yet: the beginning of what waits. Nobody else takes from it while the cursor is ours. */
  #ahead: readonly QueuedEvent[] = [];
  readonly #underWay = new Set<number>();
  #taken: ReadonlySet<number>;
  #position: number;
  /** All that was read is up to here. */
  #readTo = 0;

  constructor({ position, taken }: Progress) {
    this.#position = position;
    this.#taken = new Set(taken);
  }

  get ahead(): readonly QueuedEvent[] {
    return this.#ahead;
  }

  /** Read on behind this event. */
  get readTo(): number {
    return this.#readTo;
  }

  progress(): Progress {
    return { position: this.#position, taken: [...this.#taken].toSorted((a, b) => a - b) };
  }

  add(events: readonly QueuedEvent[]): void {
    this.#ahead = [...this.#ahead, ...events];
    this.#readTo = events.at(-1)?.id ?? this.#readTo;
  }

  /** These are being sent. */
  send(events: readonly QueuedEvent[]): void {
    for (const { id } of events) this.#underWay.add(id);
    this.#ahead = this.#ahead.filter(({ id }) => !this.#underWay.has(id));
  }

  /** The receiver has these, or need not get them here. Answers what is to be stored. */
  settle(events: readonly QueuedEvent[]): Progress {
    const done = new Set(events.map(({ id }) => id));
    for (const id of done) this.#underWay.delete(id);
    this.#ahead = this.#ahead.filter(({ id }) => !done.has(id));
    const open = Math.min(...this.#underWay, this.#ahead[0]?.id ?? Number.POSITIVE_INFINITY);
    this.#position = Math.max(this.#position, Math.min(open - 1, this.#readTo));
    this.#taken = new Set([...this.#taken, ...done].filter((id) => id > this.#position));
    return this.progress();
  }

  /** What was read may not be the beginning of what waits any more: it is read again. */
  forget(): void {
    this.#ahead = [];
    this.#underWay.clear();
    this.#readTo = 0;
  }
}
