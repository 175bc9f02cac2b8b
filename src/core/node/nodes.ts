import { type Database, type Queryable, sql } from "../../database/database.ts";
import { releaseAllCursors, releaseClaimsOf } from "../delivery/cursor/cursors.ts";
import { releaseAllChannels, releaseOwnedBy } from "../ownership/ownership.ts";
import { IS_SYNCHRONOUS, type KnownPrimary } from "../primary-memory.ts";
import { removals } from "../retention.ts";

export const NODE_RETENTION = removals({
  nodes: "delete from nodes where lease_until < now() - interval '1 hour'",
});

const PRIMARY = `renewals, current_timeline() as timeline, ${IS_SYNCHRONOUS} as is_synchronous`;

// The lock keeps a contract from being decided on until this node is found, see `database/contracts.ts`.
const REGISTER = sql(
  "node_register",
  `with floor as (select version from schema_floor for share)
   insert into nodes (id, name, roles, lease_until, sealing_key, schema_version)
   select $1::uuid, $2, $3::text[], now() + $4 * interval '1 millisecond', $5, $6::integer from floor where version <= $6::integer
   returning ${PRIMARY}`,
);
const RENEW = sql(
  "node_renew",
  `update nodes set lease_until = now() + $2 * interval '1 millisecond', renewals = renewals + 1
   where id = $1 and lease_until > now() and renewals >= $3
   returning exists (select 1 from nodes o where o.id <> $1 and o.lease_until > now()) as has_others, ${PRIMARY}`,
);
const DELETE = sql(
  "node_leave",
  `with gone as (delete from nodes where id = $1 returning id),
   channels_free as (${releaseOwnedBy("select id from gone")})
   ${releaseClaimsOf("select id from gone")}`,
);

export interface Node {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly leaseMs: number;
  /** Fingerprint of the key that the node seals with. */
  readonly sealingKey: string;
  /** Of its release. */
  readonly schemaVersion: number;
}

interface PrimaryRow {
  readonly renewals: number;
  readonly timeline: string | null;
  readonly is_synchronous: boolean;
}

function primaryOf(
  nodeId: string,
  { renewals, timeline, is_synchronous: isSynchronous }: PrimaryRow,
): KnownPrimary {
  return { nodeId, renewals, timeline, isSynchronous };
}

/** Adds the node with a lease. Null if a contract excludes its release; then nothing has changed. */
export async function registerNode(db: Queryable, node: Node): Promise<KnownPrimary | null> {
  const { id, name, roles, leaseMs, sealingKey, schemaVersion } = node;
  const [row] = await db.query<PrimaryRow>(REGISTER, [id, name, roles, leaseMs, sealingKey, schemaVersion]);
  return row === undefined ? null : primaryOf(id, row);
}

/** A renewed lease. */
export interface Renewed {
  /** Other live nodes exist. */
  readonly hasOthers: boolean;
  readonly primary: KnownPrimary;
}

/**
 * Extends a valid lease. Null if it has ended, or if the database lacks one of its `renewals` that were acknowledged: a
 * standby without the last commits was promoted, and what they gave the node may be given to others.
 */
export async function renewLease(
  db: Queryable,
  { id, leaseMs, renewals }: { readonly id: string; readonly leaseMs: number; readonly renewals: number },
): Promise<Renewed | null> {
  const [row] = await db.query<PrimaryRow & { has_others: boolean }>(RENEW, [id, leaseMs, renewals]);
  return row === undefined ? null : { hasOthers: row.has_others, primary: primaryOf(id, row) };
}

/** Whether a node is running that has this role; null: any role. */
export async function isNodeRunning(db: Queryable, role: "delivery" | "sessions" | null): Promise<boolean> {
  const nodes = await db.query(
    "select 1 from nodes where lease_until > now() and ($1::text is null or $1 = any(roles)) limit 1",
    [role],
  );
  return nodes.length > 0;
}

/** Removes the node and releases its channels and cursors, so that others can claim them at once. Idempotent. */
export async function removeNode(db: Queryable, id: string): Promise<void> {
  await db.query(DELETE, [id]);
}

/** Removes all nodes and releases everything that they held, for a service that is certainly the only one. */
export async function removeAllNodes(db: Database): Promise<void> {
  await db.tx(async (tx) => {
    await tx.query("delete from nodes");
    await releaseAllChannels(tx);
    await releaseAllCursors(tx);
  });
}
