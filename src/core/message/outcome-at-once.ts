import { ConnectionLost, DatabaseUnavailable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { eventColumns, type Published, publishedOf } from "../event/log.ts";
import { type HasLogReaders, handedEvents, type Taken } from "../event/log-readers.ts";
import { toEvents } from "../event/publish.ts";
import { ALL_CREATION_KINDS } from "../payload/creation-kinds.ts";
import { valuesOf } from "../row-statement.ts";
import { OUTCOME_COLUMNS, type SendOutcome, statusOf } from "./outcome.ts";

// See the migration `handed_events`.
const RECORD = sql(
  "message_outcome_at_once",
  `select kinds, found_chat as chat, ids, seconds, previous, current from record_outcome_for(
     $1::bigint, $2::bigint, $3::uuid, $4::uuid, $5::uuid, $6::text, $7::text, $8::timestamptz,
     $9::jsonb, $10::timestamptz, $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::bigint)`,
);

interface Recorded extends Taken {
  readonly chat: string;
}
/** `kinds` null: nothing was stored. `ids` null: no reader was asked, or no event has a receiver. */
type RecordRow = Recorded | { readonly kinds: readonly string[] | null; readonly ids: null };

/**
 * Stores the outcome of a send and publishes its status, in one statement. Like `recordOutcomes`, a repetition changes
 * nothing and publishes nothing. Null: nothing is stored, and `recordOutcomes` is needed, because more than a status has
 * to be published, or because the database refused the statement.
 */
export async function recordOutcomeAtOnce(
  { db, clock, logReaders }: Pick<Base, "clock" | "db"> & HasLogReaders,
  outcome: SendOutcome,
): Promise<readonly Published[] | null> {
  if (outcome.isFromApp === true) return null;
  const at = clock.now();
  const { accountId } = outcome;
  const events = toEvents({ kind: "status", status: statusOf(outcome, at) });
  const { kinds, bodies, abouts } = eventColumns(events);
  const offer = logReaders.offerOf(accountId);
  const values = [
    ...valuesOf(OUTCOME_COLUMNS, [{ ...outcome, at }]),
    ALL_CREATION_KINDS,
    kinds,
    bodies,
    abouts,
    offer?.readers ?? [],
    offer?.since ?? 0,
  ];
  try {
    const [row] = await db.query<RecordRow>(RECORD, values);
    if (row === undefined || row.kinds === null) return null;
    if (offer === null || row.ids === null) return publishedOf(accountId, row.kinds, null);
    const stored = events.map((event, place) => ({ ...event, chat: row.chat, body: bodies[place] ?? "" }));
    return publishedOf(accountId, row.kinds, handedEvents(offer, stored, row));
  } catch (error) {
    if (error instanceof ConnectionLost || error instanceof DatabaseUnavailable) throw error;
    return null;
  }
}
