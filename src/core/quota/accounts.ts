import { type Queryable, sql } from "../../database/database.ts";
import type { Quotas } from "../base.ts";
import { checkQuota } from "./quotas.ts";

const LOCK = sql("quota_partner_lock", "select 1 from partners where id = $1 for no key update");
const COUNT = sql(
  "quota_accounts",
  "select count(*)::int as accounts from (select 1 from accounts where partner_id = $1 limit $2) a",
);

/** Call before an account of the partner is added, in the same transaction. Throws QUOTA_EXCEEDED. */
export async function checkAccounts(tx: Queryable, partnerId: number, quotas: Quotas): Promise<void> {
  if (quotas.accounts === 0) return;
  await tx.query(LOCK, [partnerId]);
  const [counted] = await tx.query<{ accounts: number }>(COUNT, [partnerId, quotas.accounts]);
  checkQuota(quotas, "accounts", (counted?.accounts ?? 0) + 1);
}
