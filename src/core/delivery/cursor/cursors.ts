import { type Queryable, type Statement, sql } from "../../../database/database.ts";
import { isLeftByDeadNode } from "../../dead-nodes.ts";
import { isWritable } from "../../writable-accounts.ts";
import { ADDRESS_COLUMNS, type Address } from "../request/request.ts";
import { hasWaiting, isUnpaused } from "./waiting.ts";

/**
 * What a node claims to deliver to a receiver: `events` reads the account's log, `creations` reads what the CRM is asked to
 * create, and `retries` the refused events of both.
 */
export type Lane = "events" | "creations" | "retries";

/** The position of a receiver in its account's log, claimed by a node. */
export interface Cursor extends Address {
  readonly id: string;
  readonly nodeId: string;
  /** Version of this claim: late statements of an earlier claim, on a broken connection, have no effect. */
  readonly claimVersion: number;
  readonly lane: Lane;
  /** The receiver has all events of the log up to this one, except those in `webhook_retries`. */
  readonly position: number;
  /** Last event of the batch under way: a repetition sends exactly that batch again. */
  readonly batchTo: number | null;
  readonly attempts: number;
  readonly firstFailedAt: Date | null;
  readonly batchLimit: number;
  /** Limit of events per request; null: the setting of the installation. */
  readonly maxItems: number | null;
  /** Limit of concurrent requests. */
  readonly concurrency: number;
  /** The receiver has accepted nothing since its last failure. */
  readonly failing: boolean;
  /** Version of the receiver's row that the claim read. */
  readonly version: string;
  /** The kinds that the receiver takes, as read by the claim. */
  readonly kinds: readonly string[];
  /** At the time of the claim no other receiver of the account took any events. */
  readonly isOnly: boolean;
  /** No event of the time before the claim has a higher id. */
  readonly loggedTo: number;
}

const free = (c: string): string => `${c}.claim is null and ${c}.due <= now()`;

// Each branch has an index of its own: cursors of notified accounts, cursors that failed, those of refused events, all. While
// refused events are claimed, their cursor stores the earliest time that others asked for (`scheduleRetries`).
const CLAIM = sql(
  "webhook_cursors_claim",
  `with found as materialized (
     select c.id from webhook_cursors c where c.account_id = any($4::bigint[]) and ${free("c")}
       and ($7::text[] is null or exists (
         select from webhook_endpoints e
         where e.account_id = any(array[c.account_id]) and e.id = any(array[c.endpoint_id]) and e.kinds && $7))
     union all select c.id from webhook_cursors c where c.attempts > 0 and ${free("c")}
     union all select c.id from webhook_cursors c where c.lane = 'retries' and ${free("c")}
     union all select c.id from webhook_cursors c where $5::boolean and ${free("c")}
   ), due as (
     select c.id from webhook_cursors c
     -- Asked again for who had to wait for the row. In a form that no index serves: they are found by their ids.
     where c.id = any(array(select id from found)) and (${free("c")}) is true and c.account_id <> all($3::bigint[])
       and ${isUnpaused("c")}
       and ${hasWaiting("c", "$6::bigint")}
     order by c.due limit $2 for update skip locked
   )
   update webhook_cursors c set claim = $1, claim_version = c.claim_version + 1,
     due = case c.lane when 'retries' then 'infinity' else c.due end
   from due, webhook_endpoints e
   where c.id = any(array[due.id]) and e.account_id = any(array[c.account_id]) and e.id = any(array[c.endpoint_id])
   returning c.id, c.claim_version as "claimVersion", c.lane, c.position, c.batch_to as "batchTo", c.attempts,
             c.first_failed_at as "firstFailedAt", c.batch_limit as "batchLimit", e.max_items as "maxItems", e.concurrency, e.failing_since is not null as failing, e.xmin::text as version, ${ADDRESS_COLUMNS}, e.kinds,
             (select count(*) from (
               select 1 from webhook_endpoints o where o.account_id = any(array[c.account_id]) and o.kinds <> '{}' limit 2) n
             ) = 1 as "isOnly", (select last_value from log_ids) as "loggedTo"`,
);

