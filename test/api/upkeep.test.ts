import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { dropOldest, openDays } from "../../src/core/event/log-days.ts";
import { forgettingSteps } from "../../src/work/forgetting.ts";
import { Sweeper } from "../../src/work/sweeper.ts";
import { letDaysPass } from "../kit/event-log.ts";
import { addAccount, startNode, type TestAccount, type TestNode } from "./kit/service.ts";

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

test("a step that fails each time does not keep the others from their work", async () => {
  await node.db.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger refuse before delete on change_outcomes for each row execute function refuse();
    insert into change_outcomes (account_id, job_id, at) values (1, 1, now() - interval '2 days');
    insert into channel_log (account_id, channel_id, at, level, message)
      values (1, gen_random_uuid(), now() - interval '8 days', 'warn', 'old')`);
  onTestFinished(() => void node.db.query("drop function refuse cascade; delete from change_outcomes"));
  const sweeper = new Sweeper({
    core: node.core,
    eventRetentionDays: 30,
    auditRetentionDays: 365,
    fileRetentionDays: 30,
  });
  sweeper.start();
  onTestFinished(() => sweeper.stop());
  await vi.waitUntil(async () => (await count("channel_log where message = 'old'")) === 0);
});

test("old events are dropped together, whatever their number, without looking at them", async () => {
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
  expect(await dropOldest(node.db, "events", 30)).toBe(true);
  expect(await count("events")).toBe(0);
  expect((await read()) - before).toBeLessThan(100);
  expect(await dropOldest(node.db, "events", 30)).toBe(false);
});

test("numbers follow the days, and never go back", async () => {
  const last = async () => {
    const [row] = await node.db.query<{ id: number }>("select last_value as id from log_ids");
    return row?.id ?? 0;
  };
  await letDaysPass(node.db, 1);
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

test("messages are kept for ever, or as long as is set, and never lost while they wait", async () => {
  const owner = await addAccount(node.db);
  const add = (days: number, text: string, status = "read") =>
    node.db.query(
      `insert into messages (account_id, id, channel_id, chat, direction, type, status, text, sent_at, created_at)
       select $1, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || right(replace(gen_random_uuid()::text, '-', ''), 20))::uuid,
         gen_random_uuid(), '00000000-0000-4000-8000-000000000001', 'out', 'text', $4, $3, at, at
       from (select now() - $2 * interval '1 day' as at) t`,
      [owner.id, days, text, status],
    );
  const listAt = (days: number) =>
    node.db.query(
      `insert into chat_order (account_id, chat, channel_id, minute, at)
       select $1, gen_random_uuid(), gen_random_uuid(), floor(extract(epoch from at) / 60), at
       from (select now() - $2 * interval '1 day' as at) t`,
      [owner.id, days],
    );
  await Promise.all([add(41, "old"), add(39, "young"), add(90, "waits", "queued"), listAt(41), listAt(39)]);
  const texts = async () =>
    (
      await node.db.query<{ text: string }>("select text from messages where account_id = $1 order by text", [
        owner.id,
      ])
    ).map(({ text }) => text);
  const sweep = async (messageRetentionDays: number): Promise<void> => {
    const steps = forgettingSteps(node.db, {
      eventRetentionDays: 30,
      auditRetentionDays: 365,
      messageRetentionDays,
    });
    for (const { name, run } of steps) if (/ (messages|chat_order)$/.test(name)) await run();
  };
  await sweep(0);
  expect(await texts()).toEqual(["old", "waits", "young"]);
  await sweep(40);
  expect(await texts()).toEqual(["waits", "young"]);
  expect(await count(`chat_order where account_id = ${owner.id}`)).toBe(1);
  // Unanswered messages count for seven days.
  await add(5, "of this week");
  await sweep(1);
  expect(await texts()).toEqual(["of this week", "waits"]);
});
