import { type Queryable, sql } from "../../database/database.ts";
import type { Scope } from "../core.ts";

// Who waits for the row of somebody else's turn sees that turn taken: the next is chosen from the row as it is then.
const TAKE_TURN = sql(
  "crm_take_turn",
  `update crm_settings s set last_in_turn = (
     select u.id from crm_users u where u.account_id = s.account_id and u.gets_new_clients
     order by u.id <= coalesce(s.last_in_turn, ''), u.id limit 1)
   where s.account_id = $1 returning last_in_turn`,
);

/**
 * The employee whose turn it is to get a new client, by id and from the beginning after the last one; null when
 * nobody gets any. Each call is a turn, so it belongs into the transaction of what is assigned.
 */
export async function takeTurn(tx: Queryable, { accountId }: Scope): Promise<string | null> {
  const [row] = await tx.query<{ last_in_turn: string | null }>(TAKE_TURN, [accountId]);
  return row?.last_in_turn ?? null;
}
