import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createAcceptQueue } from "../../src/core/message/accept.ts";
import type { AcceptedMessage } from "../../src/core/message/accepted-message.ts";
import { type Database, openDatabase } from "../../src/database/database.ts";
import { migrate } from "../../src/database/migrate.ts";
import { quietLog } from "../kit/database.ts";
import { startLoad } from "../kit/load.ts";
import { startStand } from "../kit/stand.ts";
import { type Pair, startPair } from "../kit/standby.ts";

const PEOPLE = 4;
const NEWCOMER = "900";

async function openPair(): Promise<Pair> {
  const directory = mkdtempSync(join(tmpdir(), "trunkline-pair-"));
  chmodSync(directory, 0o755);
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }));
  const pair = await startPair(directory);
  onTestFinished(() => pair.stop());
  return pair;
}

test("a standby that lacks the last commits is promoted: nothing is sent twice, and what is unknown is reported", async () => {
  const pair = await openPair();
  const stand = await startStand({ databaseUrl: pair.url });
  onTestFinished(() => stand.stop());
  const service = await stand.start();
  const channel = await stand.addChannel(PEOPLE);
  const load = startLoad(stand, [channel]);
  const other = await stand.addChannel(0);
  load.more(5);
  await load.idle();
  await vi.waitUntil(async () => (await stand.db.query("select 1 from send_jobs")).length === 0);

  // The messages are waiting when the standby receives them, and are sent when it receives nothing any more.
  const hanging = { bot_id: channel.bot.id, method: "sendMessage", hang_ms: 15_000, times: PEOPLE };
  await stand.telegram.admin("POST /faults", hanging);
  load.more(5);
  await load.untilAccepted(10 * PEOPLE);
  await pair.caughtUp();
  await pair.replication.cut();
  // The new primary will not know this chat.
  await other.bot.addPerson(NEWCOMER);
  const first = startLoad(stand, [{ ...other, people: [NEWCOMER] }]);
  first.more(1);
  await first.idle();
  await other.bot.untilSent(1);
  // The next event gets the id that the new primary would draw first.
  const [ids] = await pair.askStandby("select last_value::text as last from log_ids");
  await vi.waitUntil(async () => {
    const [drawn] = await stand.db.query<{ is_last: boolean }>(
      "select nextval('log_ids') >= $1::bigint as is_last",
      [ids?.["last"]],
    );
    return drawn?.is_last === true;
  });
  // Its delivery is under way at the promotion, and is recorded after it.
  const underWay: ServerResponse[] = [];
  stand.receiver.respond = (_, response) => underWay.push(response);
  const latest = load.accepted.slice(5 * PEOPLE).map(({ messageId }) => messageId);
  const idsOf = async (condition: string): Promise<string[]> => {
    const rows = await stand.db.query<{ id: string }>(
      `select id::text from messages where id = any($1::uuid[]) and ${condition}`,
      [latest],
    );
    return rows.map(({ id }) => id);
  };
  // The service knows of more: outcomes that it had not stored by then are stored on the new primary.
  const lost = await vi.waitUntil(async () => {
    const sent = await idsOf("status <> 'queued'");
    return sent.length >= 2 * PEOPLE && underWay.length > 0 && sent;
  });
  await pair.failOver();
  stand.receiver.respond = null;
  for (const response of underWay) response.writeHead(200).end();

  await vi.waitUntil(() => service.output().includes("the database is on another timeline"));
  const queued = "select 1 from messages where status = 'queued'";
  await vi.waitUntil(async () => (await stand.db.query(queued).catch(() => [{}])).length === 0);
  const texts = [...(await channel.bot.sent()).values()].flat();
  expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([]);
  const unknown = await idsOf("status = 'error'");
  expect(unknown).toEqual(expect.arrayContaining(lost));
  const told = () =>
    new Map(
      stand.receiver
        .taken()
        .flatMap(({ messageId, error }) => (error === undefined ? [] : [[messageId, error.error]])),
    );
  await expect.poll(told).toEqual(new Map(unknown.map((id) => [id, "UNKNOWN_ERROR"])));
  const [next] = await stand.db.query<{ skips: boolean }>(
    "select last_value > $1::bigint + (1 << 24) as skips from log_ids",
    [ids?.["last"]],
  );
  expect(next?.skips).toBe(true);
  const bodies = Map.groupBy(stand.receiver.posts, ({ headers }) => headers["webhook-id"]);
  expect([...bodies.values()].filter((posts) => new Set(posts.map(({ body }) => body)).size > 1)).toEqual([]);

  // It continues as before.
  const sent = await channel.bot.sentTotal();
  load.more(1);
  first.more(1);
  await Promise.all([load.idle(), first.idle()]);
  await Promise.all([channel.bot.untilSent(sent + PEOPLE), other.bot.untilSent(2)]);
  const again = first.accepted[1]?.messageId;
  await expect
    .poll(() => stand.receiver.taken().filter(({ messageId }) => messageId === again))
    .toMatchObject([{ kind: "statuses", status: "sent" }]);
  const rows = await stand.db.query(
    "select c.id from messages m join chats c on c.account_id = m.account_id and c.id = m.chat where m.id = $1",
    [again],
  );
  expect(rows).toHaveLength(1);
});

