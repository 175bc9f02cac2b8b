import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, declaredStatements, openDatabase } from "../../src/database/database.ts";
import "../../src/main.ts";
import { quietLog, startTestDatabase, type TestDatabase } from "../kit/database.ts";

/** Tables that change at the pace of people who set something up: what autovacuum found holds for long. */
const STEADY: ReadonlySet<string> = new Set([
  "accounts",
  "channel_pacing",
  "channels",
  "forgotten_channels",
  // A row for each account that somebody has a page open of.
  "live_accounts",
  // A sequence: one row.
  "log_ids",
  "message_exports",
  "nodes",
  "oauth_clients",
  "oauth_grants",
  "oauth_machine_tokens",
  // People who sign in to the console, their links and sessions.
  "operator_links",
  "operator_sessions",
  "operators",
  "partners",
  "session_requests",
  "templates",
  "tokens",
  // One row, and one for each step.
  "upkeep_leader",
  "upkeep_steps",
  "webhook_endpoints",
  "webhook_replays",
]);

/** As EXPLAIN (FORMAT JSON) gives it. */
interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly "TID Cond"?: string;
  readonly Plans?: readonly PlanNode[];
}

let target: TestDatabase;
let db: Database;

beforeAll(async () => {
  target = await startTestDatabase();
  // One connection: settings and statements of this test go to the same one.
  db = openDatabase({ connection: target.connection, max: 1, log: quietLog, applicationName: "test" });
});
afterAll(async () => {
  await db.close();
  await target.stop();
});

/** How the planner would run each statement for values it does not know, by the statement's name. */
async function wholeTablesRead(): Promise<Record<string, readonly string[]>> {
  const found: Record<string, readonly string[]> = {};
  for (const [name, text] of declaredStatements()) {
    const [row] = await db.query<{ "QUERY PLAN": readonly { Plan: PlanNode }[] }>(
      `explain (generic_plan, format json) ${text}`,
    );
    const scans = row?.["QUERY PLAN"].flatMap(({ Plan }) => unboundedScans(Plan)) ?? [];
    if (scans.length > 0) found[name] = scans;
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
  return isBound ? inner : [`${node["Node Type"]} ${node["Index Name"] ?? ""} on ${table}`, ...inner];
}

function hasIndexCond(node: PlanNode): boolean {
  return node["Index Cond"] !== undefined || (node.Plans ?? []).some(hasIndexCond);
}

// An event of the queue that says nothing, and a job of a chat without messages: for their number alone.
const FILL = [
  `insert into send_jobs (account_id, channel_id, chat, message_id, kind)
   select 1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'send' from generate_series(1, 5000)`,
  `insert into send_jobs (account_id, channel_id, chat, message_id, kind)
   select 2, md5(n % 3 || '')::uuid, md5(n % 500 || '')::uuid, gen_random_uuid(), 'send' from generate_series(1, 5000) n`,
  "insert into events (account_id, kind, subject, body) select 1, 'messages', n, '{}' from generate_series(1, 5000) n",
  `with added as (
     insert into webhook_cursors (id, account_id, endpoint_id, position)
     select gen_random_uuid(), 1, gen_random_uuid(), 0 from generate_series(1, 5000) returning id),
   spans as (insert into webhook_spans (cursor_id, since, kinds) select id, 0, '{messages}' from added)
   insert into webhook_kept (cursor_id, event_id, account_id, kind, subject, body, created_at)
   select id, 1, 1, 'messages', '1', '{}', now() from added`,
  `insert into unanswered (account_id, chat, message_id, channel_id, at)
   select 1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), now() from generate_series(1, 5000)`,
];

test.each([
  ["never looked at", []],
  ["seen empty", ["vacuum analyze"]],
  ["seen full", [...FILL, "vacuum analyze"]],
  // The last rows stay, so that the files keep their size.
  [
    "seen after nearly all was done",
    [
      ...["send_jobs", "events", "webhook_kept", "webhook_spans", "webhook_cursors", "unanswered"].map(
        (table) => `delete from ${table} where ctid < (select max(ctid) from ${table})`,
      ),
      "vacuum analyze",
    ],
  ],
])("every statement reaches rows by an index, with tables that autovacuum has %s", async (_state, steps) => {
  for (const step of steps) await db.query(step);
  expect(declaredStatements().size).toBeGreaterThan(200);
  expect(await wholeTablesRead()).toEqual({});
});
