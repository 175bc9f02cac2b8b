import { type Queryable, sql } from "../../database/database.ts";

const MOVE = sql(
  "chat_moved",
  `update chats c set chat_id = $3 where account_id = $1 and id = $2
     and not exists (select 1 from chats o where o.account_id = c.account_id and o.channel_id = any(array[c.channel_id])
                     and o.chat_type = c.chat_type and o.chat_id = $3)
   returning id`,
);

// An update of a group under its new id may arrive before that of the move; then an empty chat exists under the new
// id.
const MAKE_ROOM = sql(
  "chat_make_room",
  `delete from chats o using chats c
   where c.account_id = $1 and c.id = $2 and o.account_id = c.account_id and o.channel_id = any(array[c.channel_id])
     and o.chat_type = c.chat_type and o.chat_id = $3 and o.id <> c.id
     and not exists (select 1 from messages m where m.account_id = o.account_id and m.chat = o.id)`,
);

/**
 * The chat keeps its history under its new id, unless a chat with messages already exists under that id. Returns
 * whether it was renamed.
 */
export async function moveChat(
  tx: Queryable,
  move: { accountId: number; chat: string; newChatId: string },
): Promise<boolean> {
  const values = [move.accountId, move.chat, move.newChatId];
  await tx.query(MAKE_ROOM, values);
  return (await tx.query(MOVE, values)).length > 0;
}
