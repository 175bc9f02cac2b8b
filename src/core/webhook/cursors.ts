import { type Database, type Queryable, sql } from "../../database/database.ts";
import { ADDRESS_COLUMNS, type Address, type AddressRow, addressOf } from "./request.ts";
import { hasWaiting } from "./spans.ts";

/**
 * A receiver's place in its account's log, claimed by a node; `chat` is set for a chat that was set apart around a refused
 * item, whose events are kept beside the log.
 */
export interface Cursor extends Address {
  readonly id: string;
  readonly nodeId: string;
  /** Number of this claim: a statement of an earlier one, late on a broken connection, changes nothing. */
  readonly turn: number;
  readonly chat: string | null;
  /** Of the log, the receiver has all up to this event; */
  readonly position: number;
  /** and these behind it. */
  readonly taken: readonly number[];
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
  /** What the receiver takes, as the claim saw it. */
  readonly kinds: readonly string[];
  /** Nobody else of its account took anything then. */
  readonly isOnly: boolean;
}

const free = (c: string): string => `${c}.claim is null and ${c}.due <= now()`;

// Each arm by an index of its own: those of accounts that were told of, those that failed, all.
const CLAIM = sql(
  "webhook_cursors_claim",
  `with found as materialized (
     select c.id from webhook_cursors c where c.account_id = any($4::bigint[]) and ${free("c")}
     union all select c.id from webhook_cursors c where c.attempts > 0 and ${free("c")}
     union all select c.id from webhook_cursors c where $5::boolean and ${free("c")}
   ), due as (
     select c.id from webhook_cursors c
     -- Asked again for who had to wait for the row. In a form that no index serves: they are found by their ids.
     where c.id = any(array(select id from found)) and (${free("c")}) is true and c.account_id <> all($3::bigint[])
       and (select e.paused_at is null from webhook_endpoints e where e.account_id = c.account_id and e.id = c.endpoint_id)
       and ${hasWaiting("c", "$6::bigint")}
     order by c.due limit $2 for update skip locked
   )
   update webhook_cursors c set claim = $1, turn = c.turn + 1
   from due, webhook_endpoints e
   where c.id = any(array[due.id]) and e.account_id = any(array[c.account_id]) and e.id = any(array[c.endpoint_id])
   returning c.id, c.turn, c.chat, c.position, c.taken, c.batch_to, c.attempts, c.first_failed_at, c.batch_limit,
             e.max_items, e.concurrency, e.failing_since is not null as failing, e.xmin::text as version, ${ADDRESS_COLUMNS}, e.kinds,
             (select count(*) from (
               select 1 from webhook_endpoints o where o.account_id = any(array[c.account_id]) and o.kinds <> '{}' limit 2) n
             ) = 1 as is_only`,
);

export interface ClaimOptions {
  readonly limit: number;
  /** Accounts where something was published; receivers that failed are looked at in any case. */
  readonly accounts: readonly number[];
  /** Looks at the receivers of every account. */
  readonly everywhere?: boolean;
  /** Accounts whose cursors are left where they are. */
  readonly without?: readonly number[];
  /** What waits only up to this event is not looked for: divisions of the log before it need not be opened. Default 0. */
  readonly after?: number;
}

/** Takes up to `limit` cursors that have something to read for this node; those that rested longest first. */
export async function claimCursors(
  db: Queryable,
  nodeId: string,
  { limit, accounts, everywhere = false, without = [], after = 0 }: ClaimOptions,
): Promise<Cursor[]> {
  const rows = await db.query<CursorRow>(CLAIM, [nodeId, limit, without, accounts, everywhere, after]);
  return rows.map((row) => cursorOf(row, nodeId));
}

interface CursorRow extends AddressRow {
  readonly id: string;
  readonly turn: number;
  readonly chat: string | null;
  readonly position: number;
  readonly taken: readonly number[];
  readonly batch_to: number | null;
  readonly attempts: number;
  readonly first_failed_at: Date | null;
  readonly batch_limit: number;
  readonly max_items: number | null;
  readonly concurrency: number;
  readonly failing: boolean;
  readonly version: string;
  readonly kinds: readonly string[];
  readonly is_only: boolean;
}

function cursorOf(row: CursorRow, nodeId: string): Cursor {
  const { id, turn, chat, position, taken, attempts, concurrency, failing, version, kinds } = row;
  return {
    ...addressOf(row),
    id,
    nodeId,
    turn,
    chat,
    position,
    taken,
    attempts,
    concurrency,
    failing,
    version,
    kinds,
    isOnly: row.is_only,
    batchTo: row.batch_to,
    firstFailedAt: row.first_failed_at,
    batchLimit: row.batch_limit,
    maxItems: row.max_items,
  };
}

/** Condition: the claim that parameters 1 to 3 name still holds. */
export const OURS = "id = $1 and claim = $2 and turn = $3";

const MARK = sql(
  "webhook_cursor_mark",
  `update webhook_cursors set batch_to = $4, batch_limit = $5 where ${OURS} returning id`,
);

/** Fixes the end of the batch about to be sent, and the limit under which it was composed. False: another node has the cursor by now. */
export async function markBatch(
  db: Queryable,
  { id, nodeId, turn }: Cursor,
  batch: { readonly to: number; readonly limit: number },
): Promise<boolean> {
  return (await db.query(MARK, [id, nodeId, turn, batch.to, batch.limit])).length > 0;
}

const RELEASE = sql(
  "webhook_cursor_release",
  `update webhook_cursors set claim = null, due = now(), batch_limit = $4 where ${OURS}`,
);

