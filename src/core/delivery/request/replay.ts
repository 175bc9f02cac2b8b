import { type Queryable, sql } from "../../../database/database.ts";
import { newId } from "../../../platform/ids.ts";
import { audit } from "../../audit/audit.ts";
import type { Base } from "../../base.ts";
import { AppError } from "../../errors.ts";
import type { Scope } from "../../scope.ts";
import { IS_OF_SINK } from "../cursor/parked.ts";
import { filterValues, LOG_FILTER, type LogFilter } from "./delivery-log.ts";

/** The deliveries to replay. */
export type Selection =
  /** Single requests of the log, by their ids. */
  | { readonly kind: "attempts"; readonly ids: readonly number[] }
  /** Every delivery that matches the filter, each once; without a filter of the result, those that were accepted. */
  | { readonly kind: "log"; readonly filter: LogFilter }
  /** Parked events, all or some; without a receiver, those of all but the sink. */
  | { readonly kind: "parked"; readonly receiverId?: string; readonly eventIds?: readonly number[] };

/** Of one replay. */
export const MAX_DELIVERIES = 10_000;
/** Limit of unfinished replays of an account. */
const MAX_OPEN = 20;

const INSERT = sql(
  "webhook_replay_insert",
  "insert into webhook_replays (account_id, id) values ($1, $2) on conflict do nothing returning id",
);
const OPEN = sql(
  "webhook_replays_open",
  "select count(*)::integer as open from webhook_replays where account_id = $1 and finished_at is null",
);
/** Deliveries that were attempted several times appear once. */
const DELIVERIES = `select distinct on (a.endpoint_id, a.delivery_id) a.endpoint_id, a.delivery_id, a.event_ids
        from webhook_attempts a
        where a.account_id = $1 and a.event_ids <> '{}' and ${LOG_FILTER}
          and ($11::bigint[] is null and a.purpose = 'delivery' or a.id = any($11))
        limit ${MAX_DELIVERIES + 1}`;
const COUNT = sql(
  "webhook_replay_count",
  `select count(*)::int as deliveries from (${DELIVERIES}) d where $10::uuid is null`,
);
/** In chronological order. */
const FROM_LOG = `
  insert into webhook_replay_items (account_id, replay_id, position, endpoint_id, delivery_id, event_ids)
  select $1, $10, row_number() over (order by d.event_ids[1], d.endpoint_id), d.endpoint_id, d.delivery_id, d.event_ids
  from (${DELIVERIES}) d
  returning position`;
const FROM_PARKED = `
  insert into webhook_replay_items (account_id, replay_id, position, endpoint_id, delivery_id, event_ids)
  select $1, $4, row_number() over (order by p.event_id, p.endpoint_id), p.endpoint_id,
         'msg_' || left(p.endpoint_id::text, 8) || '_' || p.event_id || '_' || p.event_id, array[p.event_id]
  from webhook_retries p
  where p.account_id = $1 and p.state = 'parked' and ($2::uuid is null and not ${IS_OF_SINK} or p.endpoint_id = $2)
    and ($3::bigint[] is null or p.event_id = any($3))
  limit ${MAX_DELIVERIES + 1}
  returning position`;

/**
 * Requests a replay. A delivery node carries it out soon, one delivery after the other, each attempted once.
 * `operationId`, if given, becomes its id, which makes the call idempotent. Notify the topic `replays` afterwards.
 */
export async function requestReplay(
  db: Base["db"],
  { accountId }: Scope,
  { selection, operationId = null }: { readonly selection: Selection; readonly operationId?: string | null },
): Promise<string> {
  const id = operationId ?? newId();
  await db.tx(async (tx) => {
    if ((await tx.query(INSERT, [accountId, id])).length === 0) return;
    const items = await insertItems(tx, { accountId, id, selection });
    const details = { which: selection.kind, deliveries: items };
    await audit(tx, { accountId, action: "webhook.replay", subject: id, details });
    if (items > MAX_DELIVERIES) throw new AppError("WEBHOOK_REPLAY_TOO_LARGE");
    if (items === 0) return finishReplay(tx, { accountId, id });
    const [counted] = await tx.query<{ open: number }>(OPEN, [accountId]);
    if ((counted?.open ?? 0) > MAX_OPEN) throw new AppError("WEBHOOK_REPLAY_QUEUE_FULL");
  });
  return id;
}

/** Number of deliveries that a replay by this filter would send; one more than allowed if it would be too large. */
export async function countDeliveries(
  db: Queryable,
  { accountId }: Scope,
  filter: LogFilter,
): Promise<number> {
  const values = [accountId, ...filterValues({ result: "delivered", ...filter }), null, null];
  return (await db.query<{ deliveries: number }>(COUNT, values))[0]?.deliveries ?? 0;
}

async function insertItems(
  tx: Queryable,
  { accountId, id, selection }: Scope & { id: string; selection: Selection },
): Promise<number> {
  const rows = await (selection.kind === "parked"
    ? tx.query(FROM_PARKED, [accountId, selection.receiverId ?? null, selection.eventIds ?? null, id])
    : tx.query(FROM_LOG, [accountId, ...logValues(selection, id)]));
  return rows.length;
}

function logValues(selection: Exclude<Selection, { kind: "parked" }>, id: string): unknown[] {
  return selection.kind === "attempts"
    ? [...filterValues({}), id, selection.ids]
    : [...filterValues({ result: "delivered", ...selection.filter }), id, null];
}

