import { type Database, type Queryable, sql } from "../../database/database.ts";
import { LOG_DAY_LOCK } from "../../database/locks.ts";

/** Tables whose ids come from the sequence `log_ids` and that are partitioned by these ids. */
export const LOGS = ["events", "webhook_attempts"] as const;
export type Log = (typeof LOGS)[number];

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
/**
 * Drops the oldest partition of a log if all its rows are older than `days`, once `release` has freed it: whoever still
 * needs rows up to the id `last` has then copied them. `release` returns whether it is done. Returns whether there is more
 * to do.
 */
export async function dropOldest(
  db: Database,
  log: Log,
  days: number,
  release: (log: Log, last: number) => Promise<boolean>,
): Promise<boolean> {
  const [oldest, ...others] = await partitionsOf(db, log);
  if (oldest === undefined || others.length === 0) return false;
  if ((await db.query(IS_OVER, [oldest.day, days])).length === 0) return false;
  const last = endOf(oldest.day) - 1;
  if (!(await release(log, last))) return true;
  await db.tx(async (tx) => {
    await tx.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await tx.query(`drop table ${oldest.name}`);
  });
  return true;
}

const LAST_OPENED = "select max(day) as day from log_days where opened_at < now() - interval '1 day'";

/**
 * The last id of the days before the last one that was opened more than a day ago: no event up to it can still be
 * published. Null: there is no such day.
 */
export async function lastEndedId(db: Queryable): Promise<number | null> {
  const [opened] = await db.query<{ day: number | null }>(LAST_OPENED);
  return opened?.day == null ? null : endOf(opened.day - 1) - 1;
}
