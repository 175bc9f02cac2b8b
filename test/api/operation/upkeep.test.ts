import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { listAttention } from "../../../src/core/console/attention.ts";
import { advanceIdleCursors, dropOldestDay } from "../../../src/core/delivery/cursor/ended-days.ts";
import { countWaiting } from "../../../src/core/delivery/cursor/waiting.ts";
import { openDays } from "../../../src/core/event/log-days.ts";
import { indexForSearch, queueForSearch } from "../../../src/core/message/search-index.ts";
import { PrimaryMemory } from "../../../src/core/primary-memory.ts";
import { newId } from "../../../src/platform/ids.ts";
import { createLog } from "../../../src/platform/log.ts";
import { Leader } from "../../../src/work/upkeep/leader.ts";
import { retentionSteps } from "../../../src/work/upkeep/retention.ts";
import { Sweeper } from "../../../src/work/upkeep/sweeper.ts";
import { Upkeep, type UpkeepReport, type UpkeepStep } from "../../../src/work/upkeep/upkeep.ts";
import { UpkeepRecord } from "../../../src/work/upkeep/upkeep-record.ts";
import { addReceiver } from "../../kit/cursors.ts";
import { addTrigger, quietLog } from "../../kit/database.ts";
import { letDaysPass } from "../../kit/event-log.ts";
import { addAccount, startNode, type TestAccount, type TestNode } from "../kit/service.ts";
import { sweeperOf } from "../kit/sweeper.ts";

let node: TestNode;
let account: TestAccount;

beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());
beforeEach(async () => {
  account = await addAccount(node.db);
});

const count = async (rows: string): Promise<number> => {
  const [found] = await node.db.query<{ n: number }>(`select count(*)::int as n from ${rows}`);
  return found?.n ?? 0;
};

test("no partition of the logs is analysed automatically, the first one included", async () => {
  await openDays(node.db);
  const partitions = await node.db.query<{ log: string; options: string[] | null }>(
    `select i.inhparent::regclass::text as log, c.reloptions as options
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where c.relkind = 'r' and i.inhparent = any (array['events', 'webhook_attempts']::regclass[])
     order by log, c.relname`,
  );
  const withoutAnalyze = (log: string) => ({ log, options: ["autovacuum_analyze_threshold=2000000000"] });
  // Today's is created by the migration, tomorrow's by `openDays`.
  expect(partitions).toEqual(
    ["events", "events", "webhook_attempts", "webhook_attempts"].map(withoutAnalyze),
  );
});

test("a step that always fails does not stop the others", async () => {
  const dropTrigger = await addTrigger(node.db, "before delete on change_outcomes", {
    run: "raise exception 'refused'",
  });
  onTestFinished(async () => {
    await dropTrigger();
    await node.db.query("delete from change_outcomes");
  });
  await node.db.query(`
    insert into change_outcomes (account_id, job_id, at) values (1, 1, now() - interval '2 days');
    insert into channel_log (account_id, channel_id, at, level, message)
      values (1, gen_random_uuid(), now() - interval '8 days', 'warn', 'old')`);
  const sweeper = sweeperOf(node);
  sweeper.start();
  onTestFinished(() => sweeper.stop());
  await vi.waitUntil(async () => (await count("channel_log where message = 'old'")) === 0);
});

test("a hanging step is reported, skipped until it ends, and does not stop the others", async () => {
  const hung = Promise.withResolvers<void>();
  const reports: UpkeepReport[] = [];
  const started = { hangs: 0, works: 0 };
  const upkeep = new Upkeep({
    everyMs: 1,
    limitMs: 50,
    log: quietLog,
    leads: () => true,
    onStep: (report) => reports.push(report),
    steps: [
      {
        name: "hangs",
        async run() {
          started.hangs++;
          if (started.hangs === 1) await hung.promise;
          return { rows: 3, hasMore: false };
        },
      },
      { name: "works", run: async () => ({ rows: ++started.works, hasMore: false }) },
    ],
  });
  upkeep.start();
  onTestFinished(() => upkeep.stop());
  await vi.waitUntil(() => started.works > 1);
  expect(started.hangs).toBe(1);
  expect(reports[0]).toMatchObject({ step: "hangs", failure: new Error("It took longer than 0.05 s") });
  hung.resolve();
  await vi.waitUntil(() => reports.some(({ step, rows }) => step === "hangs" && rows === 3));
  expect(started.hangs).toBeGreaterThan(1);
});