/**
 * Gives a cursor back that need not rest. The next turn goes on with `batchLimit`, so that the search for a refused item
 * ends, however long the receiver takes over each half. Look for it once more afterwards: what was published meanwhile
 * was looked for while it was taken.
 */
export async function releaseCursor(
  db: Queryable,
  { id, nodeId, turn }: Cursor,
  batchLimit: number,
): Promise<void> {
  await db.query(RELEASE, [id, nodeId, turn, batchLimit]);
}

const POSTPONE = sql(
  "webhook_cursor_postpone",
  `update webhook_cursors set claim = null, due = now() + $4 * interval '1 millisecond', attempts = attempts + 1,
     first_failed_at = coalesce(first_failed_at, now()), batch_limit = $5,
     batch_to = case when $6 then batch_to end
   where ${OURS}`,
);

/** The cursor rests after a failure; with `keepBatch` its repetition is the same batch. */
export async function postponeCursor(
  db: Queryable,
  { id, nodeId, turn }: Cursor,
  pause: { readonly ms: number; readonly batchLimit: number; readonly keepBatch: boolean },
): Promise<void> {
  await db.query(POSTPONE, [id, nodeId, turn, pause.ms, pause.batchLimit, pause.keepBatch]);
}

/**
 * Common table expressions that lock the cursors `c` that satisfy a condition, in "locked". Whoever takes several does so
 * in the order of their ids: else two wait for each other.
 */
const locking = (condition: string): string => `
  found as materialized (select c.id from webhook_cursors c where ${condition}),
  locked as materialized (
    select s.id from (select id from found order by id) f
    cross join lateral (
      select c.id from webhook_cursors c where c.id = any(array[f.id]) and ${condition} for no key update) s)`;

const IS_LOCKED = "c.id = any(array(select id from locked))";

const each = (condition: string, change: string): string =>
  `with ${locking(condition)} update webhook_cursors c set ${change} where ${IS_LOCKED} returning c.id`;

const FREE_STRAY = sql(
  "webhook_cursors_free_stray",
  each("c.claim = $1 and c.id <> all($2::uuid[])", "claim = null, due = now()"),
);

/**
 * Frees cursors that a node holds without working on them: its turn failed, or it lost the answer to its claim, which
 * may have taken effect long after the connection broke. Not while it is claiming.
 */
export async function releaseStrayCursors(
  db: Queryable,
  nodeId: string,
  inHand: readonly string[],
): Promise<void> {
  await db.query(FREE_STRAY, [nodeId, inHand]);
}

const RECLAIM = sql(
  "webhook_cursors_reclaim",
  // The first condition holds for every claim: with it the claims are found by their index.
  each(
    "c.claim >= '00000000-0000-0000-0000-000000000000' and c.claim not in (select n.id from nodes n where n.lease_until > now())",
    "claim = null, due = now()",
  ),
);

/** Frees what a dead node had in hand. Returns how many there were. */
export async function reclaimCursors(db: Queryable): Promise<number> {
  return (await db.query(RECLAIM, [])).length;
}

const REST = sql("webhook_cursors_rest", each("c.endpoint_id = $1", "claim = null, due = 'infinity'"));

/**
 * Whoever delivers to the receiver at the moment loses its cursors: nothing follows the request under way. Who is about to
 * claim one finds that it is not due.
 */
export async function revokeCursors(tx: Queryable, endpointId: string): Promise<void> {
  await tx.query(REST, [endpointId]);
}

const GO_ON = sql(
  "webhook_cursors_go_on",
  each("c.endpoint_id = $1 and c.claim is null", "due = now(), attempts = 0, first_failed_at = null"),
);

/** The schedule of the receiver begins anew, at once. */
export async function restartSchedule(tx: Queryable, endpointId: string): Promise<void> {
  await tx.query(GO_ON, [endpointId]);
}

const NOW = sql(
  "webhook_cursors_now",
  each(
    `c.endpoint_id = $1 and c.due > now() and (
       select e.paused_at is null from webhook_endpoints e where e.account_id = c.account_id and e.id = c.endpoint_id)`,
    "due = now()",
  ),
);

/** Whoever repairs the receiver or moves it should not wait for the next repetition. */
export async function deliverNow(tx: Queryable, endpointId: string): Promise<void> {
  await tx.query(NOW, [endpointId]);
}

const DROP = sql(
  "webhook_cursors_drop",
  `with ${locking("c.endpoint_id = $1")} delete from webhook_cursors c where ${IS_LOCKED}`,
);

/** Nobody is left to deliver to; the events themselves stay for a later replay. */
export async function dropQueue(tx: Queryable, endpointId: string): Promise<void> {
  await tx.query(DROP, [endpointId]);
}

const LOCK_IDLE = `select id from webhook_cursors c where chat is not null and claim is null
  and not exists (select 1 from webhook_kept where cursor_id = c.id) order by id limit 5000 for update skip locked`;
const REMOVE_IDLE = `delete from webhook_cursors c where id = any($1)
  and not exists (select 1 from webhook_kept where cursor_id = c.id)`;

/**
 * Removes the cursors of chats that were set apart and have nothing left. What is kept for one meanwhile waits for the
 * lock, or was there before: so first the lock, then another look.
 */
export async function removeIdleCursors(db: Database): Promise<void> {
  await db.tx(async (tx) => {
    const idle = await tx.query<{ id: string }>(LOCK_IDLE, []);
    if (idle.length > 0) await tx.query(REMOVE_IDLE, [idle.map(({ id }) => id)]);
  });
}
