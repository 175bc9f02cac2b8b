import { type Queryable, sql } from "../../database/database.ts";
import { EVENT_LOG_LOCK } from "../../database/locks.ts";
import { jsonValue, storable } from "../json-rows.ts";
import { ALL_CREATION_KINDS } from "../payload/creation-kinds.ts";
import type { Event } from "../payload/event.ts";
import { aboutOf } from "./about.ts";

// Sorted keys: otherwise two transactions that publish for the same accounts could deadlock.
const LOCK = sql(
  "events_lock",
  `select pg_advisory_xact_lock(${EVENT_LOG_LOCK}, id) from unnest($1::integer[]) as id`,
);

// See the migration `publishing`: the function takes the locks of `events_lock`, then inserts.
const APPEND = sql(
  "events_append",
  `select account_id, kind from append_events(
     $1::text[], $2::bigint[], $3::text[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[])`,
);

/**
 * Locks the logs of these accounts until the transaction ends: waits for transactions that publish to them and blocks
 * later ones. Statements after this see every earlier event.
 */
export async function lockLogs(tx: Queryable, accountIds: readonly number[]): Promise<void> {
  await tx.query(LOCK, [[...new Set(accountIds)].toSorted((a, b) => a - b)]);
}

/**
 * Appends events to the logs of their accounts, in the caller's transaction. Events that no receiver subscribes to and no
 * page follows are skipped; the others are stored with the cursors of their receivers. Ids are drawn under a lock that
 * is held until commit, so the ids of an account grow in commit order and a reader at a position has missed no earlier
 * event. Returns the kinds that were appended.
 */
export async function appendEvents(tx: Queryable, events: readonly Event[]): Promise<readonly Published[]> {
  if (events.length === 0) return [];
  const { kinds, subjects, bodies, abouts } = eventColumns(events);
  const rows = await tx.query<{ account_id: number; kind: string }>(APPEND, [
    ALL_CREATION_KINDS,
    events.map(({ accountId }) => accountId),
    kinds,
    events.map(({ channelId }) => channelId),
    events.map(({ chat }) => chat),
    subjects,
    bodies,
    abouts,
  ]);
  return rows.map(({ account_id: accountId, kind }) => ({ accountId, kind }));
}

/** Events of this kind were appended to the account's log. */
export interface Published {
  readonly accountId: number;
  readonly kind: string;
}

/** The texts of events, as `append_events` takes them: one array for each column. Pure. */
export function eventColumns(events: readonly Event[]) {
  return {
    kinds: events.map(({ kind }) => kind),
    subjects: events.map(({ subject }) => storable(subject)),
    bodies: events.map(({ body }) => jsonValue(body)),
    abouts: events.map(aboutOf),
  };
}
