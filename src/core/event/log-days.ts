import { type Database, type Queryable, sql } from "../../database/database.ts";
import { LOG_DAY_LOCK } from "../../database/locks.ts";
import { waitingFor } from "../delivery/cursor/spans.ts";

/** Tables whose ids come from the sequence `log_ids` and that are partitioned by these ids. */
export const LOGS = ["events", "webhook_attempts"] as const;
type Log = (typeof LOGS)[number];

const DAY_MS = 24 * 3600_000;
/** Ids per day: more than an installation uses; ids stay below 2^53 until the year 7,700. */
const IDS_OF_DAY = 2 ** 32;

/** Lock timeout. Attaching or dropping a partition blocks publishers, and long reads block it. */
const LOCK_TIMEOUT_MS = 200;

interface Partition {
  readonly name: string;
  /** The last day whose ids the partition holds, in days since 1970. */
  readonly day: number;
}

const nameOf = (log: Log, day: number): string => `${log}_d${day}`;
const endOf = (day: number): number => (day + 1) * IDS_OF_DAY;

/** Events published since the start of yesterday have no lower id. */
export function firstIdOfYesterday(now: Date): number {
  return (Math.floor(now.getTime() / DAY_MS) - 1) * IDS_OF_DAY;
}

/** Oldest first. */
async function partitionsOf(db: Queryable, log: Log): Promise<Partition[]> {
  const rows = await db.query<{ name: string }>(
    "select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass",
    [log],
  );
  return rows
    .map(({ name }) => ({ name, day: Number(name.slice(nameOf(log, 0).length - 1)) }))
    .toSorted((a, b) => a.day - b.day);
}

// Without ANALYZE: every statement reads these tables by an index, so statistics are useless, and collecting them
// delays other sessions.
const WITH = "with (autovacuum_analyze_threshold = 2000000000)";

/**
 * Creates the partitions of the logs up to tomorrow and advances the sequence to today's first id. Ids never decrease,
 * whatever the clock does, and the next id always has a partition: if this is not called for a while, one partition
 * holds more than a day. `day`: in days since 1970; default the database's current day, or the one after the last if the
 * clock was ahead when that was opened.
 */
export async function openDays(db: Database, day?: number): Promise<void> {
  await db.query(UNDO_FUTURE);
  const today = day ?? (await todayOf(db));
  for (const log of LOGS)
    for (const day of [today, today + 1]) await db.tx((tx) => addPartition(tx, log, day));
  await db.tx(async (tx) => {
    await tx.query(LOCK, [LOG_DAY_LOCK]);
    await tx.query(ADVANCE_SEQUENCE, [today * IDS_OF_DAY, today]);
  });
}

/** In the caller's transaction: creates the partitions for ids up to this day's, such as those of an import. */
export async function addPartitions(tx: Queryable, day: number): Promise<void> {
  for (const log of LOGS) await addPartition(tx, log, day);
}

async function addPartition(tx: Queryable, log: Log, day: number): Promise<void> {
  await tx.query(LOCK, [LOG_DAY_LOCK]);
  const last = (await partitionsOf(tx, log)).at(-1)?.day ?? day - 1;
  if (last >= day) return;
  const name = nameOf(log, day);
  await tx.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await tx.query(`create table if not exists ${name} (like ${log} including all) ${WITH}`);
  await tx.query(
    `alter table ${log} attach partition ${name} for values from (${endOf(last)}) to (${endOf(day)})`,
  );
}

const LATEST_DAY = "select (last_value >> 32)::integer as day from log_ids";

/** The day of the next id. */
export async function latestDay(db: Queryable): Promise<number> {
  const [row] = await db.query<{ day: number }>(LATEST_DAY);
  return row?.day ?? 0;
}

// The clock was set back since. Retention counts from now on.
const UNDO_FUTURE = "update log_days set opened_at = now() where opened_at > now()";
const TODAY = `
  select greatest(
    floor(extract(epoch from now()) / 86400),
    (select max(day + (opened_at < now() - interval '1 day')::integer) from log_days))::integer as day`;

async function todayOf(db: Queryable): Promise<number> {
  const [row] = await db.query<{ day: number }>(TODAY);
  return row?.day ?? 0;
}

