import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { Scope } from "../scope.ts";
import { quotaExceeded } from "./quotas.ts";

/** Expression: bytes of the exports of the account $1. They are counted by their own rows, not in `account_usage`. */
export const EXPORTED_BYTES = `coalesce(
  (select sum((draft ->> 'bytes')::bigint) from message_exports where account_id = $1), 0)::bigint`;

const USED = sql(
  "quota_file_bytes",
  `select coalesce((select file_bytes from account_usage where account_id = $1), 0) + ${EXPORTED_BYTES} as bytes`,
);

/**
 * Throws QUOTA_EXCEEDED if the account's files exhaust its quota, or would with so many more bytes. Files that are being
 * received count.
 */
export async function checkFiles({ db, settings }: Base, { accountId }: Scope, more = 1): Promise<void> {
  const { quotas } = settings;
  if (quotas.fileBytes === 0) return;
  const [used] = await db.query<{ bytes: number }>(USED, [accountId]);
  if ((used?.bytes ?? 0) + more > quotas.fileBytes) throw quotaExceeded(quotas, "fileBytes");
}
