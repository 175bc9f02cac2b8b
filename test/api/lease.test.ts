import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import type { Database } from "../../src/database/database.ts";
import { openDatabase } from "../../src/database/database.ts";
import { migrate } from "../../src/database/migrate.ts";
import { ReleaseTooOldError } from "../../src/database/schema.ts";
import { type Lease, type LeaseOptions, takeLease } from "../../src/work/lease.ts";
import { quietLog, startTestDatabase } from "../kit/database.ts";

const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

function stall(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

async function open(): Promise<Database> {
  const database = await startTestDatabase();
  ends.push(() => database.stop());
  const { connection } = database;
  const db = openDatabase({ connection, max: 1, log: quietLog, applicationName: "test" });
  ends.push(() => db.close());
  return db;
}

function options(db: Database): LeaseOptions {
  return {
    db,
    log: quietLog,
    name: "test",
    roles: [],
    leaseMs: 60_000,
    sealingKey: "",
    schemaVersion: 9_000,
    onLost: () => Promise.resolve(),
    onRegained: () => undefined,
    onTooOld: () => undefined,
    onCompany: () => undefined,
  };
}

/** The migrations of a later release, beside those that the database has. */
function laterRelease(): string {
  const directory = mkdtempSync(join(tmpdir(), "migrations-"));
  ends.push(async () => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, "9001_wide.sql"), "-- expand\ncreate table wide (n integer);");
  writeFileSync(join(directory, "9002_narrow.sql"), "-- contract 9001\ncreate table narrow (n integer);");
  return directory;
}

test("a lease that was renewed in time is kept by a process that could not hear of it for long", async () => {
  const db = await open();
  let losses = 0;
  let renewals = 0;
  const stalled = Promise.withResolvers<void>();
  const query: Database["query"] = (statement, values) => {
    const answer = db.query(statement, values);
    if (typeof statement === "string" || statement.name !== "node_renew") return answer as never;
    renewals++;
    // The statement is on its way by then; the answer comes while nobody listens.
    if (renewals === 2)
      setImmediate(() => {
        stall(4_900);
        void answer.then(() => stalled.resolve());
      });
    return answer as never;
  };
  const lease: Lease = await takeLease({
    ...options(db),
    db: { ...db, query },
    leaseMs: 6_000,
    onLost: async () => void losses++,
  });
  ends.push(() => lease.release());
  const { nodeId } = lease;
  await stalled.promise;
  await expect.poll(() => renewals).toBeGreaterThan(2);
  expect([losses, lease.nodeId]).toEqual([0, nodeId]);
});

test("a contract waits for a node that joins at that moment; later ones and those without a lease are refused", async () => {
  const db = await open();
  const directory = laterRelease();
  const excluded: Error[] = [];
  const join = { ...options(db), leaseMs: 1_000, onTooOld: (error: Error) => void excluded.push(error) };
  await db.session(async (session) => {
    await session.query("begin");
    const lease = await takeLease({ ...options(db), db: { ...db, query: session.query } });
    const migrated = migrate(db, { directory });
    await vi.waitUntil(async () => (await db.query(WAITING)).length > 0);
    await session.query("commit");
    const nodes = [{ name: "test", version: 9_000 }];
    expect(await migrated).toMatchObject({ applied: ["9001_wide"], waiting: [{ nodes }] });
    await lease.release();
  });
  const lease = await takeLease(join);
  ends.push(() => lease.release());
  // As if it had been frozen, or cut off, for longer than its lease; it may be back before the contract is decided on.
  await vi.waitUntil(async () => {
    await db.query("update nodes set lease_until = now()");
    return (await migrate(db, { directory })).applied.includes("9002_narrow");
  });
  await expect.poll(() => excluded).toEqual([expect.any(ReleaseTooOldError)]);
  expect(lease.isValid()).toBe(false);
  await expect(takeLease(join)).rejects.toThrow(
    /schema version 9001 or later since the migration 9002_narrow/,
  );
  const later = await takeLease({ ...options(db), schemaVersion: 9_001 });
  expect(later.isValid()).toBe(true);
  await later.release();
});

const WAITING =
  "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
