import { ConnectionLost, DatabaseUnavailable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { Published } from "../event/log.ts";
import { columnsOfFacts } from "../event/publish.ts";
import { ALL_CREATION_KINDS } from "../payload/creation-kinds.ts";
import { valuesOf } from "../row-statement.ts";
import { OUTCOME_COLUMNS, type SendOutcome, statusOf } from "./outcome.ts";

// See the migration `publishing`.
const RECORD = sql(
  "message_outcome_at_once",
  `select record_outcome($1::bigint, $2::bigint, $3::uuid, $4::uuid, $5::uuid, $6::text, $7::text, $8::timestamptz,
     $9::jsonb, $10::timestamptz, $11::text[], $12::text[], $13::text[], $14::text[]) as kinds`,
);

/**
 * Stores the outcome of a send and publishes its status, in one statement. Like `recordOutcomes`, a repetition changes
 * nothing and publishes nothing. Null: nothing is stored, and `recordOutcomes` is needed, because more than a status has
 * to be published, or because the database refused the statement.
 */
export async function recordOutcomeAtOnce(
  { db, clock }: Pick<Base, "clock" | "db">,
  outcome: SendOutcome,
): Promise<readonly Published[] | null> {
  if (outcome.isFromApp === true) return null;
  const at = clock.now();
  const { kinds, bodies, abouts } = columnsOfFacts([{ kind: "status", status: statusOf(outcome, at) }]);
  const values = [
    ...valuesOf(OUTCOME_COLUMNS, [{ ...outcome, at }]),
    ALL_CREATION_KINDS,
    kinds,
    bodies,
    abouts,
  ];
  try {
    const [row] = await db.query<{ kinds: string[] | null }>(RECORD, values);
    const { accountId } = outcome;
    return row?.kinds?.map((kind) => ({ accountId, kind })) ?? null;
  } catch (error) {
    if (error instanceof ConnectionLost || error instanceof DatabaseUnavailable) throw error;
    return null;
  }
}
