import { type Queryable, sql } from "../../database/database.ts";
import type { Scope } from "../scope.ts";

// A concurrent transaction waits for this row, then sees the new position and takes the next employee.
const TAKE_TURN = sql(
  "crm_take_turn",
  `update crm_settings s set last_in_turn = (
     select u.id from crm_users u where u.account_id = s.account_id and u.gets_new_clients
     order by u.id <= coalesce(s.last_in_turn, ''), u.id limit 1)
   where s.account_id = $1 returning last_in_turn`,
);

/**
 * The next employee in the round robin of new clients, by id, starting over after the last one; null if no employee
 * gets any. Each call advances the position, so call it in the transaction of the assignment.
 */
export async function nextAssignee(tx: Queryable, { accountId }: Scope): Promise<string | null> {
  const [row] = await tx.query<{ last_in_turn: string | null }>(TAKE_TURN, [accountId]);
  return row?.last_in_turn ?? null;
}
