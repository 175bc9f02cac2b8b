import { type Database, sql } from "../../database/database.ts";
import { audit } from "../audit/audit.ts";
import type { Scope } from "../scope.ts";

/** Host names may contain ";" and quotes, which would end the directive of the header that lists the origins. */
const ORIGIN = /^https?:\/\/(?:[a-z\d._-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/;

/** Whether the text is a complete origin, such as `https://crm.example`, that is safe in a header. */
export function isFrameOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && ORIGIN.test(text);
}

const SET = sql("account_frame_origins", "update accounts set frame_origins = $2 where id = $1 returning id");

/**
 * Sets the origins that may embed the account's pages: null for any, an empty list for none. Returns false if there
 * is no such account.
 */
export async function setFrameOrigins(
  db: Database,
  { accountId }: Scope,
  origins: readonly string[] | null,
): Promise<boolean> {
  return db.tx(async (tx) => {
    const rows = await tx.query(SET, [accountId, origins]);
    if (rows.length === 0) return false;
    await audit(tx, {
      accountId,
      action: "account.frames",
      details: { origins: origins?.join(" ") ?? "any" },
    });
    return true;
  });
}
