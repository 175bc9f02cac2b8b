import type { QueuedEvent } from "../../core/delivery/cursor/events.ts";

/** A part of the log: those of its events that the receiver takes, all behind `previous` up to `to`. */
interface LogPart {
  readonly events: readonly QueuedEvent[];
  readonly previous: number;
  readonly to: number;
}

/**
 * The events that a claim has read and not sent, and its position; also what publishers have handed to it and would be read
 * next. Pure bookkeeping; the caller stores the position.
 */
export class Window {
  #ahead: readonly QueuedEvent[] = [];
  #handed: readonly QueuedEvent[] = [];
  /** No gap is between what was read and what was handed up to this event. */
  #handedTo = 0;
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

  /** All events up to this one were read or handed; 0: nothing was read yet, so nothing can be handed. */
  get knownTo(): number {
    return this.#readTo === 0 ? 0 : Math.max(this.#readTo, this.#handedTo);
  }

  get handed(): readonly QueuedEvent[] {
    return this.#handed;
  }

  /** Adds events behind those that are known. False: there may be others before them, so they have to be read. */
  hand({ events, previous, to }: LogPart): boolean {
    const { knownTo } = this;
    if (knownTo === 0 || previous > knownTo) return false;
    this.#handed = [...this.#handed, ...events.filter(({ id }) => id > knownTo)];
    this.#handedTo = Math.max(knownTo, to);
    return true;
  }

  /** Treats what was handed as read. */
  takeHanded(): void {
    this.add(this.#handed, this.knownTo);
  }

  /** Adds events that were read; all events up to `readTo` were looked at. */
  add(events: readonly QueuedEvent[], readTo: number): void {
    this.#ahead = [...this.#ahead, ...events];
    this.#readTo = Math.max(this.#readTo, readTo);
    this.#handed = this.#handed.filter(({ id }) => id > this.#readTo);
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
    this.#handed = [];
    this.#handedTo = 0;
  }
}
