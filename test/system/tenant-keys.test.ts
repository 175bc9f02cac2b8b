import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, openDatabase } from "../../src/database/database.ts";
import { GLOBAL_KEYS, GLOBAL_TABLES, KEYLESS_TABLES } from "../../src/database/tenant-keys.ts";
import { quietLog, startTestDatabase, type TestDatabase } from "../kit/database.ts";

let target: TestDatabase;
let db: Database;

beforeAll(async () => {
  target = await startTestDatabase();
  db = openDatabase({ connection: target.connection, max: 1, log: quietLog, applicationName: "test" });
});
afterAll(async () => {
  await db.close();
  await target.stop();
});

interface TableRow {
  readonly name: string;
  /** It has the column, and it is never null. */
  readonly hasAccount: boolean;
  readonly hasKey: boolean;
  /** Unique indexes, and indexes of exclusion constraints, that do not begin with the account. */
  readonly globalKeys: readonly string[];
}

/** All tables of the catalogue, without the partitions. */
function readTables(): Promise<TableRow[]> {
  return db.query<TableRow>(
    `select t.relname as name, coalesce(a.attnotnull, false) as "hasAccount",
       exists (select from pg_index i where i.indrelid = t.oid and i.indisprimary) as "hasKey",
       array(select x.relname::text from pg_index i join pg_class x on x.oid = i.indexrelid
             where i.indrelid = t.oid and (i.indisunique or i.indisexclusion) and i.indkey[0] is distinct from a.attnum
             order by 1) as "globalKeys"
     from pg_class t
     left join pg_attribute a on a.attrelid = t.oid and a.attname = 'account_id' and not a.attisdropped
     where t.relnamespace = current_schema()::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
     order by 1`,
  );
}

/** What the lists of `tenant-keys.ts` do not say, in words. */
async function readFaults(): Promise<string[]> {
  const tables = await readTables();
  const tenants = tables.filter(({ name }) => !Object.hasOwn(GLOBAL_TABLES, name));
  const keys = tenants.flatMap(({ globalKeys }) => globalKeys);
  const names = new Set(tables.map(({ name }) => name));
  return [
    ...tenants.filter(({ hasAccount }) => !hasAccount).map(({ name }) => `${name} has no account_id`),
    ...tenants
      .filter(({ name, hasKey }) => hasKey === Object.hasOwn(KEYLESS_TABLES, name))
      .map(({ name, hasKey }) => `${name} has ${hasKey ? "a" : "no"} primary key`),
    ...keys
      .filter((key) => !Object.hasOwn(GLOBAL_KEYS, key))
      .map((key) => `${key} does not begin with account_id`),
    ...Object.keys(GLOBAL_KEYS)
      .filter((key) => !keys.includes(key))
      .map((key) => `${key} is listed`),
    ...[GLOBAL_TABLES, KEYLESS_TABLES]
      .flatMap(Object.keys)
      .filter((name) => !names.has(name))
      .map((name) => `${name} is listed`),
  ];
}

test("each table belongs to accounts, and its keys begin with the account, except for those that are listed", async () => {
  expect((await readTables()).length).toBeGreaterThan(50);
  expect(await readFaults()).toEqual([]);
});

test("a table that breaks the rule is named", async () => {
  await db.query(`
    create table without_account (id bigint primary key);
    create table without_key (account_id bigint not null);
    create table with_null (account_id bigint unique, id bigint not null, primary key (id));
    create table in_order (account_id bigint not null, id bigint not null, primary key (account_id, id));
    create unique index in_order_id on in_order (id);
    create unique index in_order_sum on in_order ((account_id + id));
    create index in_order_by_id on in_order (id)`);
  try {
    expect(await readFaults()).toEqual([
      "with_null has no account_id",
      "without_account has no account_id",
      "without_key has no primary key",
      "in_order_id does not begin with account_id",
      "in_order_sum does not begin with account_id",
      "with_null_pkey does not begin with account_id",
      "without_account_pkey does not begin with account_id",
    ]);
  } finally {
    await db.query("drop table without_account, without_key, with_null, in_order");
  }
});

test("the documentation lists what is global", async () => {
  const text = await readFile(new URL("../../docs/architecture.md", import.meta.url), "utf8");
  for (const [name, reason] of Object.entries({ ...GLOBAL_TABLES, ...GLOBAL_KEYS, ...KEYLESS_TABLES }))
    expect(text).toContain(`| \`${name}\` | ${reason} |`);
});
