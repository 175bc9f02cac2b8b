import { LogThrottle } from "../../core/log-throttle.ts";
import type { Log } from "../../platform/log.ts";
import { backOffMs } from "../../platform/queue/back-off.ts";
import { Turns } from "../../platform/queue/turns.ts";

/** A shorter loss of connection is not reported. */
const GRACE_MS = 60_000;
/** When a messenger fails, thousands of channels are lost together; most connections to the database stay free. */
const MAX_CONCURRENT = 2;
/** Longer than a statement may take. */
const COUNTS_FOR_MS = 60_000;
const PAUSES = { firstMs: 1_000, longestMs: 60_000 };
const REPEATS_AFTER_MS = 600_000;

/** What the grace timers of a node's channels share. */
export class LossReports {
  readonly #log: Log;
  readonly graceMs: number;
  readonly #turns = new Turns({ maxConcurrent: () => MAX_CONCURRENT, countsForMs: COUNTS_FOR_MS });
  readonly #logThrottle = new LogThrottle({ maxEntries: 1, ttlMs: REPEATS_AFTER_MS });

  constructor({ log, graceMs = GRACE_MS }: { readonly log: Log; readonly graceMs?: number | undefined }) {
    this.#log = log;
    this.graceMs = graceMs;
  }

  /** Resolves with whether the report succeeded; failures are logged. */
  async attempt(accountId: number, report: () => Promise<void>): Promise<boolean> {
    try {
      await this.#turns.run(accountId, report);
      return true;
    } catch (error) {
      const level = this.#logThrottle.shouldLog("failed") ? "warn" : "debug";
      this.#log[level](
        { err: error },
        "the loss of a channel's connection could not be stored; it is tried again",
      );
      return false;
    }
  }
}

/** Waits out a short loss of a channel's connection; then reports it, and repeats that until it succeeds. */
export class GraceTimer {
  readonly #reports: LossReports;
  readonly #accountId: number;
  readonly #report: (isLost: () => boolean) => Promise<void>;
  /** Identifies the current loss; undefined while the channel is connected. */
  #loss: symbol | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `report` may ask again whether the connection is still lost. */
  constructor(reports: LossReports, accountId: number, report: (isLost: () => boolean) => Promise<void>) {
    this.#reports = reports;
    this.#accountId = accountId;
    this.#report = report;
  }

  start(): void {
    if (this.#loss !== undefined) return;
    this.#loss = Symbol("loss");
    this.#attemptAfter(this.#reports.graceMs, this.#loss, 0);
  }

  /** The channel is connected again, or closed: the loss is not reported any more. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#loss = undefined;
  }

  #attemptAfter(ms: number, loss: symbol, failures: number): void {
    this.#timer = setTimeout(() => void this.#attempt(loss, failures), ms);
  }

  /** Never rejects. */
  async #attempt(loss: symbol, failures: number): Promise<void> {
    const isStored = await this.#reports.attempt(this.#accountId, async () => {
      // The attempt may have waited for its turn.
      const isLost = (): boolean => this.#loss === loss;
      if (isLost()) await this.#report(isLost);
    });
    if (!isStored && this.#loss === loss)
      this.#attemptAfter(backOffMs(failures + 1, PAUSES), loss, failures + 1);
  }
}
