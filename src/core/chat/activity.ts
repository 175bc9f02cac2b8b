import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { TransportEvent } from "../transport/events.ts";

const ACTIVITY = sql(
  "chat_activity",
  `update chats set last_inbound_at = greatest(last_inbound_at, $5), last_direct_at = greatest(last_direct_at, $5)
   where account_id = $1 and channel_id = $2 and chat_type = $3 and chat_id = any($4)`,
);

/** Records when a person was last active in a known chat. Idempotent. */
export async function recordActivity(
  core: Pick<Base, "db">,
  { accountId, channelId }: { readonly accountId: number; readonly channelId: string },
  { chatType, chatId, formerChatId, at }: Extract<TransportEvent, { kind: "activity" }>,
): Promise<void> {
  const chatIds = [chatId, ...(formerChatId === undefined ? [] : [formerChatId])];
  await core.db.query(ACTIVITY, [accountId, channelId, chatType, chatIds, at]);
}
