import { type Database, type Queryable, sql } from "../../database/database.ts";
import { derivedId } from "../../platform/ids.ts";
import { type Attempt, attemptValues, insertAttempt } from "./attempts.ts";
import { PACKED_EVENTS, type PackedEvents, type QueuedEvent, unpackEvents } from "./events.ts";
import { IS_LOCKED, lockedLanes } from "./lane-locks.ts";
import { ADDRESS_COLUMNS, type Address, type AddressRow, addressOf } from "./request.ts";

/** A receiver's queue, claimed by a node; `chat` is set for one that was split off around a refused item. */
export interface WebhookLane extends Address {
  readonly id: string;
  readonly nodeId: string;
  /** Number of this claim: a statement of an earlier one, late on a broken connection, changes nothing. */
  readonly turn: number;
  readonly chat: string | null;
  /** Nothing is left in the queue up to this event. */
  readonly doneTo: number;
  /** The batch under way goes no further than this event: a repeat sends exactly that batch again. */
  readonly batchTo: number | null;
  readonly attempts: number;
  readonly firstFailedAt: Date | null;
  readonly batchLimit: number;
  /** Most events in one request; null: as the installation's setting says. */
  readonly maxItems: number | null;
  /** Most requests under way at a time. */
  readonly concurrency: number;
  /** The receiver has taken nothing since its last failure. */
  readonly failing: boolean;
  /** Which version of the receiver's row the claim saw. */
  readonly version: string;
}

const CLAIM = sql(
  "webhook_lanes_claim",
  `with due as (
     select id from webhook_lanes where due <= now() and account_id <> all($4::bigint[])
     order by due limit $2 for update skip locked
   )
   update webhook_lanes l set claim = case when e.paused_at is null then $1::uuid end, turn = l.turn + 1,
     batch_to = case when l.batch_to > l.done_to then l.batch_to else (select max(q.event_id) from (
       select event_id from webhook_queue where lane = l.id and event_id > l.done_to
       order by lane, event_id limit coalesce(e.max_items, $3)) q) end,
     due = case when e.paused_at is null then 'infinity' else now() + interval '1 minute' end
   from due, webhook_endpoints e
   where l.id = any(array[due.id]) and e.account_id = any(array[l.account_id]) and e.id = any(array[l.endpoint_id])
   returning l.id, l.turn, l.chat, l.done_to, l.batch_to, l.attempts, l.first_failed_at, l.batch_limit,
             e.max_items, e.concurrency, e.failing_since is not null as failing, e.paused_at is not null as paused,
             e.xmin::text as version, ${ADDRESS_COLUMNS}`,
);

export interface ClaimOptions {
  readonly limit: number;
  readonly maxItems: number;
  /** Accounts whose lanes are left where they are. */
  readonly without?: readonly number[];
}

/**
 * Takes up to `limit` due lanes for this node and fixes the first batch of each, at most `maxItems` events where the
 * receiver has no limit of its own. A lane that became due although its receiver is paused rests a while.
 */
export async function claimWebhookLanes(
  db: Queryable,
  nodeId: string,
  { limit, maxItems, without = [] }: ClaimOptions,
): Promise<WebhookLane[]> {
  const rows = await db.query<LaneRow>(CLAIM, [nodeId, limit, maxItems, without]);
  return rows.filter(({ paused }) => !paused).map((row) => laneOf(row, nodeId));
}

interface LaneRow extends AddressRow {
  readonly id: string;
  readonly turn: number;
  readonly chat: string | null;
  readonly done_to: number;
  readonly batch_to: number | null;
  readonly attempts: number;
  readonly first_failed_at: Date | null;
  readonly batch_limit: number;
  readonly max_items: number | null;
  readonly concurrency: number;
  readonly failing: boolean;
  readonly paused: boolean;
  readonly version: string;
}

function laneOf(row: LaneRow, nodeId: string): WebhookLane {
  const { id, turn, chat, attempts, concurrency, failing, version } = row;
  return {
    ...addressOf(row),
    id,
    nodeId,
    turn,
    chat,
    attempts,
    concurrency,
    failing,
    version,
    doneTo: row.done_to,
    batchTo: row.batch_to,
    firstFailedAt: row.first_failed_at,
    batchLimit: row.batch_limit,
    maxItems: row.max_items,
  };
}

/**
 * `fixing` stores where the queue begins and ends, when what is read is all of it. The length of a body is known without
 * its text, which lies elsewhere when it is long: what is left out for its size is not read.
 */
