import { type Queryable, sql } from "../../database/database.ts";
import type { Quotas } from "../base.ts";
import { AppError } from "../errors.ts";
import type { Scope } from "../scope.ts";

/** Throws QUOTA_EXCEEDED if the account exceeds, or would exceed, the quota. */
export function checkQuota(quotas: Quotas, quota: keyof Quotas, count: number): void {
  const limit = quotas[quota];
  if (limit > 0 && count > limit) throw quotaExceeded(quotas, quota);
}

export function quotaExceeded(quotas: Quotas, quota: keyof Quotas): AppError {
  return new AppError("QUOTA_EXCEEDED", { data: { quota, limit: quotas[quota] } });
}

const LOCK = sql("quota_account_lock", "select 1 from accounts where id = $1 for no key update");

/** Serialises transactions of the account, so that a count is still correct at the commit. */
export async function lockAccount(tx: Queryable, { accountId }: Scope): Promise<void> {
  await tx.query(LOCK, [accountId]);
}
