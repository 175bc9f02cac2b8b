import { join } from "node:path";
import fc from "fast-check";
import pg from "pg";
import { afterEach, expect, test, vi } from "vitest";
import {
  ConnectionLost,
  type Database,
  DatabaseUnavailable,
  openDatabase,
  sql,
} from "../../src/database/database.ts";
import { quietLog, startTestDatabase } from "../kit/database.ts";
import { startLine } from "../kit/line.ts";

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

type Options = Partial<Parameters<typeof openDatabase>[0]>;

async function openFresh(options: Options = {}): Promise<Database & { url: string }> {
  const { url, stop } = await startTestDatabase({ empty: true });
  const db = openDatabase({ connection: url, log: quietLog, applicationName: "test", ...options });
  cleanUps.push(stop, () => db.close());
  return Object.assign(db, { url });
}

/** A database behind a TCP connection that the test can cut. */
async function openOverLine(options: Options = {}) {
  const { url, stop } = await startTestDatabase({ empty: true });
  const { username, password, pathname, searchParams } = new URL(url);
  const line = await startLine({ path: join(String(searchParams.get("host")), ".s.PGSQL.5432") });
  const connection = `postgres://${username}:${password}@127.0.0.1:${line.port}${pathname}`;
  const db = openDatabase({ connection, log: quietLog, applicationName: "test", ...options });
  cleanUps.push(stop, () => db.close());
  return { db, line, url };
}

/** A connection to the same database, past limits and lines. */
function openDirect(url: string): Database {
  const direct = openDatabase({ connection: url, max: 1, log: quietLog, applicationName: "test" });
  cleanUps.push(() => direct.close());
  return direct;
}

/** A database that grants `db` only that many connections. Superusers ignore such a limit. */
async function openLimited(connections: number, options: Options = {}) {
  const db = await openFresh(options);
  const { url } = db;
  const direct = openDirect(url);
  // One of them is that of `direct`.
  const limitTo = (count: number) =>
    direct.query(`alter database ${new URL(url).pathname.slice(1)} connection limit ${count + 1}`);
  await limitTo(connections);
  return { db, direct, limitTo };
}

const SLEEP = sql("test-sleep", "select pg_sleep($1)");
const SLEEPING =
  "select pid from pg_stat_activity where query like 'select pg_sleep%' and state = 'active' and datname = current_database()";

const SESSION = "select 1 from pg_stat_activity where pid = $1";

/** Resolves when that many statements sleep in that database. */
async function untilSleeping(direct: Database, count: number): Promise<void> {
  await vi.waitUntil(async () => (await direct.query(SLEEPING)).length === count);
}

/** Cancels the statements that sleep in that database. */
async function wake(direct: Database): Promise<void> {
  await direct.query(`select pg_cancel_backend(pid) from (${SLEEPING}) s`);
}

const CANCELLED = { status: "rejected", reason: { code: "57014" } };

test("values come back as numbers, dates, buffers and parsed JSON", async () => {
  const db = await openFresh();
  const [row] = await db.query(
    sql(
      "test-values",
      "select $1::bigint as n, $2::bigint[] as list, $3::timestamptz as at, $4::bytea as bytes, $5::jsonb as json, 1.50::numeric as exact",
    ),
    [2 ** 52, [1, 2], new Date(5), Buffer.from("x"), { a: 1 }],
  );
  expect(row).toEqual({
    n: 2 ** 52,
    list: [1, 2],
    at: new Date(5),
    bytes: Buffer.from("x"),
    json: { a: 1 },
    exact: "1.50",
  });
});

test("statements are planned for large tables, whatever the connection string sets", async () => {
  const { url, stop } = await startTestDatabase({ empty: true });
  cleanUps.push(stop);
  const connection = new URL(url);
  connection.searchParams.set("options", "-c work_mem=7MB -c enable_seqscan=on");
  const db = openDatabase({ connection: connection.href, log: quietLog, applicationName: "test" });
  cleanUps.push(() => db.close());
  const rows = await db.query<{ value: string }>(
    "select current_setting(name) as value from unnest($1::text[]) with ordinality as s (name, place) order by place",
    [["enable_seqscan", "plan_cache_mode", "work_mem"]],
  );
  expect(rows.map(({ value }) => value)).toEqual(["off", "force_generic_plan", "7MB"]);
});

