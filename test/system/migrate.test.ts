import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { type Database, openDatabase } from "../../src/database/database.ts";
import { MIGRATION_LOCK } from "../../src/database/locks.ts";
import { type Migrated, type MigrateOptions, migrate } from "../../src/database/migrate.ts";
import { MigrationBlockedError } from "../../src/database/migration-attempts.ts";
import {
  describeWaiting,
  MigrationChangedError,
  pendingMigrations,
  ReleaseTooOldError,
  readFloor,
  schemaVersion,
  waitingContracts,
} from "../../src/database/schema.ts";
import { createLog } from "../../src/platform/log.ts";
import { quietLog, startTestDatabase, type TestDatabase } from "../kit/database.ts";

let directory = "";
let target: TestDatabase;
let db: Database;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "migrations-"));
  target = await startTestDatabase({ empty: true });
  db = openDatabase({ connection: target.connection, log: quietLog, applicationName: "test" });
});
afterEach(async () => {
  await db.close();
  await target.stop();
  rmSync(directory, { recursive: true });
});

function write(file: string, text: string): void {
  writeFileSync(join(directory, file), text);
}

test("applies pending migrations, in order and once", async () => {
  write("0001_first.sql", "create table t (n integer); insert into t values (1);");
  expect(await pendingMigrations(db, directory)).toEqual(["0001_first"]);
  expect(await migrate(db, { directory })).toMatchObject({ applied: ["0001_first"] });
  write("0002_second.sql", "insert into t values (2);");
  expect(await migrate(db, { directory })).toMatchObject({ applied: ["0002_second"] });
  expect(await migrate(db, { directory })).toMatchObject({ applied: [] });
  expect(await pendingMigrations(db, directory)).toEqual([]);
  expect(await db.query("select n from t order by n")).toEqual([{ n: 1 }, { n: 2 }]);
  expect(await schemaVersion(db)).toBe(2);
});

test("a user who may not create tables is told the missing privilege", async ({ skip }) => {
  const [user] = await db.query<{ super: boolean }>(
    "select rolsuper as super from pg_roles where rolname = current_user",
    [],
  );
  skip(user?.super === true, "a superuser may do everything");
  await db.query("revoke create on schema public from pg_database_owner");
  await expect(migrate(db, { directory })).rejects.toThrow(/may not create tables.*Make it the owner/);
});

test("several concurrent runs apply each migration once", async () => {
  write("0001_first.sql", "select pg_sleep(0.2); create table t (n integer);");
  const outcomes = await Promise.all([1, 2, 3, 4].map(() => migrate(db, { directory })));
  expect(outcomes.flatMap(({ applied }) => applied)).toEqual(["0001_first"]);
});

test("a run that waits for another one says so", async () => {
  write("0001_first.sql", "create table t (n integer);");
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLog({ level: "info", pretty: false, destination });
  let waiting: Promise<Migrated> | undefined;
  await db.session(async (session) => {
    await session.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    waiting = migrate(db, { directory, log });
    await vi.waitUntil(() => lines.some((line) => line.includes("another node is migrating")));
    await session.query("select pg_advisory_unlock($1)", [MIGRATION_LOCK]);
  });
  expect(await waiting).toMatchObject({ applied: ["0001_first"] });
});

test("a failed migration leaves no trace, and earlier ones stay applied", async () => {
  write("0001_first.sql", "create table t (n integer);");
  write("0002_second.sql", "create table u (n integer); insert into nowhere values (1);");
  await expect(migrate(db, { directory })).rejects.toThrow(/0002_second failed.*nowhere/);
  expect(
    await db.query("select to_regclass('t') is not null as t, to_regclass('u') is not null as u"),
  ).toEqual([{ t: true, u: false }]);
  write("0002_second.sql", "create table u (n integer);");
  expect(await migrate(db, { directory })).toMatchObject({ applied: ["0002_second"] });
});

test("a migration whose connection breaks leaves no trace, and the next attempt applies it", async () => {
  write("0001_first.sql", "create table t (n integer); select pg_sleep(60);");
  const migrated = migrate(db, { directory });
  const sleeping = `select pg_terminate_backend(pid) from pg_stat_activity
    where wait_event = 'PgSleep' and datname = current_database()`;
  await Promise.all([
    expect(migrated).rejects.toThrow(/0001_first (was interrupted|failed)/),
    vi.waitUntil(async () => (await db.query(sleeping)).length > 0),
  ]);
  write("0001_first.sql", "create table t (n integer);");
  expect(await migrate(db, { directory })).toMatchObject({ applied: ["0001_first"] });
});