const canBeClaimed = (
  which: string,
): string => `(select true from webhook_cursors c where ${which} and ${free("c")}
     and ${isUnpaused("c")}
     and ${hasWaiting("c")} limit 1)`;

/** Expression: whether a cursor can be claimed. It looks at all of them. */
export const HAS_DUE_CURSORS = canBeClaimed("true");
/** Expression: whether a cursor that failed, or one of refused events, can be claimed. Each has an index. */
export const HAS_DUE_RETRIES = `coalesce(${canBeClaimed("c.attempts > 0")}, ${canBeClaimed("c.lane = 'retries'")})`;

/** Expression: how many cursors the node has claimed. */
export const countClaimed = (node: string): string =>
  `(select count(*)::int from webhook_cursors where claim = ${node})`;

export interface ClaimOptions {
  readonly limit: number;
  /** Accounts with new events; receivers that failed, and refused events, are always checked. */
  readonly accounts: readonly number[];
  /** Of these kinds: of the accounts' receivers, only those that take one are checked. Default: all. */
  readonly kinds?: readonly string[] | null;
  /** Checks the receivers of every account. */
  readonly everywhere?: boolean;
  /** Accounts whose cursors are skipped. */
  readonly without?: readonly number[];
  /** Ignores events up to this one, so that PostgreSQL need not open older partitions of the log. Default 0. */
  readonly after?: number;
}

/** Claims up to `limit` cursors with events to read for this node; those that rested longest first. */
export async function claimCursors(
  db: Queryable,
  nodeId: string,
  { limit, accounts, kinds = null, everywhere = false, without = [], after = 0 }: ClaimOptions,
): Promise<Cursor[]> {
  const values = [nodeId, limit, without, accounts, everywhere, after, kinds];
  const rows = await db.query<Omit<Cursor, "nodeId">>(CLAIM, values);
  return rows.map((row) => ({ ...row, nodeId }));
}

/** Condition: the claim of parameters 1 to 3 is still valid. */
export const OURS = "id = $1 and claim = $2 and claim_version = $3";
/** Condition: the claim of parameters 1 to 3 is valid, or was revoked and nobody has claimed the cursor since. */
export const IS_LAST_CLAIM = "id = $1 and claim_version = $3 and (claim = $2 or claim is null)";

/** Parameters 1 to 3 of a statement with one of these conditions. */
export function claimValues({ id, nodeId, claimVersion }: Cursor): unknown[] {
  return [id, nodeId, claimVersion];
}

/** The claim of a cursor has ended: another node has it, or it was revoked. */
export class ClaimLost extends Error {}

/** Changes a claimed cursor with a statement that returns a row. Throws `ClaimLost` if it returns none. */
export async function changeClaimed(
  db: Queryable,
  statement: Statement,
  values: readonly unknown[],
): Promise<void> {
  if ((await db.query(statement, values)).length === 0) throw new ClaimLost();
}

const MARK = sql(
  "webhook_cursor_mark",
  `update webhook_cursors set batch_to = $4, batch_limit = $5 where ${OURS} returning id`,
);

/** Stores the end of the batch about to be sent, and the limit under which it was composed. Throws `ClaimLost`. */
export async function markBatch(
  db: Queryable,
  cursor: Cursor,
  batch: { readonly to: number; readonly limit: number },
): Promise<void> {
  await changeClaimed(db, MARK, [...claimValues(cursor), batch.to, batch.limit]);
}

const VERSION = sql(
  "webhook_cursor_version",
  "select xmin::text as version from webhook_endpoints where account_id = $1 and id = $2",
);

/** False: the receiver was changed, paused or removed since the cursor was claimed. */
export async function isCurrent(db: Queryable, { accountId, endpointId, version }: Cursor): Promise<boolean> {
  const [row] = await db.query<{ version: string }>(VERSION, [accountId, endpointId]);
  return row?.version === version;
}

const RELEASE = sql(
  "webhook_cursor_release",
  `update webhook_cursors set claim = null, due = now(), batch_limit = $4, position = greatest(position, $5) where ${OURS}`,
);

/**
 * Releases a cursor that need not rest. The next claim continues with `batchLimit`, so that the search for a refused
 * item ends however long the receiver takes for each request. `passedTo`: no event up to this one waits for the receiver. Poll
 * for the cursor afterwards: polls in the meantime skipped it because it was claimed.
 */
