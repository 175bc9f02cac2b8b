/** Expression: whether a synchronous standby has every commit that the server acknowledges from now on. */
export const IS_SYNCHRONOUS = `(current_setting('synchronous_standby_names') <> ''
  and current_setting('synchronous_commit') in ('on', 'remote_apply', 'remote_write'))`;

/** What a node saw at the last acknowledged renewal of its lease. */
export interface KnownPrimary {
  readonly nodeId: string;
  /** How often this lease was renewed. */
  readonly renewals: number;
  /** Null if the server does not allow reading it. */
  readonly timeline: string | null;
  /** Whether the primary had a synchronous standby. */
  readonly isSynchronous: boolean;
}

/**
 * What a node itself remembers of the primary: what the database says of it may be older, or lost with the primary.
 * Until the jobs of a lost primary are handled (`noticeTimeline`), the memory of it is kept.
 */
export class PrimaryMemory {
  #known: KnownPrimary | null = null;
  #next: KnownPrimary | null = null;

  /** The last primary whose jobs are handled; null before the first lease. */
  get known(): KnownPrimary | null {
    return this.#known;
  }

  /** Call it after each renewal. True if the primary is another one than `known`. */
  note(primary: KnownPrimary): boolean {
    const isNew = this.#known !== null && this.#known.timeline !== primary.timeline;
    if (isNew) this.#next = primary;
    else this.#known = primary;
    return isNew;
  }

  /** The jobs that were waiting when this timeline began are handled. */
  settle(timeline: string | null): void {
    if (this.#known === null || this.#known.timeline === timeline) return;
    const isNext = this.#next !== null && this.#next.timeline === timeline;
    this.#known = isNext ? this.#next : { ...this.#known, timeline, isSynchronous: false };
    this.#next = null;
  }
}
