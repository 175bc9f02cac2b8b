/** A scan uses at most a twentieth of the time. */
const REST_PER_SCAN = 19;
/** Chats without a notification wait no longer than this, however slow the scans are. */
const LONGEST_MS = 10_000;

/**
 * The pause between two scans of all waiting chats. A single slow scan is ignored: it may have waited for an
 * unavailable database, and then waiting chats must be found soon.
 */
export class ScanPause {
  #before = 0;
  #last = 0;

  /** Records the duration of the last scan. */
  took(ms: number): void {
    this.#before = this.#last;
    this.#last = ms;
  }

  get ms(): number {
    return Math.min(LONGEST_MS, Math.min(this.#before, this.#last) * (1 + REST_PER_SCAN));
  }
}
