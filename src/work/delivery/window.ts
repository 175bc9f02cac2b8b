import type { QueuedEvent } from "../../core/delivery/cursor/events.ts";

/** The events that a claim has read and not sent, and its position. Pure bookkeeping; the caller stores the position. */
export class Window {
  #ahead: readonly QueuedEvent[] = [];
  #position: number;
  /** All events up to this id were read. */
  #readTo = 0;

  constructor(position: number) {
    this.#position = position;
  }

  /** The first events that wait, in order. No one else sends them while the cursor is ours. */
  get ahead(): readonly QueuedEvent[] {
    return this.#ahead;
  }

  get position(): number {
    return this.#position;
  }

  /** The next read starts behind this event; 0: behind the position. */
  get readTo(): number {
    return this.#readTo;
  }

  /** Length in characters, a lower bound of the bytes. */
  get size(): number {
    return this.#ahead.reduce((size, { body }) => size + body.length, 0);
  }

  /** Adds events that were read; all events up to `readTo` were looked at. */
  add(events: readonly QueuedEvent[], readTo: number): void {
    this.#ahead = [...this.#ahead, ...events];
    this.#readTo = Math.max(this.#readTo, readTo);
  }

  /** Removes events that are sent, or set aside. */
  remove(events: readonly QueuedEvent[]): void {
    const removed = new Set(events);
    this.#ahead = this.#ahead.filter((event) => !removed.has(event));
  }

  /** All removed events are delivered or set aside: moves the position up to the first one ahead, and returns it. */
  pass(): number {
    const [next] = this.#ahead;
    return this.moveTo(next === undefined ? this.#readTo : next.id - 1);
  }

  moveTo(position: number): number {
    this.#position = Math.max(this.#position, position);
    return this.#position;
  }

  /** Discards what was read: it may no longer be what waits first. */
  forget(): void {
    this.#ahead = [];
    this.#readTo = 0;
  }
}
