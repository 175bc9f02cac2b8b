import { type Queryable, sql } from "../../../database/database.ts";
import { derivedId } from "../../../platform/ids.ts";
import { type Attempt, attemptValues, insertAttempt } from "../request/attempts.ts";
import { type Cursor, OURS } from "./cursors.ts";
import type { QueuedEvent } from "./events.ts";

/** Which events of the log a receiver has: all up to `position`, and the later ones in `taken`, in order. */
export interface Progress {
  readonly position: number;
  readonly taken: readonly number[];
}

/** Parameters 1 to 3 name the claim; 4 and 5 are the progress. */
const moved = (changes: string): string => `
  moved as (
    update webhook_cursors set position = $4, taken = $5, ${changes}
    where ${OURS} returning id)`;
/** The batch under way has ended, and so has the series of failures. */
const SETTLED = "batch_to = null, attempts = 0, first_failed_at = null";

const ACKNOWLEDGED = `attempts = 0, first_failed_at = null,
      batch_to = case when $22 then batch_to end, batch_limit = case when $22 then batch_limit else $6 end`;

const ACKNOWLEDGE = sql(
  "webhook_cursor_acknowledge",
  `with relaxed as materialized (select set_config('synchronous_commit', 'off', true) where $21), ${moved(ACKNOWLEDGED)},
   -- The claim was lost, by a pause say: the receiver has them all the same.
   late as (
     update webhook_cursors set taken = array(
       select distinct n from unnest(taken || $7::bigint[]) n where n > position order by n)
     where id = $1 and claim is null),
   gone as (delete from webhook_kept where cursor_id = $1 and event_id = any($7))
   ${insertAttempt(7)} returning exists (select from moved) as ours, (select count(*) from relaxed) as relaxed`,
);

export interface Acknowledgement {
  readonly attempt: Attempt;
  readonly progress: Progress;
  /** The limit under which a node that claims the cursor after a crash composes the next batch. */
  readonly batchLimit: number;
  /**
   * The commit may be asynchronous: if the server crashes right afterwards, the batch is sent again under the same
   * id. Never set it in a transaction that stores anything else.
   */
  readonly isRepeatable?: boolean;
  /**
   * Acknowledgements of other batches of the same round follow: the stored end and limit stay, so that a node that
   * claims the cursor after a crash composes these batches again. `batchLimit` then has no effect.
   */
  readonly keepsRound?: boolean;
}

/**
 * Records that the receiver has the batch: moves its position and logs the attempt. False: another node has the
 * cursor by now.
 */
export async function acknowledge(
  db: Queryable,
  cursor: Cursor,
  { attempt, progress, batchLimit, isRepeatable = false, keepsRound = false }: Acknowledgement,
): Promise<boolean> {
  const values = [
    ...claimOf(cursor),
    ...valuesOf(progress),
    batchLimit,
    ...attemptValues(cursor, attempt),
    isRepeatable,
    keepsRound,
  ];
  const [row] = await db.query<{ ours: boolean }>(ACKNOWLEDGE, values);
  return row?.ours === true;
}

const GONE =
  "gone as (delete from webhook_kept where cursor_id = $1 and event_id = any($6) and exists (select from moved))";

const pass = (changes: string): string => `with ${moved(changes)}, ${GONE} select id from moved`;
const PASS = sql("webhook_cursor_pass", pass(SETTLED));
const PASS_LATER = sql("webhook_cursor_pass_later", pass("batch_to = null"));

/** Events that are skipped. `isLater`: the event before them is refused, and its series of failures continues. */
export interface Passing {
  readonly ids: readonly number[];
  readonly progress: Progress;
  readonly isLater?: boolean;
}

/** Skips events that the receiver no longer needs. False: another node has the cursor by now. */
export async function passEvents(
  db: Queryable,
  cursor: Cursor,
  { ids, progress, isLater = false }: Passing,
): Promise<boolean> {
  const values = [...claimOf(cursor), ...valuesOf(progress), ids];
  return (await db.query(isLater ? PASS_LATER : PASS, values)).length > 0;
}

