/** A scan takes a twentieth of the time at most. */
const REST_PER_SCAN = 19;
/** What nobody was notified of waits no longer than this, however slow the scans are. */
const LONGEST_MS = 10_000;

/**
 * How much time lies between the starts of two scans of all waiting chats. One slow scan alone says nothing: it may have
 * waited for a database that was away, and what is waiting then must be found soon.
 */
export class ScanPause {
  #before = 0;
  #last = 0;

  /** The last scan took so long. */
  took(ms: number): void {
    this.#before = this.#last;
    this.#last = ms;
  }

  get ms(): number {
    return Math.min(LONGEST_MS, Math.min(this.#before, this.#last) * (1 + REST_PER_SCAN));
  }
}
