import { type Queryable, sql } from "../../database/database.ts";
import { EVENT_LOG_LOCK } from "../../database/locks.ts";
import { jsonValue, storable } from "../json-rows.ts";
import { ALL_CREATION_KINDS } from "../payload/creation-kinds.ts";
import type { Event } from "../payload/event.ts";
import { aboutOf } from "./about.ts";
import { type HandedEvents, handedEvents, type LogReaders, type Offer } from "./log-readers.ts";

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

// See the migration `handed_events`: the same for one account with readers.
const APPEND_FOR = sql(
  "events_append_for",
  `select kind, id, seconds, previous, current from append_events_for(
     $1::text[], $2::bigint, $3::text[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bigint)`,
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
 * event. Returns the kinds that were appended. If all events are of one account that has `readers` in this node, the
 * result also contains the events for them.
 */
export async function appendEvents(
  tx: Queryable,
  events: readonly Event[],
  readers?: LogReaders,
): Promise<readonly Published[]> {
  const [first] = events;
  if (first === undefined) return [];
  const { accountId } = first;
  const offer = events.every((event) => event.accountId === accountId) ? readers?.offerOf(accountId) : null;
  const { kinds, subjects, bodies, abouts } = eventColumns(events);
  const columns = [
    kinds,
    events.map(({ channelId }) => channelId),
    events.map(({ chat }) => chat),
    subjects,
    bodies,
    abouts,
  ];
  if (offer) return appendFor(tx, { events, columns, bodies, accountId, offer });
  const accountIds = events.map((event) => event.accountId);
  const rows = await tx.query<{ account_id: number; kind: string }>(APPEND, [
    ALL_CREATION_KINDS,
    accountIds,
    ...columns,
  ]);
  return rows.map(({ account_id, kind }) => ({ accountId: account_id, kind }));
}

interface Appending {
  readonly events: readonly Event[];
  readonly columns: readonly unknown[];
  readonly bodies: readonly string[];
  readonly accountId: number;
  readonly offer: Offer;
}

async function appendFor(
  tx: Queryable,
  { events, columns, bodies, accountId, offer }: Appending,
): Promise<readonly Published[]> {
  const values = [ALL_CREATION_KINDS, accountId, ...columns, offer.readers, offer.since];
  const rows = await tx.query<AppendedRow>(APPEND_FOR, values);
  const [first] = rows;
  if (first === undefined) return [];
  const kinds = rows.map(({ kind }) => kind);
  const stored = events.map((event, place) => ({ ...event, body: bodies[place] ?? "" }));
  const handed = handedEvents(offer, stored, { ...first, kinds, ids: rows.map(({ id }) => id) });
  return publishedOf(accountId, kinds, handed);
}

interface AppendedRow {
  readonly kind: string;
  readonly id: number;
  readonly seconds: number;
  readonly previous: number;
  readonly current: readonly string[];
}

/** Events of these kinds of one account were appended. Pure. */
export function publishedOf(
  accountId: number,
  kinds: readonly string[],
  handed: HandedEvents | null,
): readonly Published[] {
  return [...new Set(kinds)].map((kind) =>
    handed === null ? { accountId, kind } : { accountId, kind, handed },
  );
}

/** Events of this kind were appended to the account's log. */
export interface Published {
  readonly accountId: number;
  readonly kind: string;
  /** All the events of the account, if its readers were asked. */
  readonly handed?: HandedEvents | null;
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