test("a transaction commits all or nothing", async () => {
  const db = await openFresh();
  await db.query("create table t (n integer primary key); insert into t values (1)");
  const insert = sql("test-insert", "insert into t values ($1)");
  await db.tx(async (tx) => {
    await Promise.all([tx.query(insert, [2]), tx.query(insert, [3])]);
  });
  await expect(
    db.tx(async (tx) => {
      await tx.query(insert, [4]);
      throw new Error("changed my mind");
    }),
  ).rejects.toThrow("changed my mind");
  await expect(db.tx((tx) => tx.query(insert, [1]))).rejects.toMatchObject({ code: "23505" });
  // An unhandled failure must not count as success.
  await expect(db.tx(async (tx) => void tx.query(insert, [1]).catch(() => {}))).rejects.toThrow(
    /rolled back/,
  );
  expect(await db.query("select n from t order by n")).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(db.usage()).toMatchObject({ open: 1, idle: 1 });
});

test("large transactions alternate by owner; small ones are not limited", async () => {
  const db = await openFresh({ maxBulks: 1 });
  const began: string[] = [];
  const ended: string[] = [];
  const release = Promise.withResolvers<void>();
  const large = (name: string, owner: string): Promise<void> =>
    db.bulk({ owner, rows: 4_000 }, async (tx) => {
      began.push(name);
      if (name === "a1") await release.promise;
      await tx.query("select 1");
      ended.push(name);
    });
  const all = [large("a1", "a"), large("a2", "a"), large("a3", "a"), large("b1", "b")];
  await vi.waitUntil(() => began.length === 1);
  const small = await db.bulk({ owner: "c", rows: 1 }, (tx) => tx.query("select 2 as n"));
  expect(small).toEqual([{ n: 2 }]);
  expect(began).toEqual(["a1"]);
  release.resolve();
  await Promise.all(all);
  expect(began).toEqual(["a1", "a2", "b1", "a3"]);
  expect(ended).toEqual(began);
});

test("queries after the end of a transaction are refused", async () => {
  const db = await openFresh();
  const leaked = await db.tx(async (tx) => ({ tx }));
  await expect(leaked.tx.query("select 1")).rejects.toThrow(/has ended/);
});

test("transactions that conflict are repeated", async () => {
  const db = await openFresh();
  await db.query(
    "create table t (id integer primary key, n integer not null); insert into t values (1, 0), (2, 0)",
  );
  let runs = 0;
  let holders = 0;
  const bothHaveOne = Promise.withResolvers<void>();
  const bump = (first: number, second: number) =>
    db.tx(async (tx) => {
      runs++;
      await tx.query("update t set n = n + 1 where id = $1", [first]);
      if (++holders === 2) bothHaveOne.resolve();
      await bothHaveOne.promise;
      await tx.query("update t set n = n + 1 where id = $1", [second]);
    });
  await Promise.all([bump(1, 2), bump(2, 1)]);
  expect(await db.query("select n from t order by id")).toEqual([{ n: 2 }, { n: 2 }]);
  expect(runs).toBeGreaterThan(2);
});

test("two statements cannot have the same name", () => {
  sql("test-twice", "select 1");
  expect(sql("test-twice", "select 1")).toEqual({ name: "test-twice", text: "select 1" });
  expect(() => sql("test-twice", "select 2")).toThrow(/rename/);
  expect(() => sql("x".repeat(64), "select 1")).toThrow(/63/);
});

test("a stalled transaction does not hold its locks forever", async () => {
  const db = await openFresh();
  await db.query("create table t (n integer)");
  const [limits] = await db.query(
    "select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle",
  );
  expect(limits).toEqual({ statement: "30s", lock: "10s", idle: "5s" });
  const stuck = db.tx(async (tx) => {
    await tx.query("lock table t");
    const [{ pid } = { pid: 0 }] = await tx.query<{ pid: number }>("select pg_backend_pid() as pid");
    await vi.waitUntil(async () => (await db.query(SESSION, [pid])).length === 0);
  });
  await expect(stuck).rejects.toThrow(ConnectionLost);
  expect(await db.query("select count(*) as n from t")).toEqual([{ n: 0 }]);
});

