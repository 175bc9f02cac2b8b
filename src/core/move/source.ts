import { setTimeout as sleep } from "node:timers/promises";
import { type Database, isTemporary, type Queryable } from "../../database/database.ts";
import { MOVE_LOCK } from "../../database/locks.ts";
import { notifyNodes } from "../signals.ts";
import { type AccountTable, accountTables } from "./tables.ts";

export type SourceState = "copying" | "holding" | "fenced" | "moved" | "left";

export interface SourceMove {
  readonly moveId: string;
  readonly state: SourceState;
  readonly address: string;
  /** The write-ahead log's timeline on which the copy began; null if the server does not tell it. */
  readonly timeline: string | null;
  /** The present one. */
  readonly presentTimeline: string | null;
  /** Rows of the account are missing here: after the move, their removal has begun. */
  readonly isClearing: boolean;
}

/** Writers of a table wait for a trigger that waits for the table. */
const LOCK_MS = 200;
/** Longer than `deadlock_timeout`, after which autovacuum makes way. Only now and then: writers wait as long. */
const LONG_LOCK_MS = 1_500;
const LONG_EVERY = 20;
const RETRY_MS = 250;
/** How long requests of the account wait at most before they go on at the source. */
const HOLD_MS = 15_000;
/** For the transactions that have written for the account. */
const FENCE_MS = 1_000;
const ROWS_AT_A_TIME = 2_000;

const FIND = `select move_id as "moveId", state, address, timeline, current_timeline() as "presentTimeline", progress <> '{}' as "isClearing" from account_moves where account_id = $1 and side = 'source'`;

export async function sourceMove(db: Queryable, accountId: number): Promise<SourceMove | null> {
  const [row] = await db.query<SourceMove>(FIND, [accountId]);
  return row ?? null;
}

export async function beginAtSource(
  db: Queryable,
  { accountId, moveId, address }: { accountId: number; moveId: string; address: string },
): Promise<void> {
  await db.query(
    "insert into account_moves (account_id, side, move_id, state, address, timeline) values ($1, 'source', $2, 'copying', $3, current_timeline())",
    [accountId, moveId, address],
  );
}

const ADDRESS = `update account_moves set address = $2
  where account_id = $1 and side = 'source' and address <> $2 returning 1`;

/** From now on nodes pass requests on to this address. False: they do already. */
export async function changeAddress(db: Database, accountId: number, address: string): Promise<boolean> {
  if ((await db.query(ADDRESS, [accountId, address])).length === 0) return false;
  announce(db);
  return true;
}

/** Nodes notice the state within moments. */
export function announce(db: Database): void {
  notifyNodes(db, "moves", "");
}

const nameOf = (accountId: number, what: string): string => `account_move_${accountId}_${what}`;

/**
 * Creates the triggers that note the account's changes from now on. Every change before is committed when this resolves.
 * Idempotent.
 */
export async function followChanges(db: Database, accountId: number): Promise<void> {
  for (const table of await accountTables(db)) {
    const noted = table.isEarly ? [table.name, ...table.key.map(({ name }) => name)] : [];
    const values = [accountId, ...noted].map((value) => `'${value}'`).join(", ");
    await changeTriggers(db, table, accountId, (exists) =>
      exists
        ? []
        : (["insert or update", "delete"] as const).map(
            (events) =>
              `create trigger ${nameOf(accountId, events === "delete" ? "deletes" : "writes")} after ${events} on ${table.name}
               for each row when (${events === "delete" ? "old" : "new"}.${table.owner} = ${accountId})
               execute function follow_account_move(${values})`,
          ),
    );
  }
}

/** Removes the triggers. Idempotent. */
async function unfollowChanges(db: Database, accountId: number): Promise<void> {
  for (const table of await accountTables(db))
    await changeTriggers(db, table, accountId, (exists) =>
      exists
        ? ["deletes", "writes"].map(
            (what) => `drop trigger if exists ${nameOf(accountId, what)} on ${table.name}`,
          )
        : [],
    );
}

const HAS_TRIGGERS = "select 1 from pg_trigger where tgrelid = $1::regclass and tgname = $2";

