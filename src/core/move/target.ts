import type { Database, Queryable } from "../../database/database.ts";
import { LOG_DAY_LOCK } from "../../database/locks.ts";
import { audit } from "../audit/audit.ts";
import { addPartitions, LOGS, latestDay } from "../event/log-days.ts";
import { notifyNodes } from "../signals.ts";
import { MoveRevoked } from "./copy.ts";
import { removeRows } from "./source.ts";
import { accountTables } from "./tables.ts";

export interface TargetMove {
  readonly moveId: string;
  readonly state: "arriving" | "arrived";
  /** The write-ahead log's timeline on which the copy began; null if the server does not tell it. */
  readonly timeline: string | null;
  /** The present one. */
  readonly presentTimeline: string | null;
}

const FIND = `select move_id as "moveId", state, timeline, current_timeline() as "presentTimeline" from account_moves where account_id = $1 and side = 'target'`;

export async function targetMove(db: Queryable, accountId: number): Promise<TargetMove | null> {
  const [row] = await db.query<TargetMove>(FIND, [accountId]);
  return row ?? null;
}

const BEGIN = `insert into account_moves (account_id, side, move_id, state, timeline) values ($1, 'target', $2, 'arriving', current_timeline())`;

export async function beginAtTarget(db: Database, accountId: number, moveId: string): Promise<void> {
  await db.query(BEGIN, [accountId, moveId]);
}

const WITHDRAW = `update account_moves set move_id = gen_random_uuid(), changed_at = now()
  where account_id = $1 and side = 'target' and state = 'arriving' returning move_id as "moveId"`;

/**
 * From now on a switch that was under way cannot become effective: waits for it, and gives the move another id, which it
 * returns. Null: there is no move, or the target has the account.
 */
export async function withdraw(db: Database, accountId: number): Promise<string | null> {
  const [row] = await db.query<{ moveId: string }>(WITHDRAW, [accountId]);
  return row?.moveId ?? null;
}

/** Removes what was copied; the move goes on from the start. */
export async function startOver(db: Database, accountId: number): Promise<void> {
  await removeRows(db, accountId, await accountTables(db));
  await db.query(
    "update account_moves set progress = '{}', timeline = current_timeline() where account_id = $1 and side = 'target'",
    [accountId],
  );
}

const OTHER_LINKS = `select c.account_id as account, r.transport, c.id from json_to_recordset($1::json) as r(transport text, messenger_id text)
  join channels c on c.transport = r.transport and c.messenger_id = r.messenger_id
  where c.deleted_at is null and c.messenger_id is not null and c.status <> 'disabled' limit 1`;
const LINKS = `select json_agg(json_build_object('transport', transport, 'messenger_id', messenger_id)) as links from channels
  where account_id = $1 and deleted_at is null and messenger_id is not null and status <> 'disabled'`;
const OTHER_LOGINS = "select login from operators where login = any($1) or provider_id = any($1) limit 1";
const LOGINS = `select array_remove(array_agg(login) || array_agg(provider_id), null) as logins from operators
  where account_id = $1 having count(*) > 0`;

/** What the target has and can have once only: a text for people; null if nothing. */
export async function collision(
  source: Queryable,
  target: Queryable,
  accountId: number,
): Promise<string | null> {
  const [{ links } = { links: null }] = await source.query<{ links: unknown }>(LINKS, [accountId]);
  const [link] =
    links === null
      ? []
      : await target.query<{ account: number; transport: string; id: string }>(OTHER_LINKS, [
          JSON.stringify(links),
        ]);
  if (link !== undefined)
    return `channel ${link.id} (${link.transport}) of account ${link.account} at the target is linked to the same messenger account as one of its channels`;
  const [{ logins } = { logins: null }] = await source.query<{ logins: string[] | null }>(LOGINS, [
    accountId,
  ]);
  const [login] = logins === null ? [] : await target.query<{ login: string }>(OTHER_LOGINS, [logins]);
  return login === undefined ? null : `the target already has a login "${login.login}" of the console`;
}

const COMMITTED = "select pg_current_wal_lsn()::text as lsn";
const IS_BEHIND =
  "select count(*)::int as count from pg_stat_replication where state = 'streaming' and flush_lsn < $1::pg_lsn";

/**
 * Resolves when every streaming standby of the target has what was committed before the call, as far as the server tells:
 * then the source may forget the account.
 */
export async function untilReplicated(db: Database, sleep: () => Promise<unknown>): Promise<void> {
  const [row] = await db.query<{ lsn: string }>(COMMITTED);
  for (;;) {
    const [behind] = await db.query<{ count: number }>(IS_BEHIND, [row?.lsn]);
    if ((behind?.count ?? 0) === 0) return;
    await sleep();
  }
}