test("one of two nodes runs the upkeep; the other takes over when it dies or stops", async () => {
  const [first, second] = [await candidate("first"), await candidate("second")];
  await first.leader.ask();
  await second.leader.ask();
  expect([first.leader.leads(), second.leader.leads()]).toEqual([true, false]);
  await vi.waitUntil(() => first.steps.size > 10);
  expect(second.steps.size).toBe(0);
  // Its lease is not renewed any more, as when its process is killed or hangs.
  first.lease.isValid = () => false;
  await node.db.query("update nodes set lease_until = now() where name = 'first'");
  await second.leader.ask();
  expect([first.leader.leads(), second.leader.leads()]).toEqual([false, true]);
  await vi.waitUntil(() => second.steps.size > 10);
  first.lease.isValid = () => true;
  await node.db.query("update nodes set lease_until = now() + interval '1 hour' where name = 'first'");
  await first.leader.ask();
  expect([first.leader.leads(), first.lost()]).toEqual([false, 1]);
  await second.leader.stop();
  await first.leader.ask();
  expect([first.leader.leads(), second.leader.leads()]).toEqual([true, false]);
});

/** A node that may run the upkeep, with a lease of an hour. `steps`: what it has run. */
async function candidate(name: string) {
  const lease = {
    nodeId: newId(),
    isValid: () => true,
    concurrency: 1,
    primary: new PrimaryMemory(),
    release: async () => undefined,
  };
  await node.db.query(
    "insert into nodes (id, name, roles, lease_until) values ($1, $2, '{jobs}', now() + interval '1 hour')",
    [lease.nodeId, name],
  );
  const steps = new Set<string>();
  let lost = 0;
  const leader = new Leader({ db: node.db, log: quietLog, lease: () => lease, onLost: () => lost++ });
  const sweeper = new Sweeper({
    core: node.core,
    eventRetentionDays: 30,
    auditRetentionDays: 365,
    fileRetentionDays: 30,
    leads: () => leader.leads(),
    onStep: ({ step }) => steps.add(step),
  });
  sweeper.start();
  onTestFinished(async () => {
    await sweeper.stop();
    await leader.stop();
    await node.db.query("delete from nodes where id = $1", [lease.nodeId]);
  });
  return { leader, lease, steps, lost: () => lost };
}

test("a step that keeps failing raises an alarm in the log and the console, until it succeeds", async () => {
  const lines: string[] = [];
  const log = createLog({
    level: "info",
    pretty: false,
    destination: { write: (line) => void lines.push(line) },
  });
  const overdue: number[] = [];
  const record = new UpkeepRecord({
    db: node.db,
    log,
    leads: () => true,
    steps: [
      { name: "fails", everyMs: 1_000 },
      { name: "works", everyMs: 1_000 },
    ],
    onOverdue: (steps) => overdue.push(steps),
  });
  await candidate("with jobs");
  let laterMs = 0;
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + laterMs);
  onTestFinished(() => clock.mockRestore());
  const pass = async (seconds: number): Promise<void> => {
    laterMs += seconds * 1_000;
    await node.db.query("update upkeep_steps set succeeded_at = succeeded_at - $1 * interval '1 second'", [
      seconds,
    ]);
  };
  const run = async (failure: Error | null) => {
    record.note({ step: "fails", failure, rows: 0, seconds: 0 });
    record.note({ step: "works", failure: null, rows: 0, seconds: 0 });
    await record.store();
    const found = await listAttention(node.db, null);
    return found.filter(({ kind }) => kind === "upkeep_fails");
  };
  expect(await run(null)).toEqual([]);
  await pass(50);
  expect(await run(new Error("refused"))).toEqual([]);
  await pass(20);
  expect(await run(new Error("refused"))).toMatchObject([
    { level: "bad", name: "fails", reason: "refused", count: 1 },
  ]);
  await run(new Error("refused"));
  expect(await run(null)).toEqual([]);
  expect(overdue).toEqual([0, 0, 1, 1, 0]);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: "error", step: "fails", failures: 2, failure: "refused" },
    { level: "info", step: "fails" },
  ]);
});

test("a node of an earlier release needs attention an hour after the database was migrated", async () => {
  await node.db.query("delete from nodes");
  await candidate("earlier");
  await candidate("later");
  await node.db.query("update nodes set schema_version = 9001 where name = 'later'");
  const found = async () =>
    (await listAttention(node.db, null)).filter(({ kind }) => kind === "older_node").map(({ name }) => name);
  await node.db.query("insert into schema_migrations (version, name, checksum) values (9001, 'later', '')");
  await node.db.query("update schema_migrations set applied_at = now() - interval '50 minutes'");
  expect(await found()).toEqual([]);
  await node.db.query("update schema_migrations set applied_at = now() - interval '70 minutes'");
  expect(await found()).toEqual(["earlier"]);
  await node.db.query("delete from schema_migrations where version = 9001");
});