/** A transaction per table, with a short lock timeout and retries, so that no table's writers wait for another table. */
async function changeTriggers(
  db: Database,
  { name }: AccountTable,
  accountId: number,
  statements: (exists: boolean) => readonly string[],
): Promise<void> {
  const exists = (await db.query(HAS_TRIGGERS, [name, nameOf(accountId, "deletes")])).length > 0;
  const changes = statements(exists);
  if (changes.length === 0) return;
  for (let attempt = 1; ; attempt++)
    try {
      return await db.tx(async (tx) => {
        await tx.query(
          `set local lock_timeout = ${attempt % LONG_EVERY === 0 ? LONG_LOCK_MS : LOCK_MS}; ${changes.join("; ")}`,
        );
      });
    } catch (error) {
      if (!isTemporary(error)) throw error;
      await sleep(RETRY_MS);
    }
}

const HOLD = `update account_moves set state = 'holding', hold_until = clock_timestamp() + ${HOLD_MS} * interval '1 millisecond', changed_at = now()
  where account_id = $1 and side = 'source' and move_id = $2 and state in ('copying', 'holding')`;
const GO_ON = `update account_moves set state = 'copying', hold_until = null, changed_at = now()
  where account_id = $1 and side = 'source' and move_id = $2 and state = 'holding'`;

/** From now on requests for the account wait, and its channels and receivers are released. */
export async function hold(db: Database, accountId: number, moveId: string): Promise<void> {
  await db.query(HOLD, [accountId, moveId]);
  announce(db);
}

/** The end of a hold without a move. */
export async function goOn(db: Database, accountId: number, moveId: string): Promise<void> {
  await db.query(GO_ON, [accountId, moveId]);
  announce(db);
}

const IS_BUSY = `with live as (select id from nodes where lease_until > now())
  select exists (select from channels where account_id = $1 and owner in (select id from live))
    or exists (select from webhook_cursors where account_id = $1 and claim in (select id from live))
    or exists (select from webhook_replays where account_id = $1 and claim in (select id from live))
    or exists (select from message_exports where account_id = $1 and claim in (select id from live)) as is_busy`;

/** Whether no live node works for the account. */
export async function isDrained(db: Database, accountId: number): Promise<boolean> {
  const [row] = await db.query<{ is_busy: boolean }>(IS_BUSY, [accountId]);
  return row?.is_busy === false;
}

const FENCE = `update account_moves set state = 'fenced', hold_until = null, changed_at = now()
  where account_id = $1 and side = 'source' and move_id = $2 and state = 'holding' and hold_until > clock_timestamp()
  returning 1`;

/**
 * Nothing can be written for the account any more: waits for the transactions that have done so, refuses later ones. False:
 * one of them took too long, or the hold is over; nothing has changed.
 */
export async function fence(db: Database, accountId: number, moveId: string): Promise<boolean> {
  try {
    return await db.tx(async (tx) => {
      await tx.query(`set local lock_timeout = ${FENCE_MS}`);
      await tx.query("select pg_advisory_xact_lock($1, $2)", [MOVE_LOCK, accountId]);
      return (await tx.query(FENCE, [accountId, moveId])).length > 0;
    });
  } catch (error) {
    if (isTemporary(error)) return false;
    throw error;
  }
}

// A promoted standby may lack the fence.
const MOVED = `update account_moves set state = 'moved', hold_until = null, changed_at = now()
  where account_id = $1 and side = 'source' and move_id = $2 and state <> 'left'`;
const UNFENCE = `update account_moves set state = 'copying', move_id = $2, hold_until = null, timeline = current_timeline(), changed_at = now()
  where account_id = $1 and side = 'source' and state in ('copying', 'holding', 'fenced')`;

/** The account goes on at the source, and the copy continues under another id: the one before cannot become effective. */
export async function continueAs(db: Database, accountId: number, moveId: string): Promise<void> {
  await db.query(UNFENCE, [accountId, moveId]);
  announce(db);
}

/** The target has the account: what waits here is passed on. */
export async function setMoved(db: Database, accountId: number, moveId: string): Promise<void> {
  await db.query(MOVED, [accountId, moveId]);
  announce(db);
}