describe("with contracts", () => {
  const NODE =
    "insert into nodes (name, schema_version, lease_until) values ($1, $2, now() + $3 * interval '1 second')";
  const MINUTE = 60;

  beforeEach(async () => {
    write(
      "0001_first.sql",
      "create table nodes (name text, schema_version integer, lease_until timestamptz); create table t (old integer);",
    );
    await migrate(db, { directory });
    write("0002_wide.sql", "-- expand\nalter table t add column new integer;");
    write("0003_narrow.sql", "-- contract 0002\nalter table t drop column old;");
    write("0004_wider.sql", "-- expand\ncreate table u (n integer);");
  });

  const columns = async (): Promise<string[]> => {
    const rows = await db.query<{ name: string }>(
      "select attname as name from pg_attribute where attrelid = 't'::regclass and attnum > 0 and not attisdropped",
    );
    return rows.map(({ name }) => name).sort();
  };

  test("a contract waits while a node works that needs the old shape; expands do not", async () => {
    await db.query(NODE, ["old", 1, MINUTE]);
    await db.query(NODE, ["new", 4, MINUTE]);
    const waiting = [{ name: "0003_narrow", after: 2, nodes: [{ name: "old", version: 1 }] }];
    expect(await migrate(db, { directory })).toEqual({
      applied: ["0002_wide", "0004_wider"],
      waiting,
      version: 4,
    });
    expect(await waitingContracts(db, directory)).toEqual(waiting);
    expect(waiting.map(describeWaiting)).toEqual([
      "0003_narrow waits for nodes with a schema version below 2: old (schema version 1)",
    ]);
    expect(await pendingMigrations(db, directory)).toEqual([]);
    expect(await columns()).toEqual(["new", "old"]);
    expect(await migrate(db, { directory })).toEqual({ applied: [], waiting, version: 4 });
    expect(await readFloor(db)).toEqual({ version: 0, contract: "" });

    await db.query("update nodes set lease_until = now() where name = 'old'");
    expect(await migrate(db, { directory })).toMatchObject({ applied: ["0003_narrow"], waiting: [] });
    expect(await columns()).toEqual(["new"]);
    expect(await db.query("select name from nodes")).toEqual([{ name: "new" }]);
    expect(await waitingContracts(db, directory)).toEqual([]);
  });

  test("an earlier release tolerates expands of a later one, and is refused once a contract is applied", async () => {
    await db.query(NODE, ["old", 1, MINUTE]);
    await migrate(db, { directory });
    const [first, second] = [mkdtempSync(join(tmpdir(), "first-")), mkdtempSync(join(tmpdir(), "second-"))];
    onTestFinished(() => {
      for (const each of [first, second]) rmSync(each, { recursive: true });
    });
    cpSync(join(directory, "0001_first.sql"), join(first, "0001_first.sql"));
    for (const name of ["0001_first.sql", "0002_wide.sql"]) cpSync(join(directory, name), join(second, name));
    expect(await migrate(db, { directory: first })).toEqual({ applied: [], waiting: [], version: 1 });
    expect(await pendingMigrations(db, first)).toEqual([]);

    await db.query("update nodes set lease_until = now()");
    await migrate(db, { directory });
    await expect(migrate(db, { directory: first })).rejects.toThrow(ReleaseTooOldError);
    await expect(pendingMigrations(db, first)).rejects.toThrow(
      /Since the migration 0003_narrow, .*schema version 2 or later/,
    );
    expect(await migrate(db, { directory: second })).toMatchObject({ applied: [] });
  });

  test("a contract that fails has excluded earlier releases, and is applied by the next attempt", async () => {
    write("0003_narrow.sql", "-- contract 0002\nalter table t drop column old; select 1 / 0;");
    await expect(migrate(db, { directory })).rejects.toThrow(/0003_narrow failed and was rolled back/);
    expect(await columns()).toEqual(["new", "old"]);
    expect(await readFloor(db)).toEqual({ version: 2, contract: "0003_narrow" });
    write("0003_narrow.sql", "-- contract 0002\nalter table t drop column old;");
    expect(await migrate(db, { directory })).toMatchObject({ applied: ["0003_narrow"] });
  });

  test("a node that renews its lease during the decision is found, or has to join again", async () => {
    const renew =
      "update nodes set lease_until = now() + interval '1 minute' where lease_until > now() returning 1";
    const ended = "select pg_sleep(1.1)";
    const late = openDatabase({ connection: target.connection, log: quietLog, applicationName: "late" });
    onTestFinished(() => late.close());
    await late.session(async (session) => {
      await session.query("begin; select now()");
      await db.query(NODE, ["old", 1, 1]);
      await session.query(ended);
      expect(await session.query(renew)).toHaveLength(1);
      const migrated = migrate(db, { directory });
      await untilOneWaits();
      await session.query("commit");
      expect(await migrated).toMatchObject({ waiting: [{ nodes: [{ name: "old" }] }] });
    });
    await db.query("update nodes set lease_until = now() + interval '1 second'");
    await late.session(async (session) => {
      await session.query("begin; select now()");
      await session.query(ended);
      expect(await migrate(db, { directory })).toMatchObject({ applied: ["0003_narrow"] });
      expect(await session.query(renew)).toHaveLength(0);
    });
  });

  const untilOneWaits = (): Promise<unknown> =>
    vi.waitUntil(async () => {
      const waiting = await db.query(
        "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      );
      return waiting.length > 0;
    });

  test("several releases and nodes at once apply everything once", async () => {
    const options: MigrateOptions = { directory };
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => migrate(db, options)));
    const applied = outcomes.flatMap((outcome: Migrated) => outcome.applied);
    expect(applied).toEqual(["0002_wide", "0004_wider", "0003_narrow"]);
  });

  test.each([
    ["-- contract", /0003_narrow is a contract without an expand/],
    ["-- contract 2", /0003_narrow is a contract without an expand/],
    ["-- contract 0003", /0003_narrow names 3, which is not the number of an earlier expand/],
    ["-- contract 0007", /0003_narrow names 7/],
  ])("%s is refused", async (line, message) => {
    write("0003_narrow.sql", `${line}\nselect 1;`);
    await expect(migrate(db, { directory })).rejects.toThrow(message);
  });
});

