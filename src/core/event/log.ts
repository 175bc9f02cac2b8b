import { type Queryable, sql } from "../../database/database.ts";
import { EVENT_LOG_LOCK } from "../../database/locks.ts";
import { jsonRows } from "../json-rows.ts";
import { ALL_CREATION_KINDS } from "../payload/creation-kinds.ts";
import type { Event } from "../payload/event.ts";
import { aboutOf, LIVE } from "./about.ts";

// Sorted keys: otherwise two transactions that publish for the same accounts could deadlock.
const LOCK = sql(
  "events_lock",
  `select pg_advisory_xact_lock(${EVENT_LOG_LOCK}, id) from unnest($1::integer[]) as id`,
);

const CREATIONS = `array[${ALL_CREATION_KINDS.map((kind) => `'${kind}'`).join(", ")}]`;

const INSERT = sql(
  "events_insert",
  `with input as (
     select row_number() over () as ord, r.* from json_to_recordset($1::json) as r(
       account_id bigint, kind text, channel_id uuid, chat uuid, subject text, body json, about text)
   ), added as (
     insert into events (account_id, kind, channel_id, chat, subject, body, receivers)
     select account_id, kind, channel_id, chat, subject, body::text, r.cursors from input i cross join lateral (
       select array_agg(case when i.kind = any(${CREATIONS}) then e.creation_lane else e.id end) as cursors
       from webhook_endpoints e where e.account_id = any(array[i.account_id]) and i.kind = any(e.kinds)) r
     where r.cursors is not null order by ord
     returning account_id, kind
   ), followed as (
     insert into events (account_id, kind, channel_id, chat, subject, body)
     select account_id, '${LIVE}', channel_id, chat, subject, about from (
       select distinct on (account_id, about, subject) * from input where about is not null
       order by account_id, about, subject, ord) i
     where exists (select 1 from live_accounts l where l.account_id = any(array[i.account_id]) and l.until > now())
     order by ord
     returning account_id, kind
   )
   select account_id, kind from added union select account_id, kind from followed`,
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
 * page follows are skipped; the others are stored with the cursors of their receivers. Ids are drawn under a lock that is held until commit, so the ids of an account grow in commit
 * order and a reader at a position has missed no earlier event. Returns the kinds that were appended.
 */
export async function appendEvents(tx: Queryable, events: readonly Event[]): Promise<readonly Published[]> {
  if (events.length === 0) return [];
  const [, rows] = await Promise.all([
    lockLogs(
      tx,
      events.map(({ accountId }) => accountId),
    ),
    tx.query<{ account_id: number; kind: string }>(INSERT, [jsonRows(events.map(eventRow))]),
  ]);
  return rows.map(({ account_id: accountId, kind }) => ({ accountId, kind }));
}

/** Events of this kind were appended to the account's log. */
export interface Published {
  readonly accountId: number;
  readonly kind: string;
}

function eventRow(event: Event): object {
  return {
    account_id: event.accountId,
    kind: event.kind,
    channel_id: event.channelId,
    chat: event.chat,
    subject: event.subject,
    body: event.body,
    about: aboutOf(event),
  };
}
