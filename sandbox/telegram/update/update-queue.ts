import type { UpdateBody } from "../shape.ts";

/** How long an update is kept for its bot: https://core.telegram.org/bots/api#getting-updates */
const lifetimeMs = 24 * 60 * 60 * 1000;
/** A press is worth answering only while the customer looks at the button (official server). */
const pressLifetimeMs = 150 * 1000;

/** An update that its bot has not confirmed yet. */
export interface PendingUpdate {
  readonly id: number;
  /** Updates with the same ordering key (a chat, or the person who pressed) are delivered one by one. */
  readonly orderingKey: string;
  readonly body: UpdateBody;
  readonly expiresAtMs: number;
  done: boolean;
}

/** The unconfirmed updates of one bot in order of their ids, which have no gaps. */
export class UpdateQueue {
  #entries: PendingUpdate[] = [];
  /** Index of the first entry that is not done; earlier ones are removed now and then. */
  #head = 0;
  #pending = 0;
  lastId: number;
  confirmed = 0;

  constructor(lastId: number) {
    this.lastId = lastId;
  }

  get size(): number {
    return this.#pending;
  }

  push(body: UpdateBody, orderingKey: string, nowMs: number): PendingUpdate {
    this.lastId++;
    const livesMs = "callback_query" in body ? pressLifetimeMs : lifetimeMs;
    const entry = { id: this.lastId, orderingKey, body, expiresAtMs: nowMs + livesMs, done: false };
    this.#entries.push(entry);
    this.#pending++;
    return entry;
  }

  /** The first `limit` unconfirmed updates from `offset` on. */
  list(offset: number, limit: number): PendingUpdate[] {
    const found: PendingUpdate[] = [];
    for (let index = this.#head; index < this.#entries.length && found.length < limit; index++) {
      const entry = this.#entries[index];
      if (entry && !entry.done && entry.id >= offset) found.push(entry);
    }
    return found;
  }

  /** Confirms all updates below `offset`: requesting later updates acknowledges earlier ones. */
  confirmBelow(offset: number): void {
    let entry = this.#entries[this.#head];
    while (entry && entry.id < offset) {
      this.confirm(entry);
      entry = this.#entries[this.#head];
    }
  }

  confirm(entry: PendingUpdate): void {
    if (this.#finish(entry)) this.confirmed++;
  }

  /** Drops updates that have waited for a day. */
  expire(nowMs: number): void {
    for (const entry of this.list(0, Number.POSITIVE_INFINITY)) {
      if (entry.expiresAtMs <= nowMs) this.#finish(entry);
    }
  }

  drop(): void {
    for (const entry of this.#entries) entry.done = true;
    this.#entries = [];
    this.#head = 0;
    this.#pending = 0;
  }

  #finish(entry: PendingUpdate): boolean {
    if (entry.done) return false;
    entry.done = true;
    this.#pending--;
    while (this.#entries[this.#head]?.done) this.#head++;
    if (this.#head > 1000 && this.#head * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
    return true;
  }
}
