import { LogThrottle } from "../../core/log-throttle.ts";
import type { Database, Queryable } from "../../database/database.ts";
import { alignedInterval } from "../../platform/aligned-interval.ts";
import type { Log } from "../../platform/log.ts";
import { orWhenLate } from "../time-limit.ts";

export interface StepResult {
  /** Rows removed or changed; 0 if not counted. */
  readonly rows: number;
  /** There is more to do: the next run follows after a second. */
  readonly hasMore: boolean;
}

/** A periodic task. */
export interface UpkeepStep {
  /** Its name in metrics, the log and the console. */
  readonly name: string;
  /** The signal fires when the time is over or the node stops. */
  run(signal: AbortSignal): Promise<StepResult>;
}

/** How often steps run, and how long each may take. */
export interface StepTiming {
  readonly everyMs: number;
  readonly limitMs: number;
}

export interface UpkeepReport {
  readonly step: string;
  /** Null on success. */
  readonly failure: unknown;
  readonly rows: number;
  readonly seconds: number;
}

export interface UpkeepOptions extends StepTiming {
  readonly steps: readonly UpkeepStep[];
  readonly log: Log;
  /** Whether this node runs the steps. */
  leads(): boolean;
  onStep?(report: UpkeepReport): void;
}

const TICK_MS = 1_000;
const STATEMENT_LIMIT_MS = 10_000;
const REPEATS_AFTER_MS = 600_000;

/**
 * Runs steps one after the other every `everyMs`, while this node leads. A step that throws, or takes longer than
 * `limitMs`, is reported and does not stop the others; it runs again in the next round. A step that ignores its
 * signal is skipped until it has ended.
 */
export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #told = new LogThrottle({ maxEntries: 100, ttlMs: REPEATS_AFTER_MS });
  /** Steps under way; a hanging one is among them until it ends. */
  readonly #running = new Map<UpkeepStep, AbortController>();
  #stopping = false;
  #round: Promise<void> | null = null;
  #unfinished: readonly UpkeepStep[] = [];
  #nextAt = Number.NEGATIVE_INFINITY;
  #stopTimer: () => void = () => undefined;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  start(): void {
    this.#stopTimer = alignedInterval(() => this.#tick(), TICK_MS);
  }

  /** Resolves when the current step has ended or its time is over; no other follows. */
  async stop(): Promise<void> {
    this.#stopTimer();
    this.#stopping = true;
    for (const controller of this.#running.values()) controller.abort();
    await this.#round;
  }

  #tick(): void {
    if (!this.#options.leads()) return;
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
    for (const step of steps) {
      if (this.#stopping || !this.#options.leads()) break;
      if (!this.#running.has(step) && (await this.#runStep(step))) unfinished.push(step);
    }
    this.#unfinished = unfinished;
  }

  async #runStep(step: UpkeepStep): Promise<boolean> {
    const { log, onStep } = this.#options;
    const began = performance.now();
    const report = (failure: unknown, rows: number): void =>
      onStep?.({ step: step.name, failure, rows, seconds: (performance.now() - began) / 1000 });
    try {
      const { rows, hasMore } = await this.#withinLimit(step);
      report(null, rows);
      return hasMore;
    } catch (error) {
      const level = this.#told.shouldLog(step.name) ? "warn" : "debug";
      log[level]({ err: error, step: step.name }, "a step of the upkeep failed; it is repeated in its turn");
      report(error, 0);
      return false;
    }
  }

  async #withinLimit(step: UpkeepStep): Promise<StepResult> {
    const { limitMs } = this.#options;
    const controller = new AbortController();
    this.#running.set(step, controller);
    const run = async (): Promise<StepResult> => {
      try {
        return await step.run(controller.signal);
      } finally {
        this.#running.delete(step);
      }
    };
    return orWhenLate(limitMs, run(), () => {
      controller.abort();
      throw new Error(`It took longer than ${limitMs / 1000} s`);
    });
  }
}

/**
 * Runs statements with a limit of ten seconds each, so that upkeep never blocks others that wait for the same rows.
 * Throws PostgreSQL's error at the limit.
 */
export function withStatementLimit<T>(db: Database, work: (tx: Queryable) => Promise<T>): Promise<T> {
  return db.tx(async (tx) => {
    // Old rows of an account that moves are deleted by both cells (`follow_account_move`).
    await tx.query(
      `set local statement_timeout = ${STATEMENT_LIMIT_MS}; set local trunkline.account_move = 'upkeep'`,
    );
    return work(tx);
  });
}
