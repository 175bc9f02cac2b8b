import { afterAll, beforeAll, expect, test } from "vitest";
import { openDays } from "../../src/core/event/log-days.ts";
import { type Database, declaredStatements, openDatabase } from "../../src/database/database.ts";
import "../../src/service/service.ts";
import { quietLog, startTestDatabase, type TestDatabase } from "../kit/database.ts";

/** Tables that change only when people set something up: autovacuum's statistics stay valid for long. */
const STEADY: ReadonlySet<string> = new Set([
  "accounts",
  // A row for each cell that joined.
  "cells",
  // A row for each channel with an import.
  "channel_history",
  "channel_pacing",
  "channels",
  // One row.
  "database_timeline",
  // One row.
  "event_sink",
  "forgotten_channels",
  // A row for each account with an open page.
  "live_accounts",
  // A sequence: one row.
  "log_ids",
  "message_exports",
  "nodes",
  "oauth_clients",
  "oauth_grants",
  "oauth_machine_tokens",
  // People who sign in to the console, their links, returns from the provider, and sessions.
  "operator_links",
  "operator_returns",
  "operator_sessions",
  "operators",
  "partners",
  // One row, and one for each migration.
  "schema_floor",
  "schema_migrations",
  // Emptied once a second.
  "search_queue",
  "session_requests",
  "templates",
  "tokens",
  // One row, and one for each step.
  "upkeep_leader",
  "upkeep_steps",
  "webhook_endpoints",
  "webhook_replays",
]);

/** Run every ten minutes for the whole installation, over tables with few rows for each account or receiver. */
const BY_RETENTION = new Set(["forget_login_attempts", "forget_rate_counters", "phones_expired"]);

/** Run by operators, with any combination of filters; the table is bounded per channel and by age. */
const BY_OPERATORS = new Set(["dead_letters_list", "dead_letters_remove", "dead_letters_request_replay"]);

/** Statements declared by test files of the same process. */
const OF_TESTS = /^(old_|test-)/;

/** The output of EXPLAIN (FORMAT JSON). */
interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Filter?: string;
  readonly "TID Cond"?: string;
  readonly Plans?: readonly PlanNode[];
}

// Each test says what the statistics know. An automatic run between two statements would make other plans.
const WITHOUT_AUTOVACUUM = `do $$ declare name regclass; begin
  for name in select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
    execute format('alter table %s set (autovacuum_enabled = false)', name);
  end loop; end $$`;

let target: TestDatabase;
let db: Database;

beforeAll(async () => {
  target = await startTestDatabase();
  // One connection, so that settings and statements of this test share it.
  db = openDatabase({ connection: target.connection, max: 1, log: quietLog, applicationName: "test" });
  await db.query(WITHOUT_AUTOVACUUM);
});
afterAll(async () => {
  await db.close();
  await target.stop();
});

interface Explained extends Record<string, unknown> {
  readonly "QUERY PLAN": readonly { readonly Plan: PlanNode }[];
}

/**
 * The generic plan of a statement, which the settings of the connection request. `explain (generic_plan)` is newer than
 * the oldest PostgreSQL that the service supports.
 */
async function explain(text: string): Promise<readonly Explained[]> {
  const values = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  await db.query(`prepare explained as ${text}`);
  const nulls = values === 0 ? "" : `(${Array(values).fill("null").join(", ")})`;
  const rows = await db.query<Explained>(`explain (format json) execute explained${nulls}`);
  await db.query("deallocate explained");
  return rows;
}

/** Findings in the plans of statements for values unknown to the planner, by the statement's name. */
async function plansWith(faultsOf: (plan: PlanNode) => string[]): Promise<Record<string, readonly string[]>> {
  const found: Record<string, readonly string[]> = {};
  for (const [name, text] of declaredStatements()) {
    if (OF_TESTS.test(name)) continue;
    const [row] = await explain(text);
    const faults = row?.["QUERY PLAN"].flatMap(({ Plan }) => faultsOf(Plan)) ?? [];
    if (faults.length > 0) found[name] = faults;
  }
  return found;
}

function unboundedScans(node: PlanNode): string[] {
  const inner = (node.Plans ?? []).flatMap(unboundedScans);
  const table = node["Relation Name"];
  if (table === undefined || STEADY.has(table) || !node["Node Type"].endsWith("Scan")) return inner;
  const isBound =
    node["Index Cond"] !== undefined ||
    node["TID Cond"] !== undefined ||
    (node.Plans ?? []).some(hasIndexCond);
  if (isBound && !readsWholeAccount(node)) return inner;
  return [`${node["Node Type"]} ${node["Index Name"] ?? ""} on ${table}`, ...inner];
}

