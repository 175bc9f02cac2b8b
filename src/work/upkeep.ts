import { Seldom } from "../core/seldom.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Log } from "../platform/log.ts";

/** Something that has to be done again and again. */
export interface UpkeepStep {
  /** As metrics and the log name it. */
  readonly name: string;
  /** True: there is more to do, so the next run follows after a second. */
  run(): Promise<boolean>;
}

export interface UpkeepReport {
  readonly step: string;
  readonly failed: boolean;
  readonly seconds: number;
}

export interface UpkeepOptions {
  readonly steps: readonly UpkeepStep[];
  readonly everyMs: number;
  readonly log: Log;
  onStep?(report: UpkeepReport): void;
}

const TICK_MS = 1_000;
const STATEMENT_LIMIT_MS = 10_000;
const REPEATS_AFTER_MS = 600_000;

/**
 * Runs steps one after the other, each as often as `everyMs` says. A step that throws is reported, and ends alone: the
 * others go on, and it is run again in its turn.
 */
export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #told = new Seldom({ maxEntries: 100, ttlMs: REPEATS_AFTER_MS });
  #round: Promise<void> | null = null;
  #unfinished: readonly UpkeepStep[] = [];
  #nextAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  /** Resolves when the step under way has ended; none follows. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#isStopping = true;
    await this.#round;
  }

  #tick(): void {
    this.#round ??= this.#run(this.#due()).finally(() => {
      this.#round = null;
    });
  }

  #due(): readonly UpkeepStep[] {
    const now = performance.now();
    if (now < this.#nextAt) return this.#unfinished;
    this.#nextAt = now + this.#options.everyMs;
    return this.#options.steps;
  }

  async #run(steps: readonly UpkeepStep[]): Promise<void> {
    const unfinished: UpkeepStep[] = [];
    for (const step of steps) if (!this.#isStopping && (await this.#runStep(step))) unfinished.push(step);
    this.#unfinished = unfinished;
  }

  async #runStep(step: UpkeepStep): Promise<boolean> {
    const { log, onStep } = this.#options;
    const began = performance.now();
    const report = (failed: boolean): void =>
      onStep?.({ step: step.name, failed, seconds: (performance.now() - began) / 1000 });
    try {
      const hasMore = await step.run();
      report(false);
      return hasMore;
    } catch (error) {
      const level = this.#told.isNews(step.name) ? "warn" : "debug";
      log[level]({ err: error, step: step.name }, "a step of the upkeep failed; it is repeated in its turn");
      report(true);
      return false;
    }
  }
}

/**
 * Runs statements that may take ten seconds each and no longer, so that upkeep never holds up who waits for the same
 * rows. Throws what PostgreSQL says then.
 */
export function withStatementLimit<T>(db: Database, work: (tx: Queryable) => Promise<T>): Promise<T> {
  return db.tx(async (tx) => {
    await tx.query(`set local statement_timeout = ${STATEMENT_LIMIT_MS}`);
    return work(tx);
  });
}
