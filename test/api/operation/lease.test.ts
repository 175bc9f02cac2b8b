import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import type { Database } from "../../../src/database/database.ts";
import { openDatabase } from "../../../src/database/database.ts";
import { migrate } from "../../../src/database/migrate.ts";
import { ReleaseTooOldError } from "../../../src/database/schema.ts";
import type { Log } from "../../../src/platform/log.ts";
import { type Lease, type LeaseOptions, takeLease } from "../../../src/work/lease.ts";
import { quietLog, startTestDatabase } from "../../kit/database.ts";

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
    onOthers: () => undefined,
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

test("a lease that was renewed in time is kept by a process that was stalled for long", async () => {
  const db = await open();
  let losses = 0;
  let renewals = 0;
  const stalled = Promise.withResolvers<void>();
  const query: Database["query"] = (statement, values) => {
    const answer = db.query(statement, values);
    if (typeof statement === "string" || statement.name !== "node_renew") return answer as never;
    renewals++;
    // By then the statement was sent; the response arrives while nothing reads it.
    if (renewals === 2)
      setImmediate(() => {
        stall(9_900);
        void answer.then(() => stalled.resolve());
      });
    return answer as never;
  };
  const lease: Lease = await takeLease({
    ...options(db),
    db: { ...db, query },
    leaseMs: 12_000,
    onLost: async () => void losses++,
  });
  ends.push(() => lease.release());
  const { nodeId } = lease;
  await stalled.promise;
  await expect.poll(() => renewals).toBeGreaterThan(2);
  expect([losses, lease.nodeId]).toEqual([0, nodeId]);
});

test("a node whose lease is lost starts over slowly, and pauses when it loses the next one", async () => {
  const db = await open();
  const after: number[] = [];
  const warnings: { losses?: number; pauseMs?: number; cause?: string }[] = [];
  const log = { debug: () => undefined, info: () => undefined, warn: keep } as unknown as Log;
  function keep(figures: object): void {
    warnings.push(figures);
  }
  const lease = await takeLease({
    ...options(db),
    log,
    leaseMs: 6_000,
    onRegained: () => void after.push(lease.concurrency),
  });
  ends.push(() => lease.release());
  expect(lease.concurrency).toBe(1 / 4);
  const ids = [lease.nodeId];
  for (let losses = 1; losses <= 2; losses++) {
    await expect.poll(() => lease.concurrency).toBe(1);
    await db.query("update nodes set lease_until = now() where id = $1", [lease.nodeId]);
    await expect.poll(() => after).toHaveLength(losses);
    ids.push(lease.nodeId);
  }
  expect(after).toEqual([1 / 32, 1 / 32]);
  expect(new Set(ids).size).toBe(3);
  expect(warnings).toMatchObject([
    { losses: 1, pauseMs: 0 },
    { losses: 2, pauseMs: expect.any(Number) },
  ]);
  expect(warnings[1]?.pauseMs).toBeGreaterThanOrEqual(1_000);
});

test("a contract waits for a node that joins concurrently; later ones and those without a lease are refused", async () => {
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
    /Since the migration 9002_narrow, .*schema version 9001 or later/,
  );
  const later = await takeLease({ ...options(db), schemaVersion: 9_001 });
  expect(later.isValid()).toBe(true);
  await later.release();
});

const WAITING =
  "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";

test("a lease ends while the machine is suspended, although the monotonic clock stands still", async () => {
  const db = await open();
  const lease = await takeLease(options(db));
  ends.push(() => lease.release());
  expect(lease.isValid()).toBe(true);
  const wall = vi.spyOn(Date, "now");
  ends.push(async () => wall.mockRestore());
  const asleepUntil = Date.now() + 60_000;
  wall.mockImplementation(() => asleepUntil);
  expect(lease.isValid()).toBe(false);
});

test("a lease whose last renewal the database lacks is given up, and the primary of before is remembered", async () => {
  const db = await open();
  const changes: (string | null | undefined)[] = [];
  let losses = 0;
  const lease = await takeLease({
    ...options(db),
    leaseMs: 6_000,
    onLost: async () => void losses++,
    onNewPrimary: (memory) => void changes.push(memory.known?.nodeId),
  });
  ends.push(() => lease.release());
  const { nodeId } = lease;
  await expect.poll(() => lease.primary.known?.renewals).toBeGreaterThan(2);
  expect(lease.primary.known).toMatchObject({ nodeId, isSynchronous: false });
  // A standby that lacks the last renewals was promoted.
  await db.query("update nodes set renewals = 0 where id = $1", [nodeId]);
  await db.query(
    `create or replace function current_timeline() returns text language sql as $$ select '00000009' $$`,
  );
  await expect.poll(() => losses).toBe(1);
  await expect.poll(() => changes).toContain(nodeId);
  expect(lease.nodeId).not.toBe(nodeId);
  expect(lease.primary.known).toMatchObject({ nodeId, timeline: expect.not.stringMatching("00000009") });
});

test.each([
  { timeline: "'00000001'", after: 7, next: 8 },
  { timeline: "'00000003'", after: 7, next: 2 * 2 ** 20 },
  { timeline: "'00000003'", after: 2 * 2 ** 20, next: 2 * 2 ** 20 + 1 },
  { timeline: "null::text", after: 7, next: 8 },
])("on the timeline $timeline, the epoch after $after is $next", async ({ timeline, after, next }) => {
  const db = await open();
  await db.query(
    `create or replace function current_timeline() returns text language sql as $$ select ${timeline} $$`,
  );
  expect(await db.query("select next_epoch($1) as next", [after])).toEqual([{ next }]);
});
