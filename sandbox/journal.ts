/** An entry of a journal with its number (from 1, without gaps). */
export type Numbered<T> = T & { readonly seq: number };

/** What a reader of a journal wants. */
export interface JournalQuery<T> {
  /** Only entries with a greater `seq`; default 0. */
  readonly after?: number;
  /** Wait until this many entries match; default 0, which returns immediately. */
  readonly count?: number;
  /** Maximum wait for `count`; default 30,000. */
  readonly timeoutMs?: number;
  /** Maximum entries returned, the newest; default 1,000. `count` is not limited by it. */
  readonly limit?: number;
  readonly where?: (entry: T) => boolean;
  readonly signal?: AbortSignal;
}

/** The result of a read: the number of all matching entries, whether it reaches `count`, and the newest of them. */
export interface JournalPage<T> {
  readonly complete: boolean;
  readonly count: number;
  readonly last_seq: number;
  readonly items: Numbered<T>[];
}

interface Waiter<T> {
  readonly after: number;
  readonly where: ((entry: T) => boolean) | undefined;
  missing: number;
  readonly finish: () => void;
}

/** A bounded record of events, in which readers can wait for future ones. */
export class Journal<T extends object> {
  readonly #keep: number;
  readonly #entries: Numbered<T>[] = [];
  readonly #waiters = new Set<Waiter<T>>();
  #seq = 0;
  /** The last number that `clear` deleted. */
  #cleared = 0;

  /** `keep`: how many entries are kept; older ones are only counted. */
  constructor(keep: number) {
    this.#keep = keep;
  }

  get lastSeq(): number {
    return this.#seq;
  }

  /** Numbers the entry (in place) and notifies waiting readers. */
  append(entry: T): Numbered<T> {
    this.#seq++;
    const numbered = Object.assign(entry, { seq: this.#seq });
    this.#entries[(this.#seq - 1) % this.#keep] = numbered;
    if (this.#waiters.size > 0) this.#notify(numbered);
    return numbered;
  }

  /** Matching entries that are still stored, oldest first. */
  list(query: JournalQuery<T> = {}): Numbered<T>[] {
    const found: Numbered<T>[] = [];
    const oldest = Math.max(this.#seq - this.#keep, this.#cleared, query.after ?? 0);
    for (let seq = oldest + 1; seq <= this.#seq; seq++) {
      const entry = this.#entries[(seq - 1) % this.#keep];
      if (entry && (query.where?.(entry) ?? true)) found.push(entry);
    }
    return found;
  }

  /** The matching entries, as soon as there are `count` of them or the time is over. */
  async read(query: JournalQuery<T> = {}): Promise<JournalPage<T>> {
    const wanted = query.count ?? 0;
    const missing = wanted - this.#count(query);
    if (missing > 0) await this.#wait(query, missing);
    const count = this.#count(query);
    const items = this.list(query).slice(-(query.limit ?? 1000));
    return { complete: count >= wanted, count, last_seq: this.#seq, items };
  }

  /** Deletes the entries; the numbering continues, so that an `after` stays valid. */
  clear(): void {
    this.#entries.length = 0;
    this.#cleared = this.#seq;
  }

  /** Without a filter the count includes entries that are no longer stored. */
  #count(query: JournalQuery<T>): number {
    if (query.where) return this.list(query).length;
    return Math.max(0, this.#seq - Math.max(this.#cleared, query.after ?? 0));
  }

  #wait(query: JournalQuery<T>, missing: number): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        query.signal?.removeEventListener("abort", finish);
        resolve();
      };
      const waiter: Waiter<T> = { after: query.after ?? 0, where: query.where, missing, finish };
      const timer = setTimeout(finish, query.timeoutMs ?? 30_000);
      query.signal?.addEventListener("abort", finish);
      this.#waiters.add(waiter);
    });
  }

  #notify(entry: Numbered<T>): void {
    for (const waiter of this.#waiters) {
      if (entry.seq <= waiter.after || !(waiter.where?.(entry) ?? true)) continue;
      waiter.missing--;
      if (waiter.missing <= 0) waiter.finish();
    }
  }

  /** Ends all waits with what there is. */
  release(): void {
    for (const waiter of this.#waiters) waiter.finish();
  }
}