const EVENT = "account_id, kind, channel_id, chat, subject, body, created_at";
/** The cursor's events with the ids of parameter 6, from the log or the kept ones; 7 and 8 are account and last id. */
const SOURCE = `
  source as (
    select event_id, ${EVENT} from webhook_kept
    where cursor_id = $1 and event_id = any($6) and exists (select from moved)
    union all
    select id, ${EVENT} from events
    where account_id = $7 and id = any($6) and id <= $8 and exists (select from moved))`;

const PARK = sql(
  "webhook_cursor_park",
  `with ${moved(SETTLED)}, ${SOURCE}, ${GONE},
   parked as (
     insert into webhook_parked (endpoint_id, reason, event_id, ${EVENT})
     select $9::uuid, $10, event_id, ${EVENT} from source on conflict do nothing)
   select id from moved`,
);

/**
 * Parks events after the end of the schedule; they can be replayed. False: another node has the cursor by now, and
 * nothing changed.
 */
export async function parkEvents(
  tx: Queryable,
  cursor: Cursor,
  {
    events,
    progress,
    reason,
  }: { readonly events: readonly QueuedEvent[]; readonly progress: Progress; readonly reason: string },
): Promise<boolean> {
  const values = [...sourceValues(cursor, events, progress), cursor.endpointId, reason];
  return (await tx.query(PARK, values)).length > 0;
}

const setApart = (changes: string): string =>
  `with ${moved(changes)}, ${SOURCE}, ${GONE},
   apart as (
     insert into webhook_cursors as c (id, account_id, endpoint_id, chat, position, due, attempts, first_failed_at, batch_limit)
     select $9, $7, $10, $11, 0, now() + $12 * interval '1 millisecond', 1, now(), 1 from moved
     on conflict (id) do update set due = excluded.due, attempts = 1, first_failed_at = excluded.first_failed_at
     where c.claim is null and (select true from webhook_kept where cursor_id = any(array[c.id]) limit 1) is null),
   kept as (
     insert into webhook_kept (cursor_id, event_id, ${EVENT})
     select $9, event_id, ${EVENT} from source on conflict do nothing)
   select id from moved`;

const SET_APART = sql("webhook_cursor_set_apart", setApart(SETTLED));

/**
 * Diverts refused events of one chat to a cursor of their own; a new cursor first rests for `pauseMs`. A refused item
 * then holds back only its chat, whose later events follow it. False: another node has the cursor by now, and nothing
 * changed.
 */
export async function divertEvents(tx: Queryable, cursor: Cursor, diversion: Diversion): Promise<boolean> {
  return (await tx.query(SET_APART, diversionValues(cursor, diversion, diversion.pauseMs))).length > 0;
}

const FOLLOW = sql("webhook_cursor_follow", setApart("batch_to = null"));

/**
 * Diverts events behind the diverted ones of their chat. They were not sent, so this does not end the cursor's series
 * of failures; the stored end of its batch is removed. False: as with `divertEvents`.
 */
export async function followDiverted(
  tx: Queryable,
  cursor: Cursor,
  followers: Omit<Diversion, "pauseMs">,
): Promise<boolean> {
  return (await tx.query(FOLLOW, diversionValues(cursor, followers, 0))).length > 0;
}

export interface Diversion {
  readonly chat: string;
  readonly events: readonly QueuedEvent[];
  readonly progress: Progress;
  readonly pauseMs: number;
}

function diversionValues(
  cursor: Cursor,
  { chat, events, progress }: Omit<Diversion, "pauseMs">,
  pauseMs: number,
): unknown[] {
  const { endpointId } = cursor;
  const id = derivedId("webhook-chat", endpointId, chat);
  return [...sourceValues(cursor, events, progress), id, endpointId, chat, pauseMs];
}

function sourceValues(cursor: Cursor, events: readonly QueuedEvent[], progress: Progress): unknown[] {
  const ids = events.map(({ id }) => id);
  return [...claimOf(cursor), ...valuesOf(progress), ids, cursor.accountId, Math.max(...ids)];
}

function claimOf({ id, nodeId, claimVersion }: Cursor): unknown[] {
  return [id, nodeId, claimVersion];
}

function valuesOf({ position, taken }: Progress): unknown[] {
  return [position, taken];
}