/** Removes what a revoked move has copied. */
export async function clearTarget(db: Database, accountId: number): Promise<void> {
  await removeRows(db, accountId, await accountTables(db));
  await db.query(
    "delete from account_moves where account_id = $1 and side = 'target' and state = 'arriving'",
    [accountId],
  );
}

interface SequenceState {
  readonly name: string;
  readonly value: string;
}

const SEQUENCES = `select sequencename as name, last_value::text as value from pg_sequences
  where schemaname = current_schema() and last_value is not null`;
const LOG_BOUND = `select min((regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \\(''?(\\d+)''?\\)'))[1]::bigint) as lowest,
    bool_or(pg_get_expr(c.relpartbound, c.oid) like '%MINVALUE%') as has_all
  from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass`;

/** The logs of the target have a partition for every id of the source, from before the account's rows are copied. */
export async function admitIds(source: Queryable, target: Database): Promise<void> {
  const day = await latestDay(source);
  await target.tx((tx) => addPartitions(tx, day + 1));
  for (const log of LOGS) await admitOldIds(target, log);
}

const ADVANCE = `select setval(s.sequencename::text::regclass, r.value) from json_to_recordset($1::json) as r(name text, value bigint)
  join pg_sequences s on s.schemaname = current_schema() and s.sequencename = r.name
  where coalesce(s.last_value, 0) < r.value`;

/** Ids that the target gives from now on are above those of the source. At the switch. */
export async function advanceIds(source: Queryable, target: Database): Promise<void> {
  const values = await source.query<SequenceState>(SEQUENCES);
  await target.tx(async (tx) => {
    await tx.query("select pg_advisory_xact_lock($1)", [LOG_DAY_LOCK]);
    await tx.query(ADVANCE, [JSON.stringify(values)]);
  });
}

/** A cell that has dropped its first days has no partition for older ids of another one. */
async function admitOldIds(target: Database, log: string): Promise<void> {
  const [bound] = await target.query<{ lowest: number | null; has_all: boolean }>(LOG_BOUND, [log]);
  if (bound?.lowest == null || bound.has_all) return;
  const day = Math.floor(bound.lowest / 2 ** 32) - 1;
  await target.query(
    `create table if not exists ${log}_d${day} partition of ${log} for values from (minvalue) to (${bound.lowest})
     with (autovacuum_analyze_threshold = 2000000000)`,
  );
}

const ARRIVE = `update account_moves set state = 'arrived', progress = '{}', changed_at = now()
  where account_id = $1 and side = 'target' and move_id = $2 and state = 'arriving' returning 1`;

/** What was being written to files at the source begins anew. */
const DRAFTS_STAY = [
  `update message_exports set draft = null, tail = null, after_id = null, is_read = false, messages = 0
   where account_id = $1 and finished_at is null`,
  "update files set progress = null where account_id = $1 and state = 'waiting' and progress is not null",
];

/**
 * The end of the transaction of the switch, whose commit makes the target the account's cell. What nodes of the source had
 * claimed is free. Throws `MoveRevoked`. `sharesFiles`: what was being written to files can be continued here.
 */
export async function arrive(
  tx: Queryable,
  { accountId, moveId, sharesFiles }: { accountId: number; moveId: string; sharesFiles: boolean },
): Promise<void> {
  const statements = [
    "update channels set owner = null, epoch = next_epoch(epoch) where account_id = $1",
    // The trigger of `channels` has written the present states again.
    "delete from channel_states where account_id = $1 and at = now()",
    "update webhook_cursors set claim = null, due = now() where account_id = $1 and claim is not null",
    "update webhook_replays set claim = null where account_id = $1 and claim is not null",
    "update message_exports set claim = null where account_id = $1 and claim is not null",
    // Nobody works on these requests at the source any more.
    "update idempotency_keys set locked_until = now() where account_id = $1 and status is null",
    // It came back: nothing is passed on any more.
    "delete from moved_addresses where account_id = $1",
    "delete from account_moves where account_id = $1 and side = 'source'",
    // The sink of this cell takes the place of that of the source.
    "select align_sink($1)",
    // Of the two cells that the directory may know, this one has the account.
    "update accounts set moves = moves + 1, listed_cell = null where id = $1",
    ...(sharesFiles ? [] : DRAFTS_STAY),
  ];
  await Promise.all(statements.map((text) => tx.query(text, [accountId])));
  await audit(tx, { accountId, action: "account.move" });
  if ((await tx.query(ARRIVE, [accountId, moveId])).length === 0) throw new MoveRevoked();
}

/** The nodes of the target begin at once. */
export function announceArrival(db: Database): void {
  for (const topic of ["moves", "channels", "webhooks", "exports", "replays"] as const)
    notifyNodes(db, topic, "");
}
