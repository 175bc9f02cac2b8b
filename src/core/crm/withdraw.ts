import { type Queryable, sql } from "../../database/database.ts";
import type { CreationFact } from "../payload/facts.ts";

const WITHDRAW = sql(
  "crm_creation_withdraw",
  "delete from client_creations where account_id = $1 and id = $2",
);

/** Ends a reservation without a request: the next occasion may cause one. */
export async function withdrawCreation(
  tx: Queryable,
  { accountId, creationId }: Pick<CreationFact, "accountId" | "creationId">,
): Promise<void> {
  await tx.query(WITHDRAW, [accountId, creationId]);
}
