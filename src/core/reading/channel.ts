import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { AppError } from "../errors.ts";
import type { Scope } from "../scope.ts";

const FIND = sql("read_find_channel", "select 1 from channels where account_id = $1 and id = $2");

/** Throws CHANNEL_NOT_FOUND. Chats of a deleted channel that are kept can be read. */
export async function checkChannel({ db }: Base, { accountId }: Scope, channelId: string): Promise<void> {
  const found = await db.query(FIND, [accountId, channelId]);
  if (found.length === 0) throw new AppError("CHANNEL_NOT_FOUND");
}