test("old events are dropped together, whatever their number, without reading them", async () => {
  await node.db.query(
    `insert into events (account_id, kind, subject, body)
     select $1, 'messages', '1', repeat('x', 100) from generate_series(1, 20000)`,
    [account.id],
  );
  await letDaysPass(node.db, 31);
  const read = async () => {
    const [row] = await node.db.query<{ rows: number }>(
      "select coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::int as rows from pg_stat_user_tables where relname like 'events%'",
    );
    return row?.rows ?? 0;
  };
  await node.db.query("select pg_stat_force_next_flush()");
  const before = await read();
  expect(await dropOldestDay(node.db, "events", 30)).toBe(true);
  expect(await count("events")).toBe(0);
  expect((await read()) - before).toBeLessThan(100);
  expect(await dropOldestDay(node.db, "events", 30)).toBe(false);
});

test("idle receivers advance to the last day that was opened more than a day ago", async () => {
  const idle = await addReceiver(node.db, account.id, ["statuses"]);
  const claimed = await addReceiver(node.db, account.id, ["statuses"]);
  const waiting = await addReceiver(node.db, account.id, ["messages"]);
  await node.db.query(
    `with n as (
       insert into nodes (id, name, roles, lease_until)
       values (gen_random_uuid(), 'deliverer', '{delivery}', now() + interval '1 hour') returning id)
     update webhook_cursors c set claim = n.id from n where c.id = $1`,
    [claimed],
  );
  onTestFinished(async () => void (await node.db.query("delete from nodes where name = 'deliverer'")));
  await node.db.query(
    `insert into events (account_id, kind, subject, body, receivers)
     values ($1, 'messages', '1', '', array(select endpoint_id from webhook_cursors where account_id = $1 and id <> $2))`,
    [account.id, idle],
  );
  const positions = async () => {
    const rows = await node.db.query<{ id: string; position: number }>(
      "select id, position from webhook_cursors where account_id = $1",
      [account.id],
    );
    return Object.fromEntries(rows.map(({ id, position }) => [id, position]));
  };
  const before = await positions();
  // The day was opened just now: a transaction may be about to commit an event of an earlier day.
  await letDaysPass(node.db, 0);
  await advanceIdleCursors(node.db);
  expect(await positions()).toEqual(before);
  const [opened] = await node.db.query<{ id: number }>(
    "select max(day) * (1::bigint << 32) as id from log_days",
  );
  await node.db.query("update log_days set opened_at = opened_at - interval '25 hours'");
  const sweeper = sweeperOf(node);
  sweeper.start();
  onTestFinished(() => sweeper.stop());
  await vi.waitUntil(async () => (await positions())[idle] !== before[idle]);
  expect(await positions()).toEqual({ ...before, [idle]: (opened?.id ?? 0) - 1 });
  expect(await countWaitingFor(waiting)).toBe(1);
});

async function countWaitingFor(id: string): Promise<number> {
  const [row] = await node.db.query<{ n: number }>(
    `select ${countWaiting("c")}::int as n from webhook_cursors c where id = $1`,
    [id],
  );
  return row?.n ?? 0;
}

test("ids follow the days, and never decrease", async () => {
  const last = async () => {
    const [row] = await node.db.query<{ id: number }>("select last_value as id from log_ids");
    return row?.id ?? 0;
  };
  await letDaysPass(node.db, 0);
  const opened = await last();
  await Promise.all([openDays(node.db), openDays(node.db), openDays(node.db)]);
  expect(await last()).toBe(opened);
  const day = opened / 2 ** 32;
  await Promise.all([openDays(node.db, day + 3), openDays(node.db, day + 3)]);
  expect(await last()).toBe((day + 3) * 2 ** 32);
  await node.db.query(
    "insert into events (account_id, kind, subject, body) values ($1, 'messages', '1', '')",
    [account.id],
  );
});