/** Progress of a replay. */
export interface Replay {
  readonly id: string;
  readonly requestedAt: Date;
  readonly finishedAt: Date | null;
  readonly total: number;
  readonly delivered: number;
  readonly failed: number;
  /** The first hundred that the receiver did not accept. */
  readonly failures: readonly ReplayFailure[];
}

export interface ReplayFailure {
  readonly receiverId: string;
  readonly deliveryId: string;
  readonly status: number | null;
  readonly failure: string | null;
}

const TAKEN = "i.status between 200 and 299 and i.failure is null";
const FIND = sql(
  "webhook_replay_find",
  `select r.id, r.requested_at as "requestedAt", r.finished_at as "finishedAt",
     count(i.position)::int as total, (count(*) filter (where ${TAKEN}))::int as delivered,
     (count(*) filter (where i.at is not null and (${TAKEN}) is not true))::int as failed
   from webhook_replays r left join webhook_replay_items i on i.account_id = r.account_id and i.replay_id = r.id
   where r.account_id = $1 and r.id = $2 group by r.account_id, r.id`,
);
const FAILURES = sql(
  "webhook_replay_failures",
  `select i.endpoint_id as "receiverId", i.delivery_id as "deliveryId", i.status, i.failure from webhook_replay_items i
   where i.account_id = $1 and i.replay_id = $2 and i.at is not null and (${TAKEN}) is not true
   order by i.account_id, i.replay_id, i.position limit 100`,
);

/** Throws WEBHOOK_REPLAY_NOT_FOUND. */
export async function getReplay(db: Queryable, { accountId }: Scope, id: string): Promise<Replay> {
  const [replay] = await db.query<Omit<Replay, "failures">>(FIND, [accountId, id]);
  if (replay === undefined) throw new AppError("WEBHOOK_REPLAY_NOT_FOUND");
  const failures = replay.failed === 0 ? [] : await db.query<ReplayFailure>(FAILURES, [accountId, id]);
  return { ...replay, failures };
}

/** A replay in a node's hands. */
export interface ReplayKey extends Scope {
  readonly id: string;
}

/** A replay that a node has claimed under its id. */
export interface ClaimedReplay extends ReplayKey {
  readonly nodeId: string;
}

/** Expression: whether any replay is unfinished. */
export const HAS_REPLAYS = "(select true from webhook_replays where finished_at is null limit 1)";

const CLAIM = sql(
  "webhook_replays_claim",
  `with open as (
     select account_id, id from webhook_replays
     where finished_at is null
       and (claim is null or claim not in (select n.id from nodes n where n.lease_until > now())
            or (claim = $1 and id <> all($3::uuid[])))
       and account_id <> all($4::bigint[]) and id <> all($5::uuid[])
     order by requested_at limit $2 for update skip locked
   )
   update webhook_replays r set claim = $1 from open
   where r.account_id = open.account_id and r.id = open.id returning r.account_id as "accountId", r.id`,
);

interface ReplayClaim {
  readonly limit: number;
  readonly inHand: readonly string[];
  /** Accounts whose replays are skipped. */
  readonly without: readonly number[];
  /** Replays that are skipped. */
  readonly rested: readonly string[];
}

/**
 * Claims replays that are unclaimed, whose node died, or that this node holds without working on them: the response
 * to their claim was lost, or their run stopped.
 */
export async function claimReplays(
  db: Queryable,
  nodeId: string,
  { limit, inHand, without, rested }: ReplayClaim,
): Promise<ClaimedReplay[]> {
  const keys = await db.query<ReplayKey>(CLAIM, [nodeId, limit, inHand, without, rested]);
  return keys.map((key) => ({ ...key, nodeId }));
}

const RELEASE = sql(
  "webhook_replay_release",
  "update webhook_replays set claim = null where account_id = $1 and id = $2 and claim = $3",
);

/** Lets another node, or this one later, continue the replay. */
export async function releaseReplay(db: Queryable, { accountId, id, nodeId }: ClaimedReplay): Promise<void> {
  await db.query(RELEASE, [accountId, id, nodeId]);
}

export interface ReplayItem {
  readonly position: number;
  readonly receiverId: string;
  readonly eventIds: readonly number[];
}

const NEXT = sql(
  "webhook_replay_next",
  `select position, endpoint_id as "receiverId", event_ids as "eventIds" from webhook_replay_items
   where account_id = $1 and replay_id = $2 and at is null order by account_id, replay_id, position limit 1`,
);

/** The next delivery to send; null: none is left. */
export async function nextReplayItem(
  db: Queryable,
  { accountId, id }: ReplayKey,
): Promise<ReplayItem | null> {
  return (await db.query<ReplayItem>(NEXT, [accountId, id]))[0] ?? null;
}

const DONE = sql(
  "webhook_replay_item_done",
  `update webhook_replay_items set at = now(), status = $4, failure = $5, attempt_id = $6
   where account_id = $1 and replay_id = $2 and position = $3`,
);

interface FinishedItem {
  readonly position: number;
  readonly status: number | null;
  readonly failure: string | null;
  /** Its request in the log; null: nothing was sent. */
  readonly attemptId: number | null;
}

export async function finishReplayItem(
  db: Queryable,
  { accountId, id }: ReplayKey,
  { position, status, failure, attemptId }: FinishedItem,
): Promise<void> {
  await db.query(DONE, [accountId, id, position, status, failure, attemptId]);
}

const FINISH = sql(
  "webhook_replay_finish",
  "update webhook_replays set finished_at = now(), claim = null where account_id = $1 and id = $2",
);

export async function finishReplay(db: Queryable, { accountId, id }: ReplayKey): Promise<void> {
  await db.query(FINISH, [accountId, id]);
}