const readStatement = (fixing: string, answer: string): string => `
  with mine as materialized (
    select q.account_id, q.event_id from webhook_queue q
    where q.lane = $1 and q.event_id > $4 and q.event_id <= coalesce($2, 9223372036854775807)
    order by q.lane, q.event_id limit $3
  ), sized as (
    select e.*, sum(octet_length(e.body)) over (order by e.id rows unbounded preceding) as bytes from events e
    where e.account_id = (select account_id from mine limit 1) and e.id = any(array(select event_id from mine))
  ), fitting as (
    select * from sized where bytes <= $8 or bytes = octet_length(body) order by id
  )${fixing}
  select ${PACKED_EVENTS}, case when $5 then array(
    select l.chat from webhook_lanes l
    where l.endpoint_id = $6 and l.chat is not null and (select true from webhook_queue where lane = l.id limit 1)
  ) else '{}' end as apart, (select count(*) from mine) as found, ${answer} as fixed_to,
  (select r.xmin::text from webhook_endpoints r where r.account_id = any(array[$7::bigint]) and r.id = any(array[$6])) as version
  from fitting e`;

const READ = sql("webhook_queue_read", readStatement("", "null::bigint"));

const READ_AND_FIX = sql(
  "webhook_queue_read_and_fix",
  readStatement(
    `, fixed as (
    update webhook_lanes set batch_to = m.event_id, done_to = $4
    from (select max(event_id) as event_id, count(*) as events from mine) m
    where id = $1 and claim is not distinct from $9 and turn = $10 and m.events between 1 and $3 - 1
      and m.events = (select count(*) from fitting)
    returning batch_to
  )`,
    "(select batch_to from fixed)",
  ),
);

/** The beginning of a queue. */
export interface QueueHead {
  readonly events: readonly QueuedEvent[];
  /** Chats that were split off around a refused item: events of theirs in the main lane have to follow them. */
  readonly apart: readonly string[];
  /** The queue may go on behind them. */
  readonly hasMore: boolean;
  /** Stored as the end of the batch; null: nothing was. */
  readonly fixedTo: number | null;
  /** False: the receiver was changed, or removed, since the lane was claimed. */
  readonly isCurrent: boolean;
}

/**
 * The next events of a lane in order, behind `after` and at most up to `to`: at most `limit`, whose bodies have at most
 * `maxBytes` together; the first in any case. With `fix`, where there are no more than these they are the batch about to
 * be sent, as after `markBatch`; then nothing may be left up to `after`.
 */
export async function readEvents(
  db: Queryable,
  lane: WebhookLane,
  { limit, maxBytes, to = null, after, fix = false }: ReadOptions,
): Promise<QueueHead> {
  const { id, chat, endpointId, accountId } = lane;
  const values = [id, to, limit, after, chat === null, endpointId, accountId, maxBytes];
  const [row] = fix
    ? await db.query<HeadRow>(READ_AND_FIX, [...values, lane.nodeId, lane.turn])
    : await db.query<HeadRow>(READ, values);
  if (row === undefined) return { events: [], apart: [], hasMore: false, fixedTo: null, isCurrent: true };
  const { apart, found, fixed_to: fixedTo, version } = row;
  const events = unpackEvents(row);
  const hasMore = found === limit || events.length < found;
  return { events, apart, hasMore, fixedTo, isCurrent: version === lane.version };
}

interface ReadOptions {
  readonly limit: number;
  readonly maxBytes: number;
  readonly to?: number | null;
  readonly after: number;
  readonly fix?: boolean;
}

interface HeadRow extends PackedEvents {
  readonly apart: readonly string[];
  /** Events looked at, those that did not fit included. */
  readonly found: number;
  readonly fixed_to: number | null;
  readonly version: string | null;
}

const MARK = sql(
  "webhook_lane_mark",
  "update webhook_lanes set batch_to = $4 where id = $1 and claim is not distinct from $2 and turn = $3 returning id",
);

/** Fixes the batch about to be sent. False: another node has the lane by now. */
export async function markBatch(
  db: Queryable,
  { id, nodeId, turn }: WebhookLane,
  batchTo: number,
): Promise<boolean> {
  return (await db.query(MARK, [id, nodeId, turn, batchTo])).length > 0;
}

// The end of the batch may stay: the next one has its own, or `done_to` passes it. So the lane is written only after a
// failure.
const ACK = sql(
  "webhook_queue_ack",
  `with done as (delete from webhook_queue where lane = $1 and event_id = any($5)),
   lane as (select id, attempts, first_failed_at, batch_limit from webhook_lanes
            where id = $1 and claim is not distinct from $2 and turn = $3 for no key update),
   recovered as (update webhook_lanes l set batch_to = null, attempts = 0, first_failed_at = null, batch_limit = $4
                 from lane where l.id = any(array[lane.id])
                   and (lane.attempts > 0 or lane.first_failed_at is not null or lane.batch_limit <> $4))
   ${insertAttempt(5)} returning exists (select from lane) as ours`,
);

