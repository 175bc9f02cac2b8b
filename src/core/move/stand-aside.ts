import { type Database, sql } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import { announce, keepAddresses } from "./source.ts";

const STAND_ASIDE = sql(
  "account_stand_aside",
  `insert into account_moves (account_id, side, move_id, state, address) values ($1, 'source', $2, 'moved', $3)
   on conflict (account_id, side) do update set state = 'moved', address = excluded.address, hold_until = null, changed_at = now()
     where account_moves.state in ('copying', 'holding', 'fenced') returning 1`,
);

/**
 * For an account that has moved to another cell, which this one does not know because its database is an older backup,
 * perhaps of a time at which that move was under way: from now on nodes leave the account alone here, and pass its requests on to `address`. Its rows stay until the move is
 * repeated with `account move`. Idempotent.
 */
export async function standAside(db: Database, accountId: number, address: string): Promise<void> {
  const isNew = await db.tx(async (tx) => {
    const rows = await tx.query(STAND_ASIDE, [accountId, newId(), address]);
    if (rows.length > 0) await keepAddresses(tx, accountId);
    return rows.length > 0;
  });
  if (isNew) announce(db);
}
