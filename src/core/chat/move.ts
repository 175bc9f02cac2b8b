import { type Queryable, sql } from "../../database/database.ts";

const MOVE = sql(
  "chat_moved",
  `update chats c set chat_id = $3 where account_id = $1 and id = $2
     and not exists (select 1 from chats o where o.account_id = c.account_id and o.channel_id = any(array[c.channel_id])
                     and o.chat_type = c.chat_type and o.chat_id = $3)
   returning id`,
);

// An update of a group under its new id may arrive before that of the move; then an empty chat exists under the new
// id. It is locked first: whoever accepts its first message holds its row, and the deletion, a statement of its own, then
// sees the message.
const LOCK_EMPTY = sql(
  "chat_lock_empty",
  `select o.id from chats c join chats o on o.account_id = c.account_id and o.channel_id = any(array[c.channel_id])
     and o.chat_type = c.chat_type and o.chat_id = $3 and o.id <> c.id
   where c.account_id = $1 and c.id = $2
     and not exists (select 1 from messages m where m.account_id = o.account_id and m.chat = o.id)
   for update of o`,
);
const MAKE_ROOM = sql(
  "chat_make_room",
  `delete from chats o where o.account_id = $1 and o.id = $2
     and not exists (select 1 from messages m where m.account_id = o.account_id and m.chat = o.id)
     and not exists (select 1 from chat_order p where p.account_id = o.account_id and p.chat = o.id)`,
);

/**
 * The chat keeps its history under its new id, unless a chat with messages already exists under that id. Returns
 * whether it was renamed. Locks rows: call it in a transaction.
 */
export async function moveChat(
  tx: Queryable,
  move: { accountId: number; chat: string; newChatId: string },
): Promise<boolean> {
  const values = [move.accountId, move.chat, move.newChatId];
  const [empty] = await tx.query<{ id: string }>(LOCK_EMPTY, values);
  if (empty !== undefined) await tx.query(MAKE_ROOM, [move.accountId, empty.id]);
  return (await tx.query(MOVE, values)).length > 0;
}
