import { type Database, type Queryable, sql } from "../database/database.ts";
import { type UpkeepStep, withStatementLimit } from "./upkeep.ts";

/** A statement that removed so many rows may have stopped at its limit. */
const MANY = 1_000;
/** Events looked at in one step. */
const LOOKED_AT = 5_000;

/** Rows of a table whose time is over, at most so many at a time: none of these statements holds up the others. */
const older = (table: string, column: string, age: string, limit = 5_000): string =>
  `delete from ${table} where ctid in (select ctid from ${table} where ${column} < now() - interval '${age}' limit ${limit})`;

const FORGET: Readonly<Record<string, string>> = {
  change_outcomes: older("change_outcomes", "at", "1 day"),
  idempotency_keys: older("idempotency_keys", "created_at", "1 day"),
  rate_counters: "delete from rate_counters where minute < extract(epoch from now()) / 60 - 65",
  channel_log: older("channel_log", "at", "7 days"),
  first_contacts: older("first_contacts", "at", "2 days"),
  channel_notices: older("channel_notices", "at", "30 days"),
  group_changes: older("group_changes", "told_at", "30 days"),
  group_members: older("group_members", "told_at", "30 days"),
  inbound_dead_letters: older("inbound_dead_letters", "last_at", "30 days"),
  unanswered: older("unanswered", "at", "7 days"),
  login_attempts: "delete from login_attempts where period < extract(epoch from now()) / 900 - 1",
  // With a family go its tokens. A used refresh token is known again for as long as it could have been used.
  oauth_grants: older("oauth_grants", "expires_at", "1 day", 1_000),
  oauth_refresh_tokens: older("oauth_refresh_tokens", "expires_at", "1 day"),
  oauth_machine_tokens: older("oauth_machine_tokens", "expires_at", "1 day"),
  oauth_codes: older("oauth_codes", "expires_at", "1 day"),
  page_tickets: older("page_tickets", "expires_at", "1 day"),
  tokens: older("tokens", "expires_at", "1 day"),
  nodes: "delete from nodes where lease_until < now() - interval '1 hour'",
};

/** `$1`: the days for which events are kept. */
const FORGET_BY_AGE: Readonly<Record<string, string>> = {
  webhook_attempts:
    "delete from webhook_attempts where ctid in (select ctid from webhook_attempts where at < now() - $1 * interval '1 day' limit 5000)",
  webhook_notices:
    "delete from webhook_notices where ctid in (select ctid from webhook_notices where at < now() - $1 * interval '1 day' limit 5000)",
  webhook_replay_items: `delete from webhook_replay_items i using (
     select account_id, id from webhook_replays where requested_at < now() - $1 * interval '1 day' order by requested_at limit 10) r
   where i.account_id = any(array[r.account_id]) and i.replay_id = r.id`,
  webhook_replays: `delete from webhook_replays r where ctid in (
     select ctid from webhook_replays where requested_at < now() - $1 * interval '1 day' order by requested_at limit 1000)
     and not exists (select 1 from webhook_replay_items i where i.account_id = r.account_id and i.replay_id = r.id)`,
};

// What is kept is looked for from the queues: each lane of these accounts once, for the span of the events' ids. From
// the events it would be each lane for each event.
const FORGET_EVENTS = sql(
  "forget_events",
  `with old as materialized (
    select ctid as place, account_id, id, created_at from events
    where created_at < now() - $1 * interval '1 day' and (created_at, id) > ($2::timestamptz, $3::bigint)
    order by created_at, id limit ${LOOKED_AT}),
  span as materialized (select min(id) as low, max(id) as high from old),
  tenants as materialized (select distinct account_id from old),
  kept as (
    select q.account_id, q.event_id from span s cross join tenants t
      join webhook_lanes l on l.account_id = any(array[t.account_id])
      join webhook_queue q on q.lane = any(array[l.id]) and q.event_id between s.low and s.high
    union all
    select p.account_id, p.event_id from span s cross join tenants t
      cross join lateral (
        select account_id, event_id from webhook_parked
        where account_id = t.account_id and event_id between s.low and s.high offset 0) p),
  free as (
    select min(place) as place
    from (select account_id, id, place from old union all select account_id, event_id, null from kept) e
    group by account_id, id having count(*) = count(place)),
  gone as (delete from events where ctid = any(array(select place from free)))
  select created_at::text as at, id, (select count(*) from old)::int as "lookedAt"
  from old order by created_at desc, id desc limit 1`,
);

interface Passed {
  readonly at: string;
  readonly id: number;
  readonly lookedAt: number;
}

const NONE: Passed = { at: "-infinity", id: 0, lookedAt: 0 };

const FORGET_AUDIT = {
  audit_log:
    "delete from audit_log where ctid in (select ctid from audit_log where at < now() - $1 * interval '1 day' limit 5000)",
};

export interface Retention {
  readonly eventRetentionDays: number;
  readonly auditRetentionDays: number;
}

/** Everything that is forgotten for its age alone. */
export function forgettingSteps(
  db: Database,
  { eventRetentionDays, auditRetentionDays }: Retention,
): UpkeepStep[] {
  const steps = (statements: Readonly<Record<string, string>>, values: readonly unknown[]): UpkeepStep[] =>
    Object.entries(statements).map(([table, statement]) => ({
      name: `forget ${table}`,
      run: () => withStatementLimit(db, (tx) => forget(tx, statement, values)),
    }));
  const forgetEvents = forgettingEvents(eventRetentionDays);
  return [
    ...steps(FORGET, []),
    ...steps(FORGET_BY_AGE, [eventRetentionDays]),
    ...steps(FORGET_AUDIT, [auditRetentionDays]),
    { name: "forget events", run: () => withStatementLimit(db, forgetEvents) },
  ];
}

async function forget(db: Queryable, statement: string, values: readonly unknown[]): Promise<boolean> {
  const [gone] = await db.query<{ rows: number }>(
    `with gone as (${statement} returning 1) select count(*)::int as rows from gone`,
    values,
  );
  return (gone?.rows ?? 0) >= MANY;
}

/**
 * Forgets old events in steps, in the order of their age, and says whether there are more. Those that still wait, for a
 * receiver that is paused say, are passed, and looked at again when all were.
 */
export function forgettingEvents(days: number): (db: Queryable) => Promise<boolean> {
  let passed = NONE;
  return async (db) => {
    const [last = NONE] = await db.query<Passed>(FORGET_EVENTS, [days, passed.at, passed.id]);
    const hasMore = last.lookedAt === LOOKED_AT;
    passed = hasMore ? last : NONE;
    return hasMore;
  };
}