/** Before PostgreSQL 17, an index whose later column is compared by `any` may be read for the account alone. */
function readsWholeAccount(node: PlanNode): boolean {
  const condition = node["Index Cond"] ?? "";
  const isAccountAlone = condition.includes("account_id = ") && !condition.includes(" AND ");
  return isAccountAlone && /\bid = ANY \(ARRAY\[/.test(node.Filter ?? "");
}

function hasIndexCond(node: PlanNode): boolean {
  return node["Index Cond"] !== undefined || (node.Plans ?? []).some(hasIndexCond);
}

/** Scans of `chats` that are not bound by the name of a single one: they read all chats of a channel. */
function scansOfChannels(node: PlanNode): string[] {
  const inner = (node.Plans ?? []).flatMap(scansOfChannels);
  const condition = node["Index Cond"];
  const isByName = condition === undefined || /\b(id|chat_id|phone|username)\b/.test(condition);
  return isByName || node["Relation Name"] !== "chats" ? inner : [`chats by ${condition}`, ...inner];
}

/** Statements that look up the chats of many people of a channel. */
const BY_NAMES = new Set(["phones_known", "group_strangers"]);

// An empty queued event, and a job of a chat without messages, only for their number. No id is random: whether the row that
// is left stands in an index's last leaf decides about its cost.
const id = (kind: string): string => `md5(n || '${kind}')::uuid`;
let filled = 0;
function fill(): readonly string[] {
  const numbers = `generate_series(${filled + 1}, ${filled + 5_000}) n`;
  filled += 5_000;
  return [
    `insert into send_jobs (account_id, channel_id, chat, message_id, kind)
   select 1, ${id("channel")}, ${id("chat")}, ${id("message")}, 'send' from ${numbers}`,
    `insert into send_jobs (account_id, channel_id, chat, message_id, kind)
   select 2, md5(n % 3 || '')::uuid, md5(n % 500 || '')::uuid, ${id("message")}, 'send' from ${numbers}`,
    `insert into events (account_id, kind, subject, body, receivers)
   select 1, 'messages', n, '{}', array[${id("receiver")}] from ${numbers}`,
    `with added as (
     insert into webhook_cursors (id, account_id, endpoint_id, position)
     select ${id("cursor")}, 1, ${id("endpoint")}, 0 from ${numbers} returning id)
   insert into webhook_retries (cursor_id, endpoint_id, event_id, account_id, state, kind, chat, subject, body, created_at, due)
   select id, id, 1, 1, ('{kept,refused,following,parked}'::text[])[1 + ascii(id::text) % 4], 'messages', id, '1', '{}', now(), now()
   from added`,
    `insert into chats (account_id, id, channel_id, chat_type, chat_id, phone, username)
   select 1, ${id("chat")}, md5(n % 3 || '')::uuid, 'telegram', ${id("person")}::text, n::text, 'u' || n from ${numbers}`,
    `insert into unanswered (account_id, chat, message_id, channel_id, at)
   select 1, ${id("chat")}, ${id("message")}, ${id("channel")}, now() from ${numbers}`,
  ];
}

test.each([
  ["never looked at", []],
  ["seen empty", ["vacuum analyze"]],
  ["seen full", [...fill(), "vacuum analyze"]],
  // The last rows stay, so that the files keep their size.
  [
    "seen after nearly all was done",
    [
      ...["send_jobs", "events", "webhook_retries", "webhook_cursors", "chats", "unanswered"].map(
        (table) => `delete from ${table} where ctid < (select max(ctid) from ${table})`,
      ),
      "vacuum analyze",
    ],
  ],
])("every statement reaches rows by an index, with tables that autovacuum has %s", async (_state, steps) => {
  for (const step of steps) await db.query(step);
  expect(declaredStatements().size).toBeGreaterThan(200);
  const found = Object.entries(await plansWith(unboundedScans)).filter(
    ([name]) => !BY_RETENTION.has(name) && !BY_OPERATORS.has(name),
  );
  expect(found).toEqual([]);
  const ofChannels = await plansWith(scansOfChannels);
  expect(Object.entries(ofChannels).filter(([name]) => BY_NAMES.has(name))).toEqual([]);
});

/** How many rows of the tables that grow the connection has read. */
const READ_ROWS = `select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::int as rows
  from pg_stat_xact_user_tables where relname not in (${[...STEADY].map((table) => `'${table}'`).join(", ")})`;

const MESSAGE = "10000000-0000-4000-8000-000000000001";

// `explain` does not see the statements of functions.
test.each([
  ["no claim", []],
  ["a claim", [`${MESSAGE} 1`]],
])(
  "the functions of the database read only the rows of one send, with %s that takes its events",
  async (_, readers) => {
    for (const step of [...fill(), "vacuum analyze"]) await db.query(step);
    const message = MESSAGE;
    await db.query("delete from messages");
    await db.query(
      `insert into messages (account_id, id, channel_id, chat, direction, type, status, sent_at)
     select 1, case n when 1 then $1 else gen_random_uuid() end, gen_random_uuid(), gen_random_uuid(), 'out', 'text', 'queued', now()
     from generate_series(1, 5000) n`,
      [message],
    );
    const [job] = await db.query<{ id: number; channel_id: string; chat: string }>(
      `insert into send_jobs (account_id, channel_id, chat, message_id, kind)
     select account_id, channel_id, chat, id, 'send' from messages where id = $1 returning id, channel_id, chat`,
      [message],
    );
    const [last] = await db.query<{ id: number }>("select last_value - 1 as id from log_ids");
    const [before, after] = await db.tx(async (tx) => [
      await tx.query<{ rows: number }>(READ_ROWS),
      await tx
        .query(
          `select * from record_outcome_for(
           $1, 1, $2, $3, $4, 'sent', 'x', now(), null, now(), '{}', $5, $6, $7, $8, $9)`,
          [
            job?.id,
            job?.channel_id,
            job?.chat,
            message,
            ["messages", "statuses"],
            ["{}", "{}"],
            ["message", "message"],
            readers,
            last?.id,
          ],
        )
        .then(() => tx.query<{ rows: number }>(READ_ROWS)),
    ]);
    const [row] = await db.query("select status from messages where account_id = 1 and id = $1", [message]);
    expect(row).toEqual({ status: "sent" });
    const read = (after?.[0]?.rows ?? 0) - (before?.[0]?.rows ?? 0);
    expect(read).toBeGreaterThan(1);
    expect(read).toBeLessThan(10);
  },
);

/** Indexes of `channels` that do not contain deleted channels, or only until their messenger has unlinked them. */
const LIVE = new Set([
  "channels_live",
  "channels_open",
  "channels_live_of_account",
  "channels_owner",
  "channels_leaving",
]);

/** Scans of `channels` that read deleted ones: neither bound by values nor by an index without them. */
function scansOfAllChannels(node: PlanNode): string[] {
  const inner = (node.Plans ?? []).flatMap(scansOfAllChannels);
  if (node["Relation Name"] !== "channels" || !node["Node Type"].endsWith("Scan")) return inner;
  const isBound = [node, ...(node.Plans ?? [])].some(
    (each) => each["Index Cond"] !== undefined || LIVE.has(each["Index Name"] ?? ""),
  );
  return isBound ? inner : [`${node["Node Type"]} ${node["Index Name"] ?? ""}`, ...inner];
}

test("no statement reads deleted channels", async () => {
  await db.query(`
    insert into accounts (id, name) values (10000000, 'Test');
    insert into channels (account_id, id, transport, status, credentials, deleted_at)
    select 10000000, gen_random_uuid(), 'telegram', 'active', '', case when n > 100 then now() end
    from generate_series(1, 10100) n`);
  await db.query("vacuum analyze channels");
  expect(await plansWith(scansOfAllChannels)).toEqual({});
});

const ACCOUNT = "10000000";
const ANY_ID = "'00000000-0000-4000-8000-000000000001'";

/** The values with which each statement, by its name, is run to read the newest events. */
const LOOKUPS: Readonly<Record<string, (head: string) => string>> = {
  webhook_cursor_read: (head) => `${ANY_ID}, ${ACCOUNT}, ${head}, ${head}, null, 100, 100000, ${ANY_ID}`,
  webhook_cursor_find_other_chat: (head) => `${ANY_ID}, ${ACCOUNT}, ${head}, 0, ${ANY_ID}, ${ANY_ID}, 100`,
  webhook_events_by_ids: (head) => `${ACCOUNT}, array[${head}], ${head}, ${head}`,
  webhook_log_find: (head) => `${ACCOUNT}, ${head}`,
  live_read: (head) => `array[${ACCOUNT}], array[${head}], 100, ${head}`,
};

test("the newest events are found without opening the earlier days' partitions", async () => {
  const [today] = await db.query<{ day: number }>("select (last_value >> 32)::int as day from log_ids");
  const first = today?.day ?? 0;
  for (let day = first; day < first + 40; day++) await openDays(db, day);
  const [head] = await db.query<{ id: string }>("select last_value::text as id from log_ids");
  for (const [name, values] of Object.entries(LOOKUPS)) {
    await db.query(`prepare lookup_${name} as ${declaredStatements().get(name)}`);
    const [row] = await db.query<Explained>(
      `explain (format json) execute lookup_${name} (${values(head?.id ?? "")})`,
    );
    const read = row?.["QUERY PLAN"].flatMap(({ Plan }) => relationsOf(Plan)) ?? [];
    const days = new Set(read.filter((relation) => /^(events|webhook_attempts)_d\d+$/.test(relation)));
    // The partition of the event's day, and that of the next day, which already exists.
    expect([name, days.size > 0 && days.size <= 2]).toEqual([name, true]);
  }
});

function relationsOf(node: PlanNode): string[] {
  const inner = (node.Plans ?? []).flatMap(relationsOf);
  return node["Relation Name"] === undefined ? inner : [node["Relation Name"], ...inner];
}