test("statements wait for an unavailable database", async () => {
  const { db, line } = await openOverLine({ waitMs: 30_000 });
  await db.query("select 1");
  await line.cut();
  await vi.waitUntil(() => !db.health().up);
  const waiting = Promise.all([db.query("select 1 as n"), db.tx((tx) => tx.query("select 2 as n"))]);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await line.restore();
  expect(await waiting).toEqual([[{ n: 1 }], [{ n: 2 }]]);
  expect(db.health().up).toBe(true);
});

test("statements do not wait forever for an unavailable database", async () => {
  const { db, line } = await openOverLine({ waitMs: 1_000 });
  await vi.waitFor(() => db.query("select 1"));
  await line.cut();
  await vi.waitUntil(() => !db.health().up);
  const startedAt = performance.now();
  await expect(db.query("select 1")).rejects.toThrow(DatabaseUnavailable);
  expect(performance.now() - startedAt).toBeGreaterThan(900);
  await line.restore();
  expect(await vi.waitFor(() => db.query("select 3 as n"))).toEqual([{ n: 3 }]);
});

test("a connection that breaks during a statement leaves the outcome unknown", async () => {
  const { db, line, url } = await openOverLine();
  await db.query("select 1");
  const statement = db.query(SLEEP, [60]);
  const transaction = db.tx((tx) => tx.query(SLEEP, [60]));
  await untilSleeping(openDirect(url), 2);
  line.drop();
  const outcome = await Promise.allSettled([statement, transaction]);
  for (const one of outcome)
    expect(one).toMatchObject({ status: "rejected", reason: expect.any(ConnectionLost) });
  expect(await db.query("select 1 as n")).toEqual([{ n: 1 }]);
});

test("a session ended by the server is a lost connection", async () => {
  const db = await openFresh();
  const refused = expect(db.query(SLEEP, [60])).rejects.toThrow(ConnectionLost);
  await untilSleeping(db, 1);
  await db.query(`select pg_terminate_backend(pid) from (${SLEEPING}) s`);
  await refused;
});

test("a wrong database name is refused immediately", async () => {
  const { url } = await openFresh();
  const db = openDatabase({
    connection: url.replace(/\/test_\w+/, "/nowhere"),
    log: quietLog,
    applicationName: "test",
    // Longer than any test.
    waitMs: 3_600_000,
  });
  cleanUps.push(() => db.close());
  await expect(db.query("select 1")).rejects.toThrow(/refuses.*DATABASE_URL/);
  await expect(db.session((session) => session.query("select 1"))).rejects.toThrow(/refuses.*DATABASE_URL/);
});

test("a pool that is busy for too long reports it", async () => {
  const db = await openFresh({ max: 2, waitMs: 200 });
  await vi.waitFor(() => Promise.all([db.query("select 1"), db.query("select 2")]));
  const busy = Promise.allSettled([db.query(SLEEP, [60]), db.query(SLEEP, [60])]);
  await expect(db.query("select 1")).rejects.toThrow(/DATABASE_POOL_MAX/);
  await wake(openDirect(db.url));
  expect(await busy).toMatchObject([CANCELLED, CANCELLED]);
  expect(db.health().up).toBe(true);
});

/** The process stands still for longer than the limit of five seconds for connections, and that for idle transactions. */
function standStill(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_600);
}

test("a transaction that the server ended because the process stood still is made again", async () => {
  const db = await openFresh();
  await db.query("create table t (n int)");
  let runs = 0;
  await db.tx(async (tx) => {
    await tx.query("insert into t values (1)");
    if (++runs === 1) standStill();
    await tx.query("insert into t values (2)");
  });
  expect(await db.query("select n from t order by n")).toEqual([{ n: 1 }, { n: 2 }]);
  expect(runs).toBe(2);
});

