import { type Queryable, sql, type Transaction } from "../../database/database.ts";
import { jsonRows } from "../json-rows.ts";
import { ALL_CREATION_KINDS } from "./creation-payloads.ts";

/** Something a receiver is to be told. `kind` is the key in the v3 body, or the name of a v2 event. */
export interface Event {
  readonly accountId: number;
  readonly kind: string;
  readonly channelId: string | null;
  /** What keeps its order at each receiver: the chat, or the channel for what concerns the channel itself. */
  readonly chat: string;
  /** What it is about (message id, channel id), for the delivery log. */
  readonly subject: string;
  /** The item as the receiver gets it. */
  readonly body: object;
}

const CREATIONS = ALL_CREATION_KINDS.map((kind) => `'${kind}'`).join(", ");

/**
 * Part of a statement: the receiver's lane for an event, from `webhook_endpoints e`. What the CRM answers with an
 * entity has one of its own, so that nothing else waits for the CRM to create it.
 */
const laneFor = (kind: string): string =>
  `case when ${kind} in (${CREATIONS}) then e.creation_lane else e.id end`;

// A lane that somebody works on, or that rests, is locked but not written: one that is written for each event leaves
// a dead row each time, and all of them are in everybody's way for as long as a backup or an export runs.
const WAKE_LANES = sql(
  "events_wake_lanes",
  `insert into webhook_lanes (id, account_id, endpoint_id, due)
   select distinct ${laneFor("k.kind")} as lane, e.account_id, e.id,
     case when e.paused_at is null then now() else 'infinity' end as due
   from json_to_recordset($1::json) as k(account_id bigint, kind text)
   join webhook_endpoints e on e.account_id = any(array[k.account_id]) and k.kind = any(e.kinds)
   order by lane
   on conflict (id) do update set due = least(webhook_lanes.due, excluded.due)
   where webhook_lanes.claim is null and excluded.due < 'infinity'
     and (webhook_lanes.due = 'infinity' or webhook_lanes.due <= now())
   returning due <= now() as is_due`,
);

const INSERT_EVENTS = sql(
  "events_insert",
  `with input as (
     select row_number() over () as ord, r.* from json_to_recordset($1::json) as r(
       account_id bigint, kind text, channel_id uuid, chat uuid, subject text, body json)
   ), added as (
     insert into events (account_id, kind, channel_id, chat, subject, body)
     select account_id, kind, channel_id, chat, subject, body::text from input i
     where exists (select 1 from webhook_endpoints e where e.account_id = any(array[i.account_id]) and i.kind = any(e.kinds))
     order by ord
     returning account_id, id, kind
   )
   insert into webhook_queue (lane, event_id, account_id, endpoint_id)
   select ${laneFor("a.kind")}, a.id, a.account_id, e.id
   from added a join webhook_endpoints e on e.account_id = any(array[a.account_id]) and a.kind = any(e.kinds)`,
);

/**
 * Puts events into the outbox of every receiver that takes them, in the caller's transaction. The receivers' lanes
 * are locked first, and until commit: event ids of one receiver therefore grow in the order of the commits, which
 * is what keeps its queue in order. Those of a paused receiver gather without being due. Call it last in a
 * transaction. Returns whether a lane waits to be taken: whoever works on one finds what was added.
 */
export async function publish(tx: Queryable, events: readonly Event[]): Promise<boolean> {
  if (events.length === 0) return false;
  const kinds = new Map(
    events.map(({ accountId, kind }) => [`${accountId} ${kind}`, { account_id: accountId, kind }]),
  );
  const [lanes] = await Promise.all([
    tx.query<{ is_due: boolean }>(WAKE_LANES, [jsonRows([...kinds.values()])]),
    tx.query(INSERT_EVENTS, [jsonRows(events.map(eventRow))]),
  ]);
  return lanes.some(({ is_due: isDue }) => isDue);
}

/** The same, and commits at once: the lanes stay locked no longer than the server needs. */
export function publishAndCommit(tx: Transaction, events: readonly Event[]): Promise<boolean> {
  const published = publish(tx, events);
  tx.commitNow();
  return published;
}

function eventRow(event: Event): object {
  return {
    account_id: event.accountId,
    kind: event.kind,
    channel_id: event.channelId,
    chat: event.chat,
    subject: event.subject,
    body: event.body,
  };
}
