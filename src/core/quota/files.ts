import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { Scope } from "../scope.ts";
import { quotaExceeded } from "./quotas.ts";

const USED = sql(
  "quota_file_bytes",
  `select coalesce((select file_bytes from account_usage where account_id = $1), 0)
     + coalesce((select sum((draft ->> 'bytes')::bigint) from message_exports where account_id = $1), 0)::bigint as bytes`,
);

/** Whether the account's files exhaust its quota; then nothing more is downloaded or written for it. */
export async function hasFullFiles(
  db: Queryable,
  { accountId }: Scope,
  quotas: Base["settings"]["quotas"],
): Promise<boolean> {
  if (quotas.fileBytes === 0) return false;
  const [used] = await db.query<{ bytes: number }>(USED, [accountId]);
  return (used?.bytes ?? 0) >= quotas.fileBytes;
}

/** Throws QUOTA_EXCEEDED if the account's files exhaust its quota. */
export async function checkFiles({ db, settings }: Base, scope: Scope): Promise<void> {
  if (await hasFullFiles(db, scope, settings.quotas)) throw quotaExceeded(settings.quotas, "fileBytes");
}
