import type { QueuedEvent } from "../../core/delivery/cursor/events.ts";
import type { Progress } from "../../core/delivery/cursor/progress.ts";

/**
 * Progress of one claim of a cursor: events read but not sent, events under way, and events that the receiver has.
 * Pure bookkeeping; the caller stores it under its claim.
 */
export class CursorProgress {
  /** Events read but not sent yet, the first that wait. No one else sends them while the cursor is ours. */
  #ahead: readonly QueuedEvent[] = [];
  readonly #underWay = new Set<number>();
  #taken: ReadonlySet<number>;
  #position: number;
  /** All events up to this id were read. */
  #readTo = 0;

  constructor({ position, taken }: Progress) {
    this.#position = position;
    this.#taken = new Set(taken);
  }

  get ahead(): readonly QueuedEvent[] {
    return this.#ahead;
  }

  /** The next read starts behind this event. */
  get readTo(): number {
    return this.#readTo;
  }

  progress(): Progress {
    return { position: this.#position, taken: [...this.#taken].toSorted((a, b) => a - b) };
  }

  /** Adds events that were read; all events up to `readTo` were looked at. */
  add(events: readonly QueuedEvent[], readTo: number): void {
    this.#ahead = [...this.#ahead, ...events];
    this.#readTo = Math.max(this.#readTo, readTo);
  }

  /** No event up to this one waits. */
  passedTo(): number {
    const isIdle = this.#ahead.length === 0 && this.#underWay.size === 0;
    return isIdle ? Math.max(this.#position, this.#readTo) : this.#position;
  }

  /** Marks these as being sent. */
  send(events: readonly QueuedEvent[]): void {
    for (const { id } of events) this.#underWay.add(id);
    this.#ahead = this.#ahead.filter(({ id }) => !this.#underWay.has(id));
  }

  /** The receiver has these, or does not get them from this cursor. Returns the progress to store. */
  settle(events: readonly QueuedEvent[]): Progress {
    const done = new Set(events.map(({ id }) => id));
    for (const id of done) this.#underWay.delete(id);
    this.#ahead = this.#ahead.filter(({ id }) => !done.has(id));
    const open = Math.min(...this.#underWay, this.#ahead[0]?.id ?? Number.POSITIVE_INFINITY);
    this.#position = Math.max(this.#position, Math.min(open - 1, this.#readTo));
    this.#taken = new Set([...this.#taken, ...done].filter((id) => id > this.#position));
    return this.progress();
  }

  /** Discards what was read: it may no longer be what waits first. */
  forget(): void {
    this.#ahead = [];
    this.#underWay.clear();
    this.#readTo = 0;
  }
}
