import type { Queryable } from "./database.ts";
import type { Migration } from "./migration-files.ts";
import { hasTable, type OlderNode, olderNodes } from "./schema.ts";

// Whoever joins reads this row with a lock (`work/lease.ts`): it joins before, and is found below, or sees the new floor.
const RAISE = `update schema_floor set version = $1, contract = $2, since = now() where version < $1`;

// A node that was silent for longer than its lease may renew it at this moment: one of the two gets the row first. Either
// it is found alive, or its row is gone and it has to join again, which the floor forbids.
const REMOVE_DEAD = "delete from nodes where schema_version < $1 and lease_until <= now()";

/**
 * Excludes older releases, so that the contract can be applied: from now on no node joins that does not know its expand.
 * Changes nothing, and returns these nodes, while some of them work. Idempotent; if the process ends before the contract
 * is applied, older releases stay excluded and the next attempt applies it.
 */
export async function excludeOlderReleases(
  session: Queryable,
  { name, after }: Migration,
): Promise<OlderNode[]> {
  const version = after ?? 0;
  await session.query("begin");
  try {
    await session.query(RAISE, [version, name]);
    if (await hasTable(session, "nodes")) await session.query(REMOVE_DEAD, [version]);
    const older = await olderNodes(session, version);
    await session.query(older.length === 0 ? "commit" : "rollback");
    return older;
  } catch (error) {
    await session.query("rollback").catch(() => {});
    throw error;
  }
}
