import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Database, openDatabase } from "../../src/database/database.ts";
import {
  MigrationChangedError,
  migrate,
  pendingMigrations,
  SchemaNewerError,
  schemaVersion,
} from "../../src/database/migrate.ts";
import { MigrationBlockedError } from "../../src/database/migration-attempts.ts";
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

test("applies what is missing, in order and once", async () => {
  write("0001_first.sql", "create table t (n integer); insert into t values (1);");
  expect(await pendingMigrations(db, directory)).toEqual(["0001_first"]);
  expect(await migrate(db, { directory })).toEqual({ applied: ["0001_first"] });
  write("0002_second.sql", "insert into t values (2);");
  expect(await migrate(db, { directory })).toEqual({ applied: ["0002_second"] });
  expect(await migrate(db, { directory })).toEqual({ applied: [] });
  expect(await pendingMigrations(db, directory)).toEqual([]);
  expect(await db.query("select n from t order by n")).toEqual([{ n: 1 }, { n: 2 }]);
  expect(await schemaVersion(db)).toBe(2);
});

test("a user who may not create tables is told what is missing", async ({ skip }) => {
  const [user] = await db.query<{ super: boolean }>(
    "select rolsuper as super from pg_roles where rolname = current_user",
    [],
  );
  skip(user?.super === true, "a superuser may do everything");
  await db.query("revoke create on schema public from pg_database_owner");
  await expect(migrate(db, { directory })).rejects.toThrow(/may not create tables.*Make it the owner/);
});

test("several at once do the work once", async () => {
  write("0001_first.sql", "select pg_sleep(0.2); create table t (n integer);");
  const outcomes = await Promise.all([1, 2, 3, 4].map(() => migrate(db, { directory })));
  expect(outcomes.flatMap(({ applied }) => applied)).toEqual(["0001_first"]);
});

test("a migration that fails leaves nothing of itself, and those before it", async () => {
  write("0001_first.sql", "create table t (n integer);");
  write("0002_second.sql", "create table u (n integer); insert into nowhere values (1);");
  await expect(migrate(db, { directory })).rejects.toThrow(/0002_second failed.*nowhere/);
  expect(
    await db.query("select to_regclass('t') is not null as t, to_regclass('u') is not null as u"),
  ).toEqual([{ t: true, u: false }]);
  write("0002_second.sql", "create table u (n integer);");
  expect(await migrate(db, { directory })).toEqual({ applied: ["0002_second"] });
});

test("a database of a newer release is refused with both versions", async () => {
  write("0001_first.sql", "select 1;");
  write("0002_second.sql", "select 1;");
  await migrate(db, { directory });
  rmSync(join(directory, "0002_second.sql"));
  await expect(migrate(db, { directory })).rejects.toThrow(SchemaNewerError);
  await expect(pendingMigrations(db, directory)).rejects.toThrow(/version 2.*up to 1.*newer release/);
});

test("a changed migration is an error; other line ends are not", async () => {
  write("0001_first.sql", "select 1;\nselect 2;\n");
  await migrate(db, { directory });
  write("0001_first.sql", "select 1;\r\nselect 2;\r\n");
  await migrate(db, { directory });
  write("0001_first.sql", "select 3;\n");
  await expect(migrate(db, { directory })).rejects.toThrow(MigrationChangedError);
});

test("each number is given once", async () => {
  write("0001_first.sql", "select 1;");
  write("0001_second.sql", "select 1;");
  await expect(migrate(db, { directory })).rejects.toThrow(/has the same number as another migration/);
});

test("a migration that needs a lock lets others go on, is tried again, and names who holds it", async () => {
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
      const refused = migrate(db, { directory, patience: { ...hurried, giveUpAfterMs: 0 } });
      await expect(refused).rejects.toThrow(
        /0002_second did not get a lock.*held by "report" of \w+ \(pid \d+, idle in transaction, in a transaction for/,
      );
      await expect(refused).rejects.toThrow(MigrationBlockedError);
      expect(await pendingMigrations(db, directory)).toEqual(["0002_second"]);
      const patience = { ...hurried, giveUpAfterMs: 600_000 };
      const migrated = migrate(db, { directory, log, patience });
      await vi.waitUntil(() => lines.some((line) => line.includes("it is tried again")));
      // They get their answers while the lock is held: those in front of the migration, and those behind it.
      for (let read = 1; read <= 3; read++) expect(await db.query("select n from t")).toEqual([{ n: 1 }]);
      await holder.query("commit");
      expect(await migrated).toEqual({ applied: ["0002_second"] });
    })
    .finally(() => report.close());
  const told = lines.map((line) => JSON.parse(line) as { level: string; blockers: string[] });
  expect(told[0]).toMatchObject({ level: "warn", migration: "0002_second" });
  expect(told[0]?.blockers).toEqual([expect.stringContaining('"report"')]);
});
