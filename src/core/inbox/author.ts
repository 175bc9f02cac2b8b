import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { InboxSession } from "./reach.ts";

const NAME = sql("inbox_author_name", "select name from crm_users where account_id = $1 and id = $2");

/** The name in the link comes first, then the name that the CRM has uploaded. */
export async function authorNameOf(
  core: Base,
  { scope, opening }: Pick<InboxSession, "scope" | "opening">,
): Promise<string | null> {
  if (opening.authorName !== null) return opening.authorName;
  const [row] = await core.db.query<{ name: string }>(NAME, [scope.accountId, opening.userId]);
  return row?.name ?? null;
}