test("the time for which the process stands still is none that anything has waited", async () => {
  const [db, busy] = [await openFresh(), await openFresh({ max: 1 })];
  await busy.query("select 1");
  const holding = busy.query(SLEEP, [1]);
  const waiting = [
    // For a new connection, one of the pool, and one of its own.
    db.query("select 1 as n"),
    busy.query("select 2 as n"),
    db.session((session) => session.query("select 3 as n")),
  ];
  // Timers are then served before responses are read.
  standStill();
  expect(await Promise.all(waiting)).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]]);
  await holding;
});

test("a connection limit below the pool's maximum makes statements wait for the pool's connections", async () => {
  const { db, direct } = await openLimited(3, { waitMs: 30_000 });
  const health = db.health();
  const sleeping = Promise.allSettled(Array.from({ length: 3 }, () => db.query(SLEEP, [60])));
  await untilSleeping(direct, 3);
  const attempts = vi.spyOn(pg.Client.prototype, "connect");
  cleanUps.push(async () => attempts.mockRestore());
  const short = Array.from({ length: 5 }, () => db.query("select 1 as n"));
  await vi.waitUntil(() => db.usage().waiting === short.length);
  await wake(direct);
  expect(await Promise.all(short)).toEqual(Array.from({ length: 5 }, () => [{ n: 1 }]));
  expect(await sleeping).toMatchObject([CANCELLED, CANCELLED, CANCELLED]);
  expect(db.health()).toEqual(health);
  expect(db.usage()).toMatchObject({ open: 3, waiting: 0 });
  // One attempt each. On a stalled machine the check of silent connections adds a few.
  expect(attempts.mock.calls.length).toBeLessThan(2 * short.length);
});

test("a connection that is lost at the connection limit does not stop the others", async () => {
  const { db, direct, limitTo } = await openLimited(3, { waitMs: 30_000 });
  const sleeping = Promise.allSettled(Array.from({ length: 3 }, () => db.query(SLEEP, [60])));
  await untilSleeping(direct, 3);
  await limitTo(1);
  await direct.query(`select pg_terminate_backend(pid) from (${SLEEPING} limit 1) s`);
  const short = db.query("select 1 as n");
  await vi.waitUntil(() => db.usage().waiting === 1);
  await wake(direct);
  expect(await short).toEqual([{ n: 1 }]);
  const outcomes = await sleeping;
  const lost = outcomes.filter((each) => each.status === "rejected" && each.reason instanceof ConnectionLost);
  expect(lost).toHaveLength(1);
  expect(outcomes.filter((each) => !lost.includes(each))).toMatchObject([CANCELLED, CANCELLED]);
  expect(db.health().up).toBe(true);
});

test("a connection limit that is reached for too long is named", async () => {
  const { db, direct } = await openLimited(1, { waitMs: 2_000 });
  await vi.waitFor(() => db.query("select 1"));
  const sleeping = expect(db.query(SLEEP, [60])).rejects.toThrow(ConnectionLost);
  await untilSleeping(direct, 1);
  await expect(db.query("select 1")).rejects.toThrow(/too many connections.*Raise its connection limit/);
  await direct.query(`select pg_terminate_backend(pid) from (${SLEEPING}) s`);
  await sleeping;
});

test("a prepared statement survives a migration of its tables", async () => {
  const db = await openFresh({ max: 1 });
  await db.query("create table t (a integer); insert into t values (1)");
  const all = sql("test-all", "select * from t");
  expect(await db.query(all)).toEqual([{ a: 1 }]);
  await db.query("alter table t add column b integer");
  expect(await db.query(all)).toEqual([{ a: 1, b: null }]);
  await db.query("alter table t add column c integer");
  expect(await db.tx((tx) => tx.query(all))).toEqual([{ a: 1, b: null, c: null }]);
});

test("notifications reach every listener once, equal ones combined", async () => {
  const db = await openFresh();
  const other = openDatabase({ connection: db.url, log: quietLog, applicationName: "other" });
  cleanUps.push(() => other.close());
  const got: string[] = [];
  const complete = Promise.withResolvers<void>();
  const take = (who: string) => (payload: string) => {
    got.push(`${who}:${payload}`);
    if (payload === "last") complete.resolve();
  };
  const unlisten = await db.listen("Mixed-Case", take("own"));
  await other.listen("Mixed-Case", take("other"));
  for (let index = 0; index < 100; index++) db.notify("Mixed-Case", "a");
  db.notify("Mixed-Case", "b");
  db.notify("elsewhere", "c");
  await vi.waitUntil(() => ["own:b", "other:b"].every((each) => got.includes(each)));
  await unlisten();
  db.notify("Mixed-Case", "last");
  await complete.promise;
  expect(got.sort()).toEqual(["other:a", "other:b", "other:last", "own:a", "own:b"]);
});

