import { type Queryable, sql } from "../../database/database.ts";

// Without a live leader the first node that asks becomes leader. If two ask at once, the second finds the first.
const LEAD = sql(
  "upkeep_lead",
  `with lead as (
     update upkeep_leader l set node_id = $1, since = now()
     where not exists (select 1 from nodes n where n.id = l.node_id and n.lease_until > now())
     returning node_id)
   select coalesce((select node_id from lead), (select node_id from upkeep_leader)) = $1 as leads`,
);
/** Expression: the leader's id; null if its lease is over. */
export const LIVE_LEADER =
  "(select l.node_id from upkeep_leader l join nodes n on n.id = l.node_id where n.lease_until > now())";

const RESIGN = sql("upkeep_resign", "update upkeep_leader set node_id = null where node_id = $1");

/** Makes the node the leader unless another one leads whose lease is valid. Returns whether it leads. */
export async function leadUpkeep(db: Queryable, nodeId: string): Promise<boolean> {
  const [row] = await db.query<{ leads: boolean | null }>(LEAD, [nodeId]);
  return row?.leads === true;
}

/** Idempotent; changes nothing if another node leads. */
export async function resignUpkeep(db: Queryable, nodeId: string): Promise<void> {
  await db.query(RESIGN, [nodeId]);
}
