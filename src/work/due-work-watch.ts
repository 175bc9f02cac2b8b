import { type DueWork, findDueWork } from "../core/node/due-work.ts";
import { type Signals, WATCHED_TOPICS, type WatchedTopic } from "../core/signals.ts";
import type { Database } from "../database/database.ts";
import { alignedInterval } from "../platform/aligned-interval.ts";
import type { Log } from "../platform/log.ts";
import type { Lease } from "./lease.ts";

const LOOK_EVERY_MS = 1_000;
/** What was found counts as unknown after this long without an answer of the database. */
const FRESH_MS = 3_000;

export interface DueWorkWatchOptions {
  readonly db: Database;
  readonly log: Log;
  readonly signals: Pick<Signals, "wake" | "setWatched">;
  readonly lease: () => Lease;
  /** Whether the worker of this topic has found nothing to do in the same work before. Default: never. */
  readonly isInVain?: (topic: WatchedTopic, work: DueWork) => boolean;
}

/**
 * Looks once a second for what no notification reported: work whose time has come, and work whose notification was
 * lost. One statement serves all workers of this node. While it fails, workers poll for themselves.
 */
export class DueWorkWatch {
  readonly #options: DueWorkWatchOptions;
  #stopTimer: () => void = () => undefined;
  #looking: Promise<void> | null = null;
  #lastTurn: number | undefined;
  #found: { readonly work: DueWork; readonly at: number } | null = null;

  constructor(options: DueWorkWatchOptions) {
    this.#options = options;
  }

  start(): void {
    this.#stopTimer = alignedInterval(() => this.#tick(), LOOK_EVERY_MS);
  }

  async stop(): Promise<void> {
    this.#stopTimer();
    this.#forget();
    await this.#looking;
    this.#forget();
  }

  /** What was found last; null if it is not known now. */
  latest(): DueWork | null {
    if (this.#found === null || performance.now() - this.#found.at > FRESH_MS) return null;
    return this.#found.work;
  }

  #tick(): void {
    if (this.latest() === null) this.#forget();
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
  }

  #forget(): void {
    this.#found = null;
    this.#options.signals.setWatched(false);
  }

  async #look(): Promise<void> {
    const { db, log, signals, lease, isInVain } = this.#options;
    const at = performance.now();
    try {
      const work = await findDueWork(db, lease().nodeId, this.#lastTurn);
      this.#lastTurn = work.turn ?? this.#lastTurn;
      this.#found = { work, at };
      signals.setWatched(true);
      for (const topic of WATCHED_TOPICS)
        if (work[topic] && isInVain?.(topic, work) !== true) signals.wake(topic);
    } catch (error) {
      this.#forget();
      log.debug({ err: error }, "due work could not be looked for");
    }
  }
}
