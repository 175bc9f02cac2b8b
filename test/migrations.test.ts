import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MIGRATIONS, readMigrations } from "../src/database/migration-files.ts";
import { faultsOfExpand } from "./kit/expand-rules.ts";
import { RELEASES, readRelease } from "./kit/releases.ts";

test.each([
  "drop table t",
  "drop index if exists t_n",
  "drop function f(integer)",
  "drop trigger g on t",
  "alter table t drop column n",
  "alter table t add column m integer, drop column n",
  "alter table t drop n",
  "alter table t drop constraint t_n_check",
  "alter table t alter n drop default",
  "alter table t alter column n drop not null",
  "alter table t rename to u",
  "alter table t rename column n to m",
  "alter index t_n rename to t_m",
  "alter function f() rename to g",
  "alter table t set schema s",
  "alter table t alter column n type bigint",
  "alter table only t alter n set data type text using n::text",
  "alter table t alter n set not null",
  "alter table t add column m integer not null",
  "ALTER TABLE t\n  ADD m integer NOT NULL",
  "alter table t add column k integer not null default 1, add column m integer not null",
  "alter table t add column m integer unique",
  "alter table t add column m integer references u",
  "alter table t add column m integer check (m > 0)",
  "alter table t add constraint c check (n > 0) not valid",
  "alter table t add primary key (n)",
  "alter table t add constraint c foreign key (n) references u not valid",
  "create unique index on t (n)",
  "create unique index concurrently if not exists t_n on t (n)",
  "create trigger g before insert on t for each row execute function f()",
  "create or replace function f() returns integer language sql as 'select 1'",
  "alter type mood rename value 'a' to 'b'",
  "truncate t",
  "delete from t where n = 1",
  "do $$ begin drop table t; end $$",
  "revoke select on t from trunkline",
  "create table u (n integer); drop table t",
  "-- tolerated:\ndrop table t",
  "-- tolerated: nobody reads it\ncreate table u (n integer); drop table t",
])("an expand with %j is refused", (text) => {
  expect(faultsOfExpand(`-- expand\n${text};`)).toHaveLength(1);
});

test.each([
  "create table u (n integer primary key, m text not null unique check (m <> ''))",
  "create table u (n integer); create unique index u_n on u (n); alter table u add unique (n); drop table u",
  "create function f() returns trigger language plpgsql as $$ begin drop table t; end $$; create table u (n integer); create trigger g before insert on u for each row execute function f()",
  "alter table t add column m integer",
  "alter table t add column m integer not null default 0",
  "alter table t add column m integer default 0 not null",
  "alter table t add column m bigint not null generated always as identity",
  "alter table t add column k text, add column m numeric(10, 2) not null default 0",
  "alter table t add column if not exists note text not null default 'drop; not null'",
  "alter table t alter n set default 3",
  "alter table t set (fillfactor = 50)",
  "alter table t validate constraint c",
  "create index t_n on t (n) where m is not null",
  "-- drop table t;\ncreate sequence s",
  "/* rename */ insert into t values ('drop table t; truncate t')",
  "update t set m = n where m is null",
  "-- tolerated: no release has written to it\ndrop table t",
])("an expand with %j is accepted", (text) => {
  expect(faultsOfExpand(`-- expand\n${text};`)).toEqual([]);
});

const files = readdirSync(MIGRATIONS).filter((file) => file.endsWith(".sql"));

test.each(files)("%s names its kind, and an expand is compatible with earlier nodes", (file) => {
  const text = readFileSync(join(MIGRATIONS, file), "utf8");
  expect(text.split("\n", 1)[0]).toMatch(/^-- (expand|contract \d{4})$/);
  if (text.startsWith("-- expand")) expect(faultsOfExpand(text)).toEqual([]);
});

test("every contract names an earlier expand, and every file has the form of a migration", async () => {
  expect(await readMigrations(MIGRATIONS)).toHaveLength(files.length);
});

test.each(readdirSync(RELEASES))("the migrations of release %s are unchanged", async (version) => {
  const { migrations } = readRelease(version);
  const released = Object.keys(migrations);
  const ours = (await readMigrations(MIGRATIONS)).slice(0, released.length);
  expect(Object.fromEntries(ours.map(({ name, checksum }) => [name, checksum]))).toEqual(migrations);
});