/**
 * The receiver has the batch: takes it from the queue and logs the attempt. False: another node has the lane by now.
 */
export async function acknowledge(
  db: Queryable,
  lane: WebhookLane,
  attempt: Attempt,
  batchLimit: number,
): Promise<boolean> {
  const { id, nodeId, turn } = lane;
  const values = [id, nodeId, turn, batchLimit, ...attemptValues(lane, attempt)];
  const [row] = await db.query<{ ours: boolean }>(ACK, values);
  return row?.ours === true;
}

const DROP = sql(
  "webhook_queue_drop",
  `with lane as (
     update webhook_lanes set batch_to = null, attempts = 0, first_failed_at = null
     where id = $1 and claim is not distinct from $2 and turn = $3 returning id)
   delete from webhook_queue where lane = (select id from lane) and event_id = $4 returning event_id`,
);

/**
 * Takes an event from the queue that the receiver need not get any more. False: another node has the lane by now, or
 * has taken it.
 */
export async function dropEvent(
  db: Queryable,
  { id, nodeId, turn }: WebhookLane,
  eventId: number,
): Promise<boolean> {
  return (await db.query(DROP, [id, nodeId, turn, eventId])).length > 0;
}

const LOCK = sql("webhook_lane_lock", "select 1 from webhook_lanes where id = $1 for update");
const RELEASE = sql(
  "webhook_lane_release",
  `update webhook_lanes l set claim = null, done_to = $4, batch_limit = $5, due = case
     when (select true from webhook_queue where lane = l.id and event_id > $4 limit 1) then now() else 'infinity' end
   where id = $1 and claim is not distinct from $2 and turn = $3 returning due <> 'infinity' as more`,
);

/**
 * Gives a lane back that need not rest, with nothing left up to `doneTo`; returns whether it has more to do. The next
 * turn goes on with `batchLimit`, so that the search for a refused item ends, however long the receiver takes over each
 * half. Whoever publishes keeps the lane locked until its events are there, and does not wake one that is taken: so
 * first the lock, then the look at the queue.
 */
export async function releaseWebhookLane(
  db: Database,
  { id, nodeId, turn }: WebhookLane,
  { doneTo, batchLimit }: { readonly doneTo: number; readonly batchLimit: number },
): Promise<boolean> {
  const [released] = await db.tx(async (tx) => {
    const [, rows] = await Promise.all([
      tx.query(LOCK, [id]),
      tx.query<{ more: boolean }>(RELEASE, [id, nodeId, turn, doneTo, batchLimit]),
    ]);
    return rows;
  });
  return released?.more === true;
}

const POSTPONE = sql(
  "webhook_lane_postpone",
  `update webhook_lanes set claim = null, due = now() + $4 * interval '1 millisecond', attempts = attempts + 1,
     first_failed_at = coalesce(first_failed_at, now()), batch_limit = $5,
     batch_to = case when $6 then batch_to end
   where id = $1 and claim is not distinct from $2 and turn = $3`,
);

/** The lane rests after a failure; with `keepBatch` its repetition is the same batch. */
export async function postponeLane(
  db: Queryable,
  { id, nodeId, turn }: WebhookLane,
  pause: { readonly ms: number; readonly batchLimit: number; readonly keepBatch: boolean },
): Promise<void> {
  await db.query(POSTPONE, [id, nodeId, turn, pause.ms, pause.batchLimit, pause.keepBatch]);
}

const SPLIT_OFF = `
  insert into webhook_lanes (id, account_id, endpoint_id, chat, due, attempts, first_failed_at, batch_limit)
  values ($1, $2, $3, $4, now() + $5 * interval '1 millisecond', 1, now(), 1)
  on conflict (id) do update set
    due = case when webhook_lanes.due = 'infinity' and webhook_lanes.claim is null then excluded.due
               else webhook_lanes.due end,
    first_failed_at = coalesce(webhook_lanes.first_failed_at, now())`;
const MOVE = `
  update webhook_queue q set lane = $1 from events e
  where q.lane = $2 and e.account_id = q.account_id and e.id = q.event_id and e.account_id = $3
    and e.chat is not distinct from $4`;

const HOLD = sql(
  "webhook_lane_hold",
  `select 1 from webhook_lanes where id = $1 and claim is not distinct from $2 and turn = $3 for no key update`,
);