export async function releaseCursor(
  db: Queryable,
  cursor: Cursor,
  batchLimit: number,
  passedTo = 0,
): Promise<void> {
  await db.query(RELEASE, [...claimValues(cursor), batchLimit, passedTo]);
}

// A change of the address locks the receiver before its cursors: this waits for it, and then sees the new address.
const POSTPONE = sql(
  "webhook_cursor_postpone",
  `with receiver as materialized (select url from webhook_endpoints where account_id = $7 and id = $8 for share)
   update webhook_cursors set claim = null, attempts = attempts + 1, first_failed_at = coalesce(first_failed_at, now()),
     due = now() + case when (select url from receiver) = $9 then $4::float8 else 0 end * interval '1 millisecond',
     batch_limit = $5, batch_to = case when $6 then batch_to end
   where ${OURS} returning id`,
);

/**
 * Lets the cursor rest after a failure; with `keepBatch` the same batch is repeated. If the receiver's address was
 * changed during the request, the cursor does not rest. Throws `ClaimLost`.
 */
export async function postponeCursor(
  db: Queryable,
  cursor: Cursor,
  pause: { readonly ms: number; readonly batchLimit: number; readonly keepBatch: boolean },
): Promise<void> {
  const { accountId, endpointId, url } = cursor;
  const { ms, batchLimit, keepBatch } = pause;
  const values = [...claimValues(cursor), ms, batchLimit, keepBatch, accountId, endpointId, url];
  await changeClaimed(db, POSTPONE, values);
}

/**
 * Common table expressions that lock the cursors `c` that satisfy a condition, in "locked". Several cursors are
 * always locked in the order of their ids, to avoid deadlocks.
 */
export const locking = (condition: string): string => `
  found as materialized (select c.id from webhook_cursors c where ${condition}),
  locked as materialized (
    select s.id from (select id from found order by id) f
    cross join lateral (
      select c.id from webhook_cursors c where c.id = any(array[f.id]) and ${condition} for no key update) s)`;

export const IS_LOCKED = "c.id = any(array(select id from locked))";

/** A statement that changes the cursors `c` that satisfy a condition. */
export const each = (condition: string, change: string): string =>
  `with ${locking(condition)} update webhook_cursors c set ${change} where ${IS_LOCKED} returning c.id`;

const FREE_STRAY = sql(
  "webhook_cursors_free_stray",
  each("c.claim = $1 and c.id <> all($2::uuid[])", "claim = null, due = now()"),
);

/**
 * Releases cursors that are claimed by the node but not in use: their run failed, or the response to their claim was
 * lost, and the claim may take effect long after the connection broke. Do not call it while a claim is under way. Returns how
 * many there were.
 */
export async function releaseStrayCursors(
  db: Queryable,
  nodeId: string,
  inHand: readonly string[],
): Promise<number> {
  return (await db.query(FREE_STRAY, [nodeId, inHand])).length;
}

// The first condition is true for every claim; it makes PostgreSQL use the index of claims.
const IS_LEFT =
  "c.claim >= '00000000-0000-0000-0000-000000000000' and c.claim not in (select n.id from nodes n where n.lease_until > now())";
const RECLAIM = sql(
  "webhook_cursors_reclaim",
  each(`${IS_LEFT} and ${isWritable("c.account_id")}`, "claim = null, due = now()"),
);

/** Expression: whether a dead node has claimed a cursor. */
export const HAS_LEFT_CURSORS = isLeftByDeadNode("webhook_cursors", "claim");

/** Releases the cursors of dead nodes. Returns how many there were. */
export async function reclaimCursors(db: Queryable): Promise<number> {
  return (await db.query(RECLAIM, [])).length;
}

/** Part of a statement: releases the cursors of the nodes whose ids `nodes` selects. */
export const releaseClaimsOf = (nodes: string): string =>
  `update webhook_cursors set claim = null, due = now() where claim = any(array(${nodes}))`;

/** Releases the cursors of all nodes. */
export async function releaseAllCursors(db: Queryable): Promise<void> {
  await db.query("update webhook_cursors set claim = null, due = now() where claim is not null");
}