test("a changed migration is an error; different line endings are not", async () => {
  write("0001_first.sql", "select 1;\nselect 2;\n");
  await migrate(db, { directory });
  write("0001_first.sql", "select 1;\r\nselect 2;\r\n");
  await migrate(db, { directory });
  write("0001_first.sql", "select 3;\n");
  await expect(migrate(db, { directory })).rejects.toThrow(MigrationChangedError);
});

test("each number is used once", async () => {
  write("0001_first.sql", "select 1;");
  write("0001_second.sql", "select 1;");
  await expect(migrate(db, { directory })).rejects.toThrow(/has the same number as another migration/);
});

test("a migration that needs a lock lets others continue, is retried, and names the blocking sessions", async () => {
  write("0001_first.sql", "create table t (n integer); insert into t values (1);");
  await migrate(db, { directory });
  write("0002_second.sql", "alter table t add column m integer;");
  const lines: string[] = [];
  const log = createLog({ level: "info", pretty: false, destination: { write: (line) => lines.push(line) } });
  const hurried = { lockTimeoutMs: 500, pauseMs: 500 };
  const report = openDatabase({ connection: target.connection, log: quietLog, applicationName: "report" });
  await report
    .session(async (holder) => {
      await holder.query("begin; select n from t");
      const refused = migrate(db, { directory, retry: { ...hurried, giveUpAfterMs: 0 } });
      await expect(refused).rejects.toThrow(
        /0002_second could not get a lock.*held by "report" of \w+ \(pid \d+, idle in transaction, in a transaction for/,
      );
      await expect(refused).rejects.toThrow(MigrationBlockedError);
      expect(await pendingMigrations(db, directory)).toEqual(["0002_second"]);
      const retry = { ...hurried, giveUpAfterMs: 600_000 };
      const migrated = migrate(db, { directory, log, retry });
      await vi.waitUntil(() => lines.some((line) => line.includes("it will be retried")));
      // Both get their responses while the lock is held: those in front of the migration, and those behind it.
      for (let read = 1; read <= 3; read++) expect(await db.query("select n from t")).toEqual([{ n: 1 }]);
      await holder.query("commit");
      expect(await migrated).toMatchObject({ applied: ["0002_second"] });
    })
    .finally(() => report.close());
  const told = lines.map((line) => JSON.parse(line) as { level: string; blockers: string[] });
  expect(told[0]).toMatchObject({ level: "warn", migration: "0002_second" });
  expect(told[0]?.blockers).toEqual([expect.stringContaining('"report"')]);
});
