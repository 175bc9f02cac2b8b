import { afterEach, expect, test } from "vitest";
import type { Database } from "../../src/database/database.ts";
import { openDatabase } from "../../src/database/database.ts";
import { type Lease, takeLease } from "../../src/work/lease.ts";
import { quietLog, startTestDatabase } from "../kit/database.ts";

const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

function stall(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test("a lease that was renewed in time is kept by a process that could not hear of it for long", async () => {
  const database = await startTestDatabase();
  ends.push(() => database.stop());
  const db = openDatabase({
    connection: database.connection,
    max: 1,
    log: quietLog,
    applicationName: "test",
  });
  ends.push(() => db.close());
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
    db: { ...db, query },
    log: quietLog,
    name: "test",
    roles: [],
    leaseMs: 6_000,
    sealingKey: "",
    onLost: async () => void losses++,
    onRegained: () => undefined,
    onCompany: () => undefined,
  });
  ends.push(() => lease.release());
  const { nodeId } = lease;
  await stalled.promise;
  await expect.poll(() => renewals).toBeGreaterThan(2);
  expect([losses, lease.nodeId]).toEqual([0, nodeId]);
});