/** Keeps the claim from being taken away until the transaction ends. False: another node has the lane by now. */
async function holdClaim(tx: Queryable, { id, nodeId, turn }: WebhookLane): Promise<boolean> {
  return (await tx.query(HOLD, [id, nodeId, turn])).length > 0;
}

/**
 * A lane of its own for one chat of a receiver, so that a refused item holds back that chat only. False: another node
 * has the lane by now, and nothing changed.
 */
export async function isolateChat(
  tx: Queryable,
  lane: WebhookLane,
  chat: string,
  pauseMs: number,
): Promise<boolean> {
  if (!(await holdClaim(tx, lane))) return false;
  await splitOff(tx, lane, chat, pauseMs);
  return true;
}

async function splitOff(tx: Queryable, lane: WebhookLane, chat: string, pauseMs: number): Promise<void> {
  const id = chatLaneId(lane.endpointId, chat);
  await tx.query(SPLIT_OFF, [id, lane.accountId, lane.endpointId, chat, pauseMs]);
  await tx.query(MOVE, [id, lane.id, lane.accountId, chat]);
}

function chatLaneId(endpointId: string, chat: string): string {
  return derivedId("webhook-lane", endpointId, chat);
}

/**
 * Events that joined the main lane while their chat was split off follow it, in order. False: another node has the lane
 * by now, and nothing changed.
 */
export async function followIsolated(
  tx: Queryable,
  lane: WebhookLane,
  chats: readonly string[],
): Promise<boolean> {
  if (!(await holdClaim(tx, lane))) return false;
  for (const chat of chats.toSorted()) await splitOff(tx, lane, chat, 0);
  return true;
}

const PARK = `
  with gone as (delete from webhook_queue where lane = $1 and event_id = any($2) returning account_id, endpoint_id, event_id)
  insert into webhook_parked (account_id, endpoint_id, event_id, reason)
  select account_id, endpoint_id, event_id, $3 from gone on conflict do nothing`;

/**
 * Takes events out of the way after the whole schedule; they can be replayed. False: another node has the lane by now,
 * and nothing changed.
 */
export async function parkEvents(
  tx: Queryable,
  lane: WebhookLane,
  eventIds: readonly number[],
  reason: string,
): Promise<boolean> {
  if (!(await holdClaim(tx, lane))) return false;
  await tx.query(PARK, [lane.id, eventIds, reason]);
  await tx.query(
    "update webhook_lanes set batch_to = null, attempts = 0, first_failed_at = null where id = $1",
    [lane.id],
  );
  return true;
}

const RELEASE_STRAY = sql(
  "webhook_lanes_release_stray",
  `with ${lockedLanes("l.claim = $1 and l.id <> all($2::uuid[])")}
   update webhook_lanes l set claim = null, due = now() where ${IS_LOCKED}`,
);

/**
 * Frees lanes that a node holds without working on them: its turn failed, or it lost the answer to its claim, which
 * may have taken effect long after the connection broke. Not while it is claiming.
 */
export async function releaseStrayWebhookLanes(
  db: Queryable,
  nodeId: string,
  inHand: readonly string[],
): Promise<void> {
  await db.query(RELEASE_STRAY, [nodeId, inHand]);
}

const WAKE = sql(
  "webhook_lanes_wake",
  `with ${lockedLanes(`l.due = 'infinity' and l.claim is null
     and (select true from webhook_queue where lane = l.id limit 1)
     and (select e.paused_at is null from webhook_endpoints e where e.account_id = l.account_id and e.id = l.endpoint_id)`)}
   update webhook_lanes l set due = now(), done_to = 0 where ${IS_LOCKED} returning l.id`,
);

/**
 * Lanes that sleep although events wait. There should be none; whoever publishes while a receiver is resumed, or just
 * subscribed, may leave one, and then an event may even lie before what counts as done.
 */
export async function wakeForgottenLanes(db: Queryable): Promise<string[]> {
  return (await db.query<{ id: string }>(WAKE, [])).map(({ id }) => id);
}

const RECLAIM = sql(
  "webhook_lanes_reclaim",
  // The first condition holds for every claim: with it the claims are found by their index.
  `with ${lockedLanes("l.claim >= '00000000-0000-0000-0000-000000000000' and l.claim not in (select n.id from nodes n where n.lease_until > now())")}
   update webhook_lanes l set claim = null, due = now() where ${IS_LOCKED} returning id`,
);

/** Lanes that a dead node had in hand are due again. */
export async function reclaimWebhookLanes(db: Queryable): Promise<number> {
  return (await db.query(RECLAIM, [])).length;
}
