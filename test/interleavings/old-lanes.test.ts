import { afterAll, beforeAll, expect, test } from "vitest";
import { retryOnLostConnection } from "../../src/core/retry.ts";
import { type Database, openDatabase, sql } from "../../src/database/database.ts";
import { newId } from "../../src/platform/ids.ts";
import { quietLog, startTestDatabase, type TestDatabase } from "../kit/database.ts";
import { type Actor, type Explorer, openExplorer } from "./explorer.ts";

/**
 * Verifies the explorer itself. Send queues were once kept in a table of lanes, and twice an accepted message was
 * left there without ever being sent. These are a model of the former statements; the explorer must find both faults.
 */

let database: TestDatabase;
let db: Database;
let explorer: Explorer;

beforeAll(async () => {
  database = await startTestDatabase();
  db = openDatabase({ connection: database.connection, log: quietLog, applicationName: "test" });
  await db.query(`create table old_lanes (chat uuid primary key, due timestamptz not null, ver bigint not null default 1);
    create table old_jobs (id bigint generated always as identity, chat uuid not null, primary key (chat, id))`);
  explorer = await openExplorer(database.connection);
});
afterAll(async () => {
  await explorer.close();
  await db.close();
  await database.stop();
});

const ACCEPT = sql(
  "old_accept",
  `with lane as (
     insert into old_lanes (chat, due) values ($1, now())
     on conflict (chat) do update set ver = old_lanes.ver + 1,
       due = case when old_lanes.due = 'infinity' then now() else old_lanes.due end)
   insert into old_jobs (chat) values ($1)`,
);
const READ = sql(
  "old_read",
  "select l.ver, j.id from old_lanes l join old_jobs j on j.chat = l.chat where l.chat = $1 and l.due <= now()",
);
const DELETE = sql("old_delete", "delete from old_jobs where chat = $1 and id = any($2)");
const RELEASE = sql(
  "old_release",
  "update old_lanes set due = case when ver = $2 then 'infinity'::timestamptz else now() end where chat = $1",
);
const CANCEL = sql(
  "old_cancel",
  "delete from old_jobs where (chat, id) in (select chat, id from old_jobs where chat = $1 for update skip locked)",
);
const REST_IF_EMPTY = sql(
  "old_rest",
  `update old_lanes s set due = 'infinity' where s.chat = $1
     and not exists (select 1 from old_jobs j where j.chat = s.chat)`,
);
const REMOVE_IDLE = sql("old_remove", "delete from old_lanes where chat = $1 and due = 'infinity'");

/** Runs after other statements of its transaction, as when quotas are counted. */
const accept =
  (chat: string): Actor =>
  (steps) =>
    steps.tx((tx) => tx.query(ACCEPT, [chat]));
const removeIdle =
  (chat: string): Actor =>
  (steps) =>
    steps.query(REMOVE_IDLE, [chat]);
/** An upkeep that ends waiting jobs, and marks the lane idle if it is then empty. */
const cancel =
  (chat: string): Actor =>
  (steps) =>
    steps.tx(async (tx) => {
      await tx.query(CANCEL, [chat]);
      await tx.query(REST_IF_EMPTY, [chat]);
    });
/** The owner processes the lane; it repeats the release if the response is lost. */
const send =
  (chat: string): Actor =>
  async (steps) => {
    const jobs = await steps.query<{ ver: number; id: number }>(READ, [chat]);
    if (jobs.length === 0) return;
    const ids = jobs.map(({ id }) => id);
    await retryOnLostConnection(() =>
      steps.tx(async (tx) => {
        await tx.query(DELETE, [chat, ids]);
        await tx.query(RELEASE, [chat, jobs[0]?.ver]);
      }),
    );
  };

const STRANDED = `select count(*)::int as stranded from old_jobs j left join old_lanes l on l.chat = j.chat
  where j.chat = $1 and (l.chat is null or l.due = 'infinity')`;

function exploreOld(actorsOf: (chat: string) => readonly Actor[], loses?: number): Promise<number> {
  return explorer.explore({
    ...(loses === undefined ? {} : { loses }),
    async prepare() {
      const chat = newId();
      await db.query(ACCEPT, [chat]);
      return {
        actors: actorsOf(chat),
        check: async () => expect(await db.query(STRANDED, [chat])).toEqual([{ stranded: 0 }]),
      };
    },
  });
}

test("an upkeep that read the queue before it waited for the lane's lock orphans a message", async () => {
  await expect(exploreOld((chat) => [cancel(chat), accept(chat)])).rejects.toThrow(/old_rest.*stranded/s);
});

test("repeating a release after its lane was created anew orphans a message", async () => {
  const actorsOf = (chat: string): Actor[] => [send(chat), removeIdle(chat), accept(chat)];
  // Without lost responses, no such order exists.
  expect(await exploreOld(actorsOf)).toBeGreaterThan(10);
  const commit = 3;
  await expect(exploreOld(actorsOf, commit)).rejects.toThrow(/old_remove.*old_accept.*stranded/s);
});
