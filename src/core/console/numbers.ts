import { type Queryable, sql } from "../../database/database.ts";
import { firstIdAt } from "../../platform/ids.ts";
import type { Base } from "../base.ts";
import { Cache } from "../cache.ts";

const HOUR_MS = 3_600_000;
const HOURS = 24;
/** Hours that ended longer ago are final: statuses of their messages rarely follow. */
const SETTLED_MS = 2 * HOUR_MS;

/** Counts of one hour. */
export interface HourNumbers {
  /** Its start. */
  readonly at: Date;
  /** Outbound messages accepted in this hour, and their outcome so far. */
  readonly accepted: number;
  readonly sent: number;
  readonly failed: number;
  /** Inbound messages. */
  readonly inbound: number;
  /** Maximum seconds between an event and its delivery. */
  readonly lag: number;
}

// Message ids begin with their time: reads one range of the primary key per account.
const COUNT = sql(
  "console_hour",
  `select coalesce(sum(m.accepted), 0)::int as accepted, coalesce(sum(m.sent), 0)::int as sent,
     coalesce(sum(m.failed), 0)::int as failed, coalesce(sum(m.inbound), 0)::int as inbound
   from (select id from accounts where $1::bigint is null or id = $1) a
   cross join lateral (
     select count(*) filter (where direction = 'out') as accepted,
       count(*) filter (where direction = 'out' and status in ('sent', 'delivered', 'read')) as sent,
       count(*) filter (where direction = 'out' and status = 'error') as failed,
       count(*) filter (where direction = 'in') as inbound
     from messages m where m.account_id = a.id and m.id >= $2::uuid and m.id < $3::uuid) m`,
);
const LAG = sql(
  "console_hour_lag",
  `select coalesce(max(extract(epoch from t.at - e.created_at)), 0)::float8 as lag
   from (select id from accounts where $1::bigint is null or id = $1) a
   cross join lateral (
     select account_id, at, kinds, event_ids from webhook_attempts w
     where w.account_id = a.id and w.at >= $2 and w.at < $3 and w.purpose = 'delivery' and w.status between 200 and 299
     order by w.at desc limit 2000) t
   cross join lateral (
     select created_at from events where account_id = any(array[t.account_id]) and kind = any(t.kinds)
       and id = t.event_ids[1] order by account_id, kind, id limit 1) e`,
);

type Counts = Omit<HourNumbers, "at">;

/** Numbers of hours that do not change any more, on this node. */
export interface HasHourNumbers {
  readonly hourNumbers: Cache<string, Counts>;
}

export function createHourNumbers(): HasHourNumbers["hourNumbers"] {
  return new Cache({ maxEntries: 5_000, ttlMs: 30 * HOUR_MS });
}

/** The last 24 hours including the current one, oldest first. `accountId` null: all accounts. */
export async function dayNumbers(
  core: Base & HasHourNumbers,
  accountId: number | null,
): Promise<HourNumbers[]> {
  const known = core.hourNumbers;
  const now = core.clock.now().getTime();
  const last = Math.floor(now / HOUR_MS) * HOUR_MS;
  const hours: HourNumbers[] = [];
  for (let ago = HOURS - 1; ago >= 0; ago--) {
    const at = last - ago * HOUR_MS;
    const key = `${accountId ?? "all"} ${at}`;
    const counts = known.get(key) ?? (await countHour(core.db, accountId, at));
    if (at < now - SETTLED_MS) known.set(key, counts);
    hours.push({ at: new Date(at), ...counts });
  }
  return hours;
}

async function countHour(db: Queryable, accountId: number | null, at: number): Promise<Counts> {
  const ids = [firstIdAt(at), firstIdAt(at + HOUR_MS)];
  const [counts] = await db.query<Omit<Counts, "lag">>(COUNT, [accountId, ...ids]);
  const [row] = await db.query<{ lag: number }>(LAG, [accountId, new Date(at), new Date(at + HOUR_MS)]);
  const none = { accepted: 0, sent: 0, failed: 0, inbound: 0 };
  return { ...none, ...counts, lag: Math.max(0, Math.round((row?.lag ?? 0) * 10) / 10) };
}
