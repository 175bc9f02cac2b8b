import { type Database, type Queryable, sql } from "../../database/database.ts";
import { firstIdOfYesterday } from "../event/log-days.ts";
import { lockLogs } from "../event/publish.ts";
import type { About } from "./about.ts";

/** A change as the log has it. */
export interface LogRow {
  readonly account_id: number;
  readonly id: number;
  readonly about: About;
  readonly chat: string;
  readonly subject: string;
}

/** How far the log is followed without a gap. */
export interface Followed {
  /** From this position on the log has every change. */
  readonly since: number;
  /** Behind the last change that was committed, and before the next. */
  readonly now: number;
  /** Unix, milliseconds. */
  readonly until: number;
}

/** How long an account is followed after the last page of it was closed: whoever comes back within it misses nothing. */
const FOLLOWED_MINUTES = 60;

// The number is drawn here, so that it lies behind all that was drawn before, told or not.
const FOLLOW = sql(
  "live_follow",
  `with drawn as materialized (select nextval('log_ids') as now)
   insert into live_accounts as l (account_id, since, until)
   select $1, now, now() + interval '${FOLLOWED_MINUTES} minutes' from drawn
   on conflict (account_id) do update set
     since = case when l.until > now() then l.since else excluded.since end, until = excluded.until
   returning since, (select now from drawn) as now, (extract(epoch from until) * 1000)::float8 as until`,
);

/** Has the account's changes written to its log from now on, for an hour. Repeating it prolongs that. */
export function follow(db: Database, accountId: number): Promise<Followed> {
  return db.tx(async (tx) => {
    // Nobody publishes meanwhile: whoever does next sees this, and whoever did before is behind `now`.
    await lockLogs(tx, [accountId]);
    const [row] = await tx.query<{ since: number; now: number; until: number }>(FOLLOW, [accountId]);
    if (row === undefined) throw new Error("The log of the account cannot be followed");
    return row;
  });
}

/** Whether whoever saw all up to this position can be told the rest. Pure. */
export function canResume(position: number, { since, now }: Followed, time: Date): boolean {
  return position >= since && position <= now && position >= firstIdOfYesterday(time);
}

// From a parameter alone PostgreSQL sees which divisions of the log it need not even open.
const READ = sql(
  "live_read",
  `select e.* from unnest($1::bigint[], $2::bigint[]) as f(account_id, position)
   cross join lateral (
     select r.account_id, r.id, r.body as about, r.chat, r.subject from events r
     where r.account_id = f.account_id and r.kind = 'live' and r.id > f.position and r.id > $4 order by r.id limit $3) e
   order by e.account_id, e.id`,
);

/** What follows these positions, so many changes of each account at most, in order. */
export function readLog(
  db: Queryable,
  positions: ReadonlyMap<number, number>,
  limit: number,
): Promise<LogRow[]> {
  const from = [...positions.values()];
  return db.query<LogRow>(READ, [[...positions.keys()], from, limit, Math.min(...from)]);
}