// The lock matters: a second concurrent setval would undo ids drawn after the first. Ids drawn meanwhile are far lower.
const LOCK = sql("log_day_lock", "select pg_advisory_xact_lock($1)");
const ADVANCE_SEQUENCE = sql(
  "log_day_jump",
  `with jumped as (select setval('log_ids', $1) from log_ids where last_value < $1)
   insert into log_days (day) select $2 from jumped on conflict do nothing`,
);

/** Ids of a partition are drawn until the next day is opened. */
const IS_OVER = "select 1 from log_days where day > $1 and opened_at < now() - $2 * interval '1 day' limit 1";
const LAGS = "select 1 from webhook_cursors where chat is null and position < $1 limit 1";

const EVENT = "account_id, kind, channel_id, chat, subject, body, created_at";
const EVENT_BATCH_SIZE = 5_000;
export const CURSOR_BATCH_SIZE = 1_000;
/** Maximum duration of one step of copying. */
const STEP_MS = 2_000;
const hasWaitingUpTo = (last: string, c: string): string =>
  `exists (select 1 from ${waitingFor(c, "1", `and e.id <= ${last} order by e.account_id, e.kind, e.id limit 1`)})`;
const PASS = `
  with idle as materialized (
    select id from webhook_cursors c
    where chat is null and position < $1 and claim is null and not ${hasWaitingUpTo("$1", "c")}
    limit ${CURSOR_BATCH_SIZE} for update skip locked)
  update webhook_cursors set position = $1 where id = any(array(select id from idle)) returning id`;
// A claimed cursor is skipped: its delivery advances it.
const COPY = `
  with c as materialized (
    select id, account_id, position, taken from webhook_cursors
    where chat is null and position < $1 and claim is null limit 1 for update skip locked
  ), old as materialized (
    select e.* from c cross join ${waitingFor("c", "e.*", `and e.id <= $1 order by e.account_id, e.kind, e.id limit ${EVENT_BATCH_SIZE}`)}
    order by e.id limit ${EVENT_BATCH_SIZE}
  ), kept as (
    insert into webhook_kept (cursor_id, event_id, ${EVENT}) select c.id, old.id, ${EVENT.replaceAll(/(\w+)/g, "old.$1")} from c, old)
  update webhook_cursors set position = case
    when (select count(*) from old) = ${EVENT_BATCH_SIZE} then (select max(id) from old) else $1 end
  where id = (select id from c) returning id`;

/**
 * Drops the oldest partition of a log if all its rows are older than `days`. Events in it that still wait for a receiver,
 * such as a paused one, are first copied to `webhook_kept` in batches. Returns whether there is more to do.
 */
export async function dropOldest(db: Database, log: Log, days: number): Promise<boolean> {
  const [oldest, ...others] = await partitionsOf(db, log);
  if (oldest === undefined || others.length === 0) return false;
  if ((await db.query(IS_OVER, [oldest.day, days])).length === 0) return false;
  const last = endOf(oldest.day) - 1;
  if (log === "events" && !(await advanceCursors(db, last))) return true;
  await db.tx(async (tx) => {
    await tx.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await tx.query(`drop table ${oldest.name}`);
  });
  return true;
}

const LAST_OPENED = "select max(day) as day from log_days where opened_at < now() - interval '1 day'";

/**
 * Advances the positions of up to a thousand receivers without waiting events to the end of the days before the last
 * one that was opened more than a day ago: no event of these days can still be published. Without this, each search
 * for waiting events would look into all partitions. Returns how many positions changed.
 */
export async function advanceIdleCursors(db: Queryable): Promise<number> {
  const [opened] = await db.query<{ day: number | null }>(LAST_OPENED);
  if (opened?.day == null) return 0;
  return (await db.query(PASS, [endOf(opened.day - 1) - 1])).length;
}

/** Advances the receivers past event `last`. False: time ran out, or cursors that are being delivered are still before it. */
async function advanceCursors(db: Database, last: number): Promise<boolean> {
  const until = performance.now() + STEP_MS;
  for (const statement of [PASS, COPY])
    while ((await db.query(statement, [last])).length > 0) if (performance.now() > until) return false;
  return (await db.query(LAGS, [last])).length === 0;
}
