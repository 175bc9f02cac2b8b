import type { Queryable } from "./database.ts";
import type { Migration } from "./migration-files.ts";
import { hasTable, type OlderNode, olderNodes } from "./schema.ts";

// A joining node locks this row (`core/node/nodes.ts`). Either it joins first and is found below, or it sees the new
// floor.
const RAISE = `update schema_floor set version = $1, contract = $2, since = now() where version < $1`;

// A node that was silent for longer than its lease may renew it concurrently. If it gets the row first, it is found
// alive; otherwise its row is deleted, and it has to join again, which the floor forbids.
const REMOVE_DEAD = "delete from nodes where schema_version < $1 and lease_until <= now()";

/**
 * Excludes earlier releases, so that a contract can be applied: from now on, no node joins that does not know the
 * contract's expand. Changes nothing, and returns these nodes, while any of them is running. Idempotent. If the
 * process ends before the contract is applied, earlier releases stay excluded, and the next attempt applies it.
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
