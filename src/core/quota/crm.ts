import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { Scope } from "../scope.ts";
import { quotaExceeded } from "./quotas.ts";

const USED = sql(
  "quota_crm",
  `select contacts, deals, bytes as "crmBytes" from crm_usage where account_id = $1`,
);

interface CrmUsage {
  readonly contacts: number;
  readonly deals: number;
  readonly crmBytes: number;
}

async function usageOf(tx: Queryable, { accountId }: Scope): Promise<CrmUsage> {
  const [used] = await tx.query<CrmUsage>(USED, [accountId]);
  return used ?? { contacts: 0, deals: 0, crmBytes: 0 };
}

/**
 * Runs work that stores contacts or deals in this transaction. Throws QUOTA_EXCEEDED if the account then exceeds a quota
 * and has more than before: what exists may be changed even if a quota was lowered.
 */
export async function withinCrmQuota<T>(
  { settings: { quotas } }: Pick<Base, "settings">,
  { tx, scope }: { readonly tx: Queryable; readonly scope: Scope },
  work: () => Promise<T>,
): Promise<T> {
  if (quotas.contacts === 0 && quotas.deals === 0 && quotas.crmBytes === 0) return work();
  const before = await usageOf(tx, scope);
  const result = await work();
  const after = await usageOf(tx, scope);
  for (const quota of ["contacts", "deals", "crmBytes"] as const) {
    const limit = quotas[quota];
    if (limit > 0 && after[quota] > limit && after[quota] > before[quota]) throw quotaExceeded(quotas, quota);
  }
  return result;
}
