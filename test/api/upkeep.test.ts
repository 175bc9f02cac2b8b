import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { forgettingEvents } from "../../src/work/forgetting.ts";
import { Sweeper } from "../../src/work/sweeper.ts";
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

describe("old events", () => {
  /** What one step reads of a table: look-ups in its indexes, and rows found by them. */
  const costOf = (table: string): Promise<{ looks: number; rows: number }> =>
    node.db.tx(async (tx) => {
      const cost = async () => {
        const [row] = await tx.query<{ looks: number; rows: number }>(
          "select idx_scan as looks, idx_tup_fetch as rows from pg_stat_xact_user_tables where relname = $1",
          [table],
        );
        return row ?? { looks: 0, rows: 0 };
      };
      const before = await cost();
      await forgettingEvents(30)(tx);
      const after = await cost();
      return { looks: after.looks - before.looks, rows: after.rows - before.rows };
    });
  const add = (events: number, age: string) =>
    node.db.query(
      `insert into events (account_id, kind, subject, body, created_at)
       select $1, 'messages', '1', repeat('x', 100), ${age} from generate_series(1, $2::int) n`,
      [account.id, events],
    );

  test("are found among many new ones without looking at those", async () => {
    await add(20_000, "now() - interval '31 days' * (n % 4000 = 0)::int");
    const { rows } = await costOf("events");
    expect(await count("events where created_at < now() - interval '30 days'")).toBe(0);
    expect(rows).toBeLessThan(100);
  });

  test("that wait in many queues cost no look into each queue for each event", async () => {
    await add(1_000, "now() - interval '31 days'");
    await node.db.query(
      `with lanes as (
         insert into webhook_lanes (id, account_id, endpoint_id, chat, due)
         select gen_random_uuid(), $1, gen_random_uuid(), gen_random_uuid(), 'infinity' from generate_series(1, 200)
         returning id)
       insert into webhook_queue (lane, event_id, account_id, endpoint_id)
       select l.id, e.id, $1, l.id from (select id, row_number() over () as n from lanes) l
       join events e on e.account_id = $1 and e.id % 200 + 1 = l.n`,
      [account.id],
    );
    await add(10, "now() - interval '31 days'");
    const { looks } = await costOf("webhook_queue");
    expect(await count(`events where account_id = ${account.id}`)).toBe(1_000);
    expect(looks).toBeLessThan(1_000);
  });
});