test("listening survives a lost connection, and reports that notifications may be missing", async () => {
  const { db, line, url } = await openOverLine();
  const payloads: string[] = [];
  let told = Promise.withResolvers<void>();
  await db.listen("c", (payload) => {
    payloads.push(payload);
    told.resolve();
  });
  line.drop();
  await told.promise;
  expect(payloads).toEqual([""]);
  told = Promise.withResolvers();
  const client = new pg.Client(url);
  await client.connect();
  await client.query("notify c, 'after'");
  await client.end();
  await told.promise;
  expect(payloads).toEqual(["", "after"]);
});

test("closing waits for statements, sends pending notifications and refuses more", async () => {
  const { url, stop } = await startTestDatabase({ empty: true });
  const db = openDatabase({ connection: url, log: quietLog, applicationName: "test" });
  cleanUps.push(stop);
  const sleeping = Promise.allSettled([db.query(SLEEP, [60])]);
  const direct = openDirect(url);
  await untilSleeping(direct, 1);
  const closed = db.close();
  await wake(direct);
  expect(await sleeping).toMatchObject([CANCELLED]);
  await closed;
  await expect(db.query("select 1")).rejects.toThrow(DatabaseUnavailable);
});

test("a connection that becomes silent is closed after seconds; a statement that takes longer is not affected", async () => {
  const { db, line, url } = await openOverLine();
  const direct = openDirect(url);
  await db.query("select 1");
  const slow = direct.query(SLEEP, [4]);
  const began = performance.now();
  line.freeze();
  await expect(db.query("select 2")).rejects.toThrow(ConnectionLost);
  expect(performance.now() - began).toBeLessThan(30_000);
  expect(await db.query("select 3 as n")).toEqual([{ n: 3 }]);
  await expect(slow).resolves.toHaveLength(1);
});

test("connections that become silent together are closed together", async () => {
  const { db, line } = await openOverLine({ max: 5 });
  await Promise.all(Array.from({ length: 5 }, () => db.query(SLEEP, [0.2])));
  expect(db.usage()).toMatchObject({ open: 5, idle: 5 });
  line.freeze();
  await expect(db.query("select 1")).rejects.toThrow(ConnectionLost);
  expect(await db.query("select 1 as n")).toEqual([{ n: 1 }]);
});

test("a connection that becomes silent during its setup does not keep its place in the pool", async () => {
  const { db, line } = await openOverLine({ max: 1, waitMs: 5_000 });
  const began = performance.now();
  line.muteAfter("set enable_seqscan");
  await expect(db.query("select 1")).rejects.toThrow(DatabaseUnavailable);
  expect(await db.query("select 1 as n")).toEqual([{ n: 1 }]);
  // Other statements may take longer.
  expect(performance.now() - began).toBeLessThan(30_000);
});

test("lists are stored and read unchanged, whatever they contain", async () => {
  const db = await openFresh();
  const text = fc.string({ unit: "binary" }).map((value) => value.replaceAll("\0", "").toWellFormed());
  const texts = fc.array(fc.option(fc.oneof(text, fc.constantFrom("", "NULL", "{}", '"', "\\", 'a,"b\\'))));
  const numbers = fc.array(fc.maxSafeInteger());
  await fc.assert(
    fc.asyncProperty(texts, numbers, fc.array(fc.boolean()), async (some, whole, flags) => {
      const text = "select $1::text[] as texts, $2::bigint[] as numbers, $3::boolean[] as flags";
      const rows = await db.query(text, [some, whole, flags]);
      expect(rows).toEqual([{ texts: some, numbers: whole, flags }]);
    }),
    { numRuns: 200 },
  );
});