test("days are opened and dropped also after the clock was far ahead", async () => {
  const days = async () => {
    const rows = await node.db.query<{ day: number }>("select day from log_days order by day");
    return rows.map(({ day }) => day);
  };
  const hoursPass = (hours: number) =>
    node.db.query("update log_days set opened_at = opened_at - $1 * interval '1 hour'", [hours]);
  const ahead = ((await days()).at(-1) ?? 0) + 1_000;
  await openDays(node.db, ahead);
  await hoursPass(-24_000);
  await openDays(node.db);
  await hoursPass(23);
  await openDays(node.db);
  expect((await days()).at(-1)).toBe(ahead);
  await hoursPass(2);
  await openDays(node.db);
  expect((await days()).at(-1)).toBe(ahead + 1);
  await hoursPass(25);
  while (await dropOldestDay(node.db, "webhook_attempts", 1)) await count("webhook_attempts");
  const oldest = await node.db.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'webhook_attempts'::regclass order by length(c.relname), c.relname limit 1`,
  );
  expect(oldest).toEqual([{ name: `webhook_attempts_d${ahead + 1}` }]);
});

test("old replays are deleted without a pause, however few items each has", async () => {
  await node.db.query(
    `with old as (
       insert into webhook_replays (account_id, id, requested_at)
       select $1, gen_random_uuid(), now() - interval '31 days' from generate_series(1, 50) returning id)
     insert into webhook_replay_items (account_id, replay_id, position, endpoint_id, delivery_id, event_ids)
     select $1, id, 1, gen_random_uuid(), 'msg', '{}' from old`,
    [account.id],
  );
  const all = retentionSteps(node.db, { eventRetentionDays: 30, auditRetentionDays: 365 });
  let steps = all.filter(({ name }) => name.startsWith("forget webhook_replay"));
  // As in the upkeep: what is finished waits for the next round.
  while (steps.length > 0) {
    const unfinished: UpkeepStep[] = [];
    for (const step of steps) if ((await step.run(AbortSignal.abort())).hasMore) unfinished.push(step);
    steps = unfinished;
  }
  expect(await count("webhook_replay_items")).toBe(0);
  expect(await count("webhook_replays")).toBe(0);
});

test("messages are kept for ever, or as long as configured, and never deleted while they wait", async () => {
  const owner = await addAccount(node.db);
  const add = (days: number, text: string, status = "read", count = 1) =>
    node.db.query(
      `insert into messages (account_id, id, channel_id, chat, direction, type, status, text, sent_at, created_at)
       select $1, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || right(replace(gen_random_uuid()::text, '-', ''), 20))::uuid,
         gen_random_uuid(), '00000000-0000-4000-8000-000000000001', 'out', 'text', $4, $3, at, at
       from (select now() - $2 * interval '1 day' as at) t cross join generate_series(1, $5)`,
      [owner.id, days, text, status, count],
    );
  const listAt = (days: number) =>
    node.db.query(
      `insert into chat_order (account_id, chat, channel_id, minute, at)
       select $1, gen_random_uuid(), gen_random_uuid(), floor(extract(epoch from at) / 60), at
       from (select now() - $2 * interval '1 day' as at) t`,
      [owner.id, days],
    );
  // More of them than are removed at a time: what waits must not stand before what is to go.
  await add(90, "waits", "queued", 6_000);
  await Promise.all([add(41, "old"), add(39, "young"), listAt(41), listAt(39)]);
  await node.db.query(
    queueForSearch("select account_id, id from messages where account_id = $1 and text <> 'waits'"),
    [owner.id],
  );
  await indexForSearch(node.db, 1_000);
  const searched = () => count(`message_words where account_id = ${owner.id}`);
  expect(await searched()).toBe(2);
  const texts = async () =>
    (
      await node.db.query<{ text: string }>(
        "select distinct text from messages where account_id = $1 order by text",
        [owner.id],
      )
    ).map(({ text }) => text);
  const sweep = async (messageRetentionDays: number): Promise<void> => {
    const steps = retentionSteps(node.db, {
      eventRetentionDays: 30,
      auditRetentionDays: 365,
      messageRetentionDays,
    });
    for (const { name, run } of steps)
      if (/ (messages|chat_order)$/.test(name)) await run(AbortSignal.abort());
  };
  await sweep(0);
  expect(await texts()).toEqual(["old", "waits", "young"]);
  await sweep(40);
  expect(await texts()).toEqual(["waits", "young"]);
  expect(await count(`chat_order where account_id = ${owner.id}`)).toBe(1);
  expect(await searched()).toBe(1);
  // Unanswered messages count for seven days.
  await add(5, "of this week");
  await sweep(1);
  expect(await texts()).toEqual(["of this week", "waits"]);
});
