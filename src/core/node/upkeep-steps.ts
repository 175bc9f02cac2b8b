import { type Queryable, sql } from "../../database/database.ts";

/**
 * Part of a statement: whether a row of `upkeep_steps` is overdue: it has missed five runs, and at least a minute has
 * passed.
 */
export const isOverdue = (s: string): string =>
  `greatest(${s}.succeeded_at, ${s}.since) < now() - greatest(5 * ${s}.every_ms, 60000) * interval '1 millisecond'`;

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

/** The state of a step under the present leader. */
export interface StepState {
  readonly step: string;
  /** The interval between two runs. */
  readonly everyMs: number;
  /** Time since its last success; null if it has not succeeded yet. */
  readonly succeededMsAgo: number | null;
  /** Failures since then, and the last of them. */
  readonly failures: number;
  readonly failure: string | null;
}

export interface StoredStep {
  readonly step: string;
  readonly failures: number;
  readonly failure: string | null;
  /** Under any leader. */
  readonly succeededAt: Date | null;
  readonly isOverdue: boolean;
}

/** Replaces the states of all steps. `leadsMs`: how long the present leader has led. Returns what was stored. */
export function storeSteps(
  db: Queryable,
  steps: readonly StepState[],
  leadsMs: number,
): Promise<StoredStep[]> {
  const rows = steps.map(({ everyMs, succeededMsAgo, ...step }) => ({
    ...step,
    every_ms: everyMs,
    succeeded_ms: succeededMsAgo,
  }));
  return db.query<StoredStep>(STORE, [JSON.stringify(rows), leadsMs]);
}