test("a synchronous standby is promoted: what was waiting is sent, and nothing twice", async () => {
  const pair = await openPair();
  await pair.synchronize();
  const stand = await startStand({ databaseUrl: pair.url });
  onTestFinished(() => stand.stop());
  const service = await stand.start();
  const channel = await stand.addChannel(PEOPLE);
  const load = startLoad(stand, [channel]);
  const hanging = { bot_id: channel.bot.id, method: "sendMessage", hang_ms: 15_000, times: PEOPLE };
  await stand.telegram.admin("POST /faults", hanging);
  load.more(5);
  await load.untilAccepted(5 * PEOPLE);
  const unstarted = await stand.db.query<{ id: string }>(
    "select message_id::text as id from send_jobs where started_epoch is null",
  );
  expect(unstarted.length).toBeGreaterThan(0);
  await pair.failOver();

  await vi.waitUntil(() => service.output().includes("the database is on another timeline"));
  const queued = "select 1 from messages where status = 'queued'";
  await vi.waitUntil(async () => (await stand.db.query(queued).catch(() => [{}])).length === 0);
  const statuses = await stand.db.query("select status from messages where id = any($1::uuid[])", [
    unstarted.map(({ id }) => id),
  ]);
  expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set(["sent"]));
  const texts = [...(await channel.bot.sent()).values()].flat();
  expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([]);
});

test("an accept that is repeated while the standby is away is not answered before the standby has it", async () => {
  const pair = await openPair();
  const open = (): Database => {
    const db = openDatabase({ connection: pair.url, log: quietLog, applicationName: "test" });
    onTestFinished(() => db.close());
    return db;
  };
  const [db, aside] = [open(), open()];
  await migrate(db);
  await db.query("insert into accounts (id, name) values (20000001, 'Test')");
  await pair.synchronize();
  await pair.replication.cut();
  let isAnswered = false;
  const queue = createAcceptQueue(db, () => undefined);
  const accepted = queue.add(MESSAGE).then(
    () => (isAnswered = true),
    () => undefined,
  );
  const waiting = async () => {
    const rows = await aside.query<{ pid: number }>(
      "select pid from pg_stat_activity where wait_event = 'SyncRep' and datname = current_database() and backend_type = 'client backend'",
    );
    return rows.map(({ pid }) => pid);
  };
  await vi.waitUntil(async () => (await waiting()).length > 0);
  const [first] = await waiting();
  // The server has the message now; the node does not know, and repeats it.
  await aside.query("select pg_terminate_backend($1)", [first]);
  await vi.waitUntil(async () => isAnswered || (await waiting()).some((pid) => pid !== first));
  expect(isAnswered).toBe(false);
  expect(await aside.query("select 1 from messages")).toHaveLength(1);
  await pair.stop();
  await accepted;
});

const MESSAGE: AcceptedMessage = {
  account_id: 20_000_001,
  id: "0198c0de-0000-4000-8000-000000000001",
  channel_id: "0198c0de-0000-4000-8000-000000000002",
  chat: "0198c0de-0000-4000-8000-000000000003",
  chat_type: "telegram",
  chat_id: "7",
  chat_name: "Customer",
  new_chat: true,
  type: "text",
  text: "Hello",
  content: {},
  quoted_id: null,
  author_id: null,
  author_name: null,
  crm_message_id: null,
};

const DRAW = `select nextval('log_ids') as event, nextval(pg_get_serial_sequence('send_jobs', 'id')) as job,
  nextval(pg_get_serial_sequence('inbound_dead_letters', 'id')) as letter`;

test("no connection is opened on a standby, so none misses its promotion and draws ids of the lost primary", async () => {
  const pair = await openPair();
  const open = (waitMs: number): Database => {
    const db = openDatabase({ connection: pair.url, log: quietLog, applicationName: "test", waitMs });
    onTestFinished(() => db.close());
    return db;
  };
  await migrate(open(60_000));
  const db = open(60_000);
  const unlisten = await db.listen("first", () => {});
  await unlisten();
  await pair.caughtUp();
  await pair.replication.cut();
  const [lost = {}] = await db.query<Record<string, number>>(DRAW);
  const order: string[] = [];
  db.onNewTimeline(() => order.push("new timeline"));

  await pair.leadToStandby();
  await vi.waitUntil(() => db.usage().open === 0);
  const statement = db
    .query("select pg_is_in_recovery() as is_standby")
    .finally(() => order.push("statement"));
  const listening = db.listen("second", () => {});
  const results = Promise.allSettled([statement, listening]);
  const impatient = open(3_000);
  const refusal = /the server is a standby.*DATABASE_URL leads to the primary/;
  await expect(impatient.query("select 1")).rejects.toThrow(refusal);
  await expect(impatient.session((session) => session.query("select 1"))).rejects.toThrow(refusal);
  await vi.waitUntil(() => !db.health().up);
  pair.promote();

  expect(await results).toMatchObject([
    { status: "fulfilled", value: [{ is_standby: false }] },
    { status: "fulfilled" },
  ]);
  expect(order).toEqual(["new timeline", "statement"]);
  const [next = {}] = await db.query<Record<string, number>>(DRAW);
  const reused = Object.entries(lost).filter(([kind, id]) => Number(next[kind]) <= id);
  expect(reused).toEqual([]);
});
