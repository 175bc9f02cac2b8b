import { dropOldest, LOGS } from "../../core/event/log-days.ts";
import { lockSearchIndex, removeFromSearch } from "../../core/message/search-index.ts";
import { type Database, type Queryable, type Statement, sql } from "../../database/database.ts";
import { firstIdAtSql } from "../../platform/ids.ts";
import { type StepResult, type UpkeepStep, withStatementLimit } from "./upkeep.ts";

/** A statement that removed this many rows may have stopped at its limit. */
const MANY = 1_000;

/** Statements, by table, that remove rows and return how many. */
type Removals = Readonly<Record<string, Statement>>;

const removals = (statements: Readonly<Record<string, string>>): Removals =>
  Object.fromEntries(
    Object.entries(statements).map(([table, statement]) => [
      table,
      sql(
        `forget_${table}`,
        `with gone as (${statement} returning 1) select count(*)::int as rows from gone`,
      ),
    ]),
  );

/**
 * Deletes expired rows of a table, a limited number per statement, so that none of the statements delays the others.
 */
const older = (table: string, column: string, age: string, limit = 5_000): string =>
  `delete from ${table} where ctid in (select ctid from ${table} where ${column} < now() - interval '${age}' limit ${limit})`;

const FORGET = removals({
  change_outcomes: older("change_outcomes", "at", "1 day"),
  idempotency_keys: older("idempotency_keys", "created_at", "1 day"),
  rate_counters: "delete from rate_counters where minute < extract(epoch from now()) / 60 - 65",
  channel_log: older("channel_log", "at", "7 days"),
  first_contacts: older("first_contacts", "at", "2 days"),
  channel_notices: older("channel_notices", "at", "30 days"),
  early_reports: older("early_reports", "kept_at", "1 day"),
  group_changes: older("group_changes", "told_at", "30 days"),
  group_members: older("group_members", "told_at", "30 days"),
  inbound_dead_letters: older("inbound_dead_letters", "last_at", "30 days"),
  unanswered: older("unanswered", "at", "7 days"),
  chat_reads: older("chat_reads", "at", "8 days"),
  login_attempts: "delete from login_attempts where period < extract(epoch from now()) / 900 - 1",
  // Deleting a grant deletes its tokens. A used refresh token stays recognisable for as long as it would have been
  // valid.
  oauth_grants: older("oauth_grants", "expires_at", "1 day", 1_000),
  oauth_refresh_tokens: older("oauth_refresh_tokens", "expires_at", "1 day"),
  oauth_machine_tokens: older("oauth_machine_tokens", "expires_at", "1 day"),
  oauth_codes: older("oauth_codes", "expires_at", "1 day"),
  operator_links: older("operator_links", "expires_at", "1 day"),
  operator_sessions: older("operator_sessions", "expires_at", "1 day"),
  channel_recordings: older("channel_recordings", "until", "1 hour"),
  channel_states: older("channel_states", "at", "30 days"),
  page_tickets: older("page_tickets", "expires_at", "1 day"),
  tokens: older("tokens", "expires_at", "1 day"),
  // Spans that every reader has passed.
  webhook_spans: `delete from webhook_spans where ctid in (
    select s.ctid from webhook_spans s join webhook_cursors c on c.id = s.cursor_id where s.until <= c.position limit 5000)`,
  nodes: "delete from nodes where lease_until < now() - interval '1 hour'",
});

/** `$1`: the days for which events are kept. */
const FORGET_BY_AGE = removals({
  webhook_notices:
    "delete from webhook_notices where ctid in (select ctid from webhook_notices where at < now() - $1 * interval '1 day' limit 5000)",
  webhook_replay_items: `delete from webhook_replay_items i using (
     select account_id, id from webhook_replays where requested_at < now() - $1 * interval '1 day' order by requested_at limit 10) r
   where i.account_id = any(array[r.account_id]) and i.replay_id = r.id`,
  webhook_replays: `delete from webhook_replays r where ctid in (
     select ctid from webhook_replays where requested_at < now() - $1 * interval '1 day' order by requested_at limit 1000)
     and (select true from webhook_replay_items i where i.account_id = any(array[r.account_id]) and i.replay_id = r.id limit 1)
       is null`,
});

const FORGET_AUDIT = removals({
  audit_log:
    "delete from audit_log where ctid in (select ctid from audit_log where at < now() - $1 * interval '1 day' limit 5000)",
});

const CUT_OFF = "now() - greatest($1, 8) * interval '1 day'";
/**
 * `$1`: the days for which messages are kept. Ids begin with the time, so the oldest come first; waiting messages are
 * kept.
 */
const FORGET_MESSAGES = sql(
  "forget_messages",
  `with gone as (
     delete from messages where ctid = any(array(
       select m.ctid from accounts a cross join lateral (
         select ctid from messages m
         where m.account_id = a.id and m.status <> 'queued'
           and m.id < ${firstIdAtSql(CUT_OFF)}
         order by m.account_id, m.id limit 5000) m
       limit 5000))
     returning account_id, id
   ), unsearched as (${removeFromSearch("gone")})
   select count(*)::int as rows from gone`,
);
const FORGET_CHATS = removals({
  chat_order: `delete from chat_order where ctid = any(array(
     select o.ctid from accounts a cross join lateral (
       select ctid from chat_order o
       where o.account_id = a.id and o.minute < floor(extract(epoch from ${CUT_OFF}) / 60) limit 5000) o
     limit 5000))`,
});

export interface Retention {
  readonly eventRetentionDays: number;
  readonly auditRetentionDays: number;
  /** 0: for ever, the default. */
  readonly messageRetentionDays?: number;
}

/** All steps that delete rows because of their age alone. */
export function retentionSteps(
  db: Database,
  { eventRetentionDays, auditRetentionDays, messageRetentionDays = 0 }: Retention,
): UpkeepStep[] {
  const steps = (statements: Removals, values: readonly unknown[]): UpkeepStep[] =>
    Object.entries(statements).map(([table, statement]) => ({
      name: `forget ${table}`,
      run: () => withStatementLimit(db, (tx) => forget(tx, statement, values)),
    }));
  return [
    ...steps(FORGET, []),
    ...steps(FORGET_BY_AGE, [eventRetentionDays]),
    ...steps(FORGET_AUDIT, [auditRetentionDays]),
    ...(messageRetentionDays === 0
      ? []
      : [
          {
            name: "forget messages",
            run: () => withStatementLimit(db, (tx) => forgetMessages(tx, messageRetentionDays)),
          },
          ...steps(FORGET_CHATS, [messageRetentionDays]),
        ]),
    ...LOGS.map((log) => ({
      name: `forget ${log}`,
      run: async () => ({ rows: 0, hasMore: await dropOldest(db, log, eventRetentionDays) }),
    })),
  ];
}

/** Deletes the messages' entries of the search index as well. */
async function forgetMessages(tx: Queryable, days: number): Promise<StepResult> {
  await lockSearchIndex(tx);
  return forget(tx, FORGET_MESSAGES, [days]);
}

async function forget(db: Queryable, statement: Statement, values: readonly unknown[]): Promise<StepResult> {
  const [gone] = await db.query<{ rows: number }>(statement, values);
  const rows = gone?.rows ?? 0;
  return { rows, hasMore: rows >= MANY };
}
