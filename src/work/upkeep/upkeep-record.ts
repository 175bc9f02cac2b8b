import { isOverdue } from "../../core/console/attention.ts";
import { type Database, sql } from "../../database/database.ts";
import type { Log } from "../../platform/log.ts";
import { messageOf } from "../../platform/message-of.ts";
import type { UpkeepReport } from "./upkeep.ts";

const STORE = sql(
  "upkeep_steps_store",
  `with input as materialized (
     select * from json_to_recordset($1::json) as r(
       step text, every_ms int, succeeded_ms float8, failures int, failure text)
   ), gone as (
     delete from upkeep_steps where step <> all(array(select step from input)))
   insert into upkeep_steps as s (step, every_ms, since, succeeded_at, failures, failure)
   select step, every_ms, now() - $2::float8 * interval '1 millisecond', now() - succeeded_ms * interval '1 millisecond',
          failures, failure from input order by step
   on conflict (step) do update set every_ms = excluded.every_ms, since = excluded.since,
     succeeded_at = greatest(s.succeeded_at, excluded.succeeded_at),
     failures = excluded.failures, failure = excluded.failure
   returning step, failures, failure, succeeded_at as "succeededAt", ${isOverdue("s")} as "isOverdue"`,
);

const STORE_EVERY_MS = 10_000;
const MAX_FAILURE = 500;

interface StoredStep {
  readonly step: string;
  readonly failures: number;
  readonly failure: string | null;
  readonly succeededAt: Date | null;
  readonly isOverdue: boolean;
}

interface StepState {
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
  readonly #states = new Map<string, StepState>();
  readonly #overdue = new Set<string>();
  #leadsSince: number | null = null;
  #storing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: UpkeepRecordOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), STORE_EVERY_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
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
    const stored = await db.query<StoredStep>(STORE, [JSON.stringify(rows), leadsMs]);
    onOverdue(stored.filter(({ isOverdue: is }) => is).length);
    for (const step of stored) this.#tell(step);
  }

  #rowOf(step: string, everyMs: number): object {
    const { succeededAt = null, failures = 0, failure = null } = this.#states.get(step) ?? {};
    const succeededMs = succeededAt === null ? null : performance.now() - succeededAt;
    return { step, every_ms: everyMs, succeeded_ms: succeededMs, failures, failure };
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