const ADDRESSES = `insert into moved_addresses (kind, key, account_id)
  select 'token', encode(hash, 'hex'), account_id from tokens where account_id = $1
  union all select 'token', encode(r.hash, 'hex'), g.account_id
    from oauth_grants g join oauth_refresh_tokens r on r.grant_id = g.id where g.account_id = $1
  union all select 'token', encode(hash, 'hex'), account_id from oauth_codes where account_id = $1
  union all select 'ticket', encode(hash, 'hex'), account_id from page_tickets where account_id = $1
  union all select 'session', encode(session_hash, 'hex'), account_id from page_tickets where account_id = $1 and session_hash is not null
  union all select 'channel', id::text, account_id from channels where account_id = $1 and deleted_at is null
  union all select distinct 'transport', transport, account_id from channels where account_id = $1 and deleted_at is null
  union all select 'file', key, account_id from files where account_id = $1
  union all select 'export', id::text, account_id from message_exports where account_id = $1
  on conflict do nothing`;

/** What requests for the account bring is passed on, also once its rows are gone. */
export async function keepAddresses(tx: Queryable, accountId: number): Promise<void> {
  await tx.query(ADDRESSES, [accountId]);
}

const CLEARING = `update account_moves set progress = '{"isClearing": true}' where account_id = $1 and side = 'source'`;

/**
 * Removes the account's rows after the move, those that nodes act on first; then the triggers. Repeating it continues. `progress` is told what is done.
 */
export async function clearSource(
  db: Database,
  { accountId, progress }: { accountId: number; progress(line: string): void },
): Promise<void> {
  const tables = await accountTables(db);
  await db.tx(async (tx) => {
    await asMove(tx);
    await keepAddresses(tx, accountId);
    for (const { name, owner } of tables.filter(({ isEarly }) => !isEarly).toReversed())
      await tx.query(`delete from ${name} where ${owner} = $1`, [accountId]);
    await tx.query("delete from account_moves where account_id = $1 and side = 'target'", [accountId]);
    await tx.query(CLEARING, [accountId]);
  });
  await removeRows(db, accountId, tables);
  await unfollowChanges(db, accountId);
  await db.query("delete from account_move_changes where account_id = $1", [accountId]);
  await db.query(
    "update account_moves set state = 'left', changed_at = now() where account_id = $1 and side = 'source' and state = 'moved'",
    [accountId],
  );
  announce(db);
  progress("removed from the source");
}

/** In the caller's transaction: it changes what others may not change any more. */
export async function asMove(tx: Queryable): Promise<void> {
  await tx.query("set local trunkline.account_move = 'on'");
}

/** Removes all rows of the account, in batches; referencing tables first. */
export async function removeRows(
  db: Database,
  accountId: number,
  tables: readonly AccountTable[],
): Promise<void> {
  const rest = ["crm_usage", "live_accounts", "change_outcomes", "session_requests"];
  for (const { name, owner } of tables.toReversed())
    if (name !== "accounts") await removeAll(db, name, owner, accountId);
  for (const name of rest) await removeAll(db, name, "account_id", accountId);
  await removeAll(db, "accounts", "id", accountId);
}

async function removeAll(db: Database, name: string, owner: string, accountId: number): Promise<void> {
  for (;;) {
    const rows = await db.tx(async (tx) => {
      await asMove(tx);
      return tx.query(
        `delete from ${name} where (tableoid, ctid) in (select tableoid, ctid from ${name} where ${owner} = $1 limit ${ROWS_AT_A_TIME})
         and ${owner} = $1 returning 1`,
        [accountId],
      );
    });
    if (rows.length < ROWS_AT_A_TIME) return;
  }
}

// Above the count of the target, which the directory may have.
const WIN_BACK = `update accounts set moves = moves + 2 where id = $1
  and exists (select from account_moves where account_id = $1 and side = 'source' and state = 'moved')`;

/** The end of a move that is revoked, or that the target has lost: the account goes on here. */
export async function releaseSource(db: Database, accountId: number): Promise<void> {
  await db.tx(async (tx) => {
    await asMove(tx);
    await tx.query(WIN_BACK, [accountId]);
    await tx.query("delete from moved_addresses where account_id = $1", [accountId]);
    await tx.query("delete from account_moves where account_id = $1 and side = 'source'", [accountId]);
  });
  announce(db);
  await unfollowChanges(db, accountId);
  await db.query("delete from account_move_changes where account_id = $1", [accountId]);
}
