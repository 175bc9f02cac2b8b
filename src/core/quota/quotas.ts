import { type Queryable, sql } from "../../database/database.ts";
import { AppError } from "../errors.ts";
import type { Scope } from "../scope.ts";

/** The quotas of an account, and of a partner; 0 disables a quota. */
export interface Quotas {
  /** Accounts of one partner. */
  readonly accounts: number;
  /** Channels that are not deleted. */
  readonly channels: number;
  /** Channels that are not linked yet: each may hold a session that shows QR codes. */
  readonly unlinkedChannels: number;
  /** Bytes of files of inbound messages, chat pictures and exports. */
  readonly fileBytes: number;
  /** Messages, edits and deletions waiting to be sent. */
  readonly waitingSends: number;
  /** Subscriptions to single events. */
  readonly subscriptions: number;
  /** Employees of the CRM, which are listed in one response. */
  readonly employees: number;
  /** Contacts of the CRM. */
  readonly contacts: number;
  /** Deals of the CRM. */
  readonly deals: number;
  /** Bytes of contacts and deals. */
  readonly crmBytes: number;
  /** Canned answers, which are listed in one response. */
  readonly cannedAnswers: number;
  /** Messages imported from messengers' histories. */
  readonly historyMessages: number;
}

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
