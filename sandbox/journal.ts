/** An entry of a journal: its number (from 1, without gaps) beside what was recorded. */
export type Numbered<T> = T & { readonly seq: number };

/** What a reader of a journal wants. */
export interface JournalQuery<T> {
  /** Only entries with a greater `seq`; default 0. */
  readonly after?: number;
  /** Wait until so many entries match; default 0, which answers at once. */
  readonly count?: number;
  /** How long to wait for `count`; default 30,000. */
  readonly timeoutMs?: number;
  /** At most so many entries, the newest; default 1,000. `count` is not limited by it. */
  readonly limit?: number;
  readonly where?: (entry: T) => boolean;
  readonly signal?: AbortSignal;
}

/** What a reader gets: how many entries match in all, whether that is enough, and the newest of them. */
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

/** A bounded record of what happened, in which every reader can wait for what is still to come. */
export class Journal<T extends object> {
  readonly #keep: number;
  readonly #entries: Numbered<T>[] = [];
  readonly #waiters = new Set<Waiter<T>>();
  #seq = 0;
  /** The last number that `clear` forgot. */
  #cleared = 0;

  /** `keep`: how many entries are kept; older ones are only counted. */
  constructor(keep: number) {
    this.#keep = keep;
  }

  get lastSeq(): number {
    return this.#seq;
  }

  /** Numbers the entry (in place) and wakes the readers that waited for it. */
  append(entry: T): Numbered<T> {
    this.#seq++;
    const numbered = Object.assign(entry, { seq: this.#seq });
    this.#entries[(this.#seq - 1) % this.#keep] = numbered;
    if (this.#waiters.size > 0) this.#wake(numbered);
    return numbered;
  }

  /** Matching entries that are still kept, oldest first. */
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

  /** Forgets the entries; the numbering goes on, so that an `after` stays right. */
  clear(): void {
    this.#entries.length = 0;
    this.#cleared = this.#seq;
  }

  /** Without a filter the count includes entries that are no longer kept. */
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

  #wake(entry: Numbered<T>): void {
    for (const waiter of this.#waiters) {
      if (entry.seq <= waiter.after || !(waiter.where?.(entry) ?? true)) continue;
      waiter.missing--;
      if (waiter.missing <= 0) waiter.finish();
    }
  }

  /** Lets every waiting reader go with what there is. */
  release(): void {
    for (const waiter of this.#waiters) waiter.finish();
  }
}
