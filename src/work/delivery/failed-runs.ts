import { Cache } from "../../core/cache.ts";

const FIRST_REST_MS = 500;
const LONGEST_REST_MS = 10_000;

/**
 * Runs that ended because something here failed, such as a write to a full disk. The requests of such a run were sent and
 * are repeated by the next one, so each failure in a row doubles the time until then.
 */
export class FailedRuns {
  readonly #rests = new Cache<string, number>({ maxEntries: 10_000, ttlMs: 600_000 });

  /** Returns how long the cursor rests, in ms. */
  failed(cursorId: string): number {
    const before = this.#rests.get(cursorId);
    const restMs = before === undefined ? FIRST_REST_MS : Math.min(2 * before, LONGEST_REST_MS);
    this.#rests.set(cursorId, restMs);
    return restMs;
  }

  worked(cursorId: string): void {
    this.#rests.delete(cursorId);
  }
}
