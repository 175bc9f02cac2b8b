import { type Database, type Queryable, sql } from "../../database/database.ts";
import type { About } from "./about.ts";
import { lockLogs } from "./log.ts";
import { firstIdOfYesterday } from "./log-days.ts";

/** A change as the log has it. */
export interface LogRow {
  readonly account_id: number;
  readonly id: number;
  readonly about: About;
  readonly chat: string;
  readonly subject: string;
}

/** The part of the log that has every change of the account. */
export interface Followed {
  /** The log has every change from this position on. */
  readonly since: number;
  /** A position after the last committed change and before the next one. */
  readonly now: number;
  /** When following ends, unless it is extended. Unix, milliseconds. */
  readonly until: number;
}

/** Changes are logged this long after the last page was closed, so that a page that returns in time misses nothing. */
const FOLLOWED_MINUTES = 60;

// `now` is drawn from the sequence itself, so that it is greater than every id drawn before, published or not.
const FOLLOW = sql(
  "live_follow",
  `with drawn as materialized (select nextval('log_ids') as now)
   insert into live_accounts as l (account_id, since, until)
   select $1, now, now() + interval '${FOLLOWED_MINUTES} minutes' from drawn
   on conflict (account_id) do update set
     since = case when l.until > now() then l.since else excluded.since end, until = excluded.until
   returning since, (select now from drawn) as now, (extract(epoch from until) * 1000)::float8 as until`,
);

/** Logs the account's changes for the next hour. Calling it again extends that. */
export function follow(db: Database, accountId: number): Promise<Followed> {
  return db.tx(async (tx) => {
    // The lock excludes publishers: later ones see this row, and earlier ones have ids below `now`.
    await lockLogs(tx, [accountId]);
    const [row] = await tx.query<{ since: number; now: number; until: number }>(FOLLOW, [accountId]);
    if (row === undefined) throw new Error("The log of the account cannot be followed");
    return row;
  });
}

/** Whether the log still has every change after this position. Pure. */
export function canResume(position: number, { since, now }: Followed, time: Date): boolean {
  return position >= since && position <= now && position >= firstIdOfYesterday(time);
}

// $4 repeats the lowest position as a plain parameter, so that PostgreSQL can prune partitions. The second part finds
// the end of each log: what lies before it and is no change need not be read again.
const READ = sql(
  "live_read",
  `with f as materialized (select * from unnest($1::bigint[], $2::bigint[]) as f(account_id, position))
   select e.* from f cross join lateral (
     select r.account_id, r.id, r.body as about, r.chat, r.subject from events r
     where r.account_id = f.account_id and r.kind = 'live' and r.id > f.position and r.id > $4 order by r.id limit $3) e
   union all
   select f.account_id, e.id, null, null, null from f cross join lateral (
     select r.id from events r
     where r.account_id = f.account_id and r.id > f.position and r.id > $4 order by r.id desc limit 1) e
   order by account_id, id`,
);

/** What was read of an account's log. */
export interface LogPart {
  /** The changes, in order. */
  readonly rows: readonly LogRow[];
  /** There are no others up to this position. */
  readonly end: number;
}

/** The changes after these positions (by account); at most `limit` for each account. Accounts without any event are left out. */
export async function readLog(
  db: Queryable,
  positions: ReadonlyMap<number, number>,
  limit: number,
): Promise<ReadonlyMap<number, LogPart>> {
  const from = [...positions.values()];
  const found = await db.query<LogRow | (Pick<LogRow, "account_id" | "id"> & { readonly about: null })>(
    READ,
    [[...positions.keys()], from, limit, Math.min(...from)],
  );
  const byAccount = Map.groupBy(found, ({ account_id: id }) => id);
  return new Map(
    [...byAccount].map(([id, own]) => [
      id,
      partOf(
        own.filter((row) => row.about !== null),
        own,
        limit,
      ),
    ]),
  );
}

function partOf(rows: readonly LogRow[], all: readonly { readonly id: number }[], limit: number): LogPart {
  const last = rows.length < limit ? all.at(-1) : rows.at(-1);
  return { rows, end: last?.id ?? 0 };
}

const COUNT = sql(
  "live_count",
  `select count(*)::int as count from (
     select from events r where r.account_id = $1 and r.kind = 'live' and r.id > $2 limit $3) found`,
);

/** The number of changes after a position; `most` if there are more. */
export async function countAfter(
  db: Queryable,
  accountId: number,
  position: number,
  most: number,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(COUNT, [accountId, position, most]);
  return row?.count ?? 0;
}
