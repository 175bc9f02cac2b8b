import type { BrowserStand } from "./stand.ts";

/** A stored chat and its messages, oldest first; the last one is as old as the chat's place in the list says. */
export interface StoredChat {
  readonly name: string;
  readonly texts: readonly string[];
  readonly unread?: number;
}

/**
 * Stores chats of WhatsApp with inbound messages, one a second, as if the messenger had reported them. All are of one
 * day, as in a busy group.
 */
export async function storeChats(
  { db, account }: BrowserStand,
  channelId: string,
  chats: readonly StoredChat[],
): Promise<void> {
  const of = [account.accountId, channelId];
  for (const { name, texts, unread = 0 } of chats) {
    const [chat] = await db.query<{ id: string }>(
      `insert into chats (account_id, id, channel_id, chat_type, chat_id, name, last_inbound_at)
       values ($1, gen_random_uuid(), $2, 'whatsapp', gen_random_uuid()::text, $3, now()) returning id`,
      [...of, name],
    );
    await db.query(
      `with added as (
         insert into messages (account_id, id, channel_id, chat, direction, type, status, text, external_id, sent_at, created_at)
         select $1, gen_random_uuid(), $2, $3, 'in', 'text', 'inbound', text, n::text, at, at
         from unnest($4::text[]) with ordinality as t(text, n)
         cross join lateral (select date_trunc('day', now()) + n * interval '1 second' as at) times
         returning id, created_at
       ), listed as (
         insert into chat_order (account_id, chat, channel_id, minute, at)
         select $1, $3, $2, floor(extract(epoch from max(created_at)) / 60), max(created_at) from added
       )
       insert into unanswered (account_id, chat, message_id, channel_id, at)
       select $1, $3, id, $2, created_at from added order by created_at desc limit $5`,
      [...of, chat?.id, texts, unread],
    );
  }
}
