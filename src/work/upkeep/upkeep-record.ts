import { type StepState, type StoredStep, storeSteps } from "../../core/node/upkeep-steps.ts";
import type { Database } from "../../database/database.ts";
import { alignedInterval } from "../../platform/aligned-interval.ts";
import type { Log } from "../../platform/log.ts";
import { messageOf } from "../../platform/message-of.ts";
import type { UpkeepReport } from "./upkeep.ts";

const STORE_EVERY_MS = 10_000;
const MAX_FAILURE = 500;

interface LastRuns {
  /** `performance.now()` of its last success under this leader. */
  succeededAt: number | null;
  failures: number;
  failure: string | null;
}

export interface UpkeepRecordOptions {
  readonly db: Database;
  readonly log: Log;
  readonly steps: readonly { readonly name: string; readonly everyMs: number }[];
  leads(): boolean;
  /** Called with the number of overdue steps. */
  onOverdue(steps: number): void;
}

/** Stores the results of the steps for the console of every node, and warns in the log. */
export class UpkeepRecord {
  readonly #options: UpkeepRecordOptions;
  readonly #states = new Map<string, LastRuns>();
  readonly #overdue = new Set<string>();
  #leadsSince: number | null = null;
  #storing: Promise<void> | null = null;
  #stopTimer: () => void = () => undefined;

  constructor(options: UpkeepRecordOptions) {
    this.#options = options;
  }

  start(): void {
    this.#stopTimer = alignedInterval(() => this.#tick(), STORE_EVERY_MS);
  }

  async stop(): Promise<void> {
    this.#stopTimer();
    await this.#storing;
  }

  note({ step, failure }: UpkeepReport): void {
    this.#leadsSince ??= performance.now();
    const state = this.#states.get(step) ?? { succeededAt: null, failures: 0, failure: null };
    this.#states.set(
      step,
      failure === null
        ? { succeededAt: performance.now(), failures: 0, failure: null }
        : { ...state, failures: state.failures + 1, failure: messageOf(failure).slice(0, MAX_FAILURE) },
    );
  }

  #tick(): void {
    if (!this.#options.leads()) {
      this.#forget();
      return;
    }
    this.#storing ??= this.store()
      .catch((error: unknown) =>
        this.#options.log.debug({ err: error }, "how the upkeep fares could not be stored"),
      )
      .finally(() => {
        this.#storing = null;
      });
  }

  /** Another node reports from now on. */
  #forget(): void {
    this.#leadsSince = null;
    this.#states.clear();
    this.#overdue.clear();
  }

  /** Runs every ten seconds while this node leads. Throws errors of the database. */
  async store(): Promise<void> {
    const { db, steps, onOverdue } = this.#options;
    this.#leadsSince ??= performance.now();
    const leadsMs = performance.now() - this.#leadsSince;
    const rows = steps.map(({ name, everyMs }) => this.#rowOf(name, everyMs));
    const stored = await storeSteps(db, rows, leadsMs);
    onOverdue(stored.filter(({ isOverdue: is }) => is).length);
    for (const step of stored) this.#tell(step);
  }

  #rowOf(step: string, everyMs: number): StepState {
    const { succeededAt = null, failures = 0, failure = null } = this.#states.get(step) ?? {};
    const succeededMsAgo = succeededAt === null ? null : performance.now() - succeededAt;
    return { step, everyMs, succeededMsAgo, failures, failure };
  }

  #tell({ step, isOverdue: is, ...facts }: StoredStep): void {
    if (is === this.#overdue.has(step)) return;
    const { log } = this.#options;
    if (is) {
      this.#overdue.add(step);
      log.error({ step, ...facts }, "a step of the upkeep has not succeeded for several of its periods");
    } else {
      this.#overdue.delete(step);
      log.info({ step }, "a step of the upkeep succeeds again");
    }
  }
}
