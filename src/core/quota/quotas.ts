import { type Queryable, sql } from "../../database/database.ts";
import type { Scope } from "../core.ts";
import { AppError } from "../errors.ts";

/** What one account may have at most; 0 lifts a quota. */
export interface Quotas {
  /** Channels that are not deleted. */
  readonly channels: number;
  /** Of these, the ones that wait for a person who links them: each may hold a session that shows QR codes. */
  readonly unlinkedChannels: number;
  /** Bytes of files of inbound messages, pictures of chats and exports. */
  readonly fileBytes: number;
  /** Messages, changes and removals that wait to be sent. */
  readonly waitingSends: number;
  /** Subscriptions to single events. */
  readonly subscriptions: number;
  /** Employees of the CRM, which are listed in one answer. */
  readonly employees: number;
}

/** Throws QUOTA_EXCEEDED where the account has, or would have, more than it may. */
export function checkQuota(quotas: Quotas, quota: keyof Quotas, count: number): void {
  const limit = quotas[quota];
  if (limit > 0 && count > limit) throw quotaExceeded(quotas, quota);
}

export function quotaExceeded(quotas: Quotas, quota: keyof Quotas): AppError {
  return new AppError("QUOTA_EXCEEDED", { data: { quota, limit: quotas[quota] } });
}

const LOCK = sql("quota_account_lock", "select 1 from accounts where id = $1 for no key update");

/** One transaction of the account after the other: what is counted next is still true at the commit. */
export async function lockAccount(tx: Queryable, { accountId }: Scope): Promise<void> {
  await tx.query(LOCK, [accountId]);
}
