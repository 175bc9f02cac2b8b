const MINUTE = "floor(extract(epoch from t.at) / 60)";

/**
 * Part of a statement that stores earlier messages: stores or completes the chats of `input` (`MESSAGE_INPUT` with `ord`).
 * `people`: those that have the names of their messages.
 */
export const STORE_CHATS = `people as (
     insert into chats (account_id, id, channel_id, chat_type, chat_id, name, username, phone, last_inbound_at, last_direct_at)
     select distinct on (chat) account_id, chat, channel_id, chat_type, chat_id, name, username, phone,
            max(sent_at) filter (where direction = 'in' and not is_notice) over (partition by chat),
            max(sent_at) filter (where direction = 'in' and not is_notice and not is_comment) over (partition by chat)
     from input order by chat, ord desc
     on conflict (account_id, id) do update set
       name = case when chats.name = '' then excluded.name else chats.name end,
       username = coalesce(chats.username, excluded.username),
       phone = coalesce(chats.phone, excluded.phone),
       last_inbound_at = greatest(excluded.last_inbound_at, chats.last_inbound_at),
       last_direct_at = greatest(excluded.last_direct_at, chats.last_direct_at)
     where chats.chat_id = excluded.chat_id
     returning id
   )`;

/**
 * The same: places the chats of the messages that were `added` in the list of chats. A chat moves only if it has no later
 * message. Rows that others hold are not waited for.
 */
export const PLACE_CHATS = `latest as materialized (
     select account_id, chat, channel_id, max(sent_at) as at from added group by account_id, chat, channel_id
   ), placed as (
     insert into chat_order (account_id, chat, channel_id, minute, at)
     select account_id, chat, channel_id, ${MINUTE}, at from latest t
     where (select true from chat_order o
            where o.account_id = any(array[t.account_id]) and o.chat = t.chat limit 1) is null
     order by chat
     on conflict do nothing
   ), moved as (
     update chat_order o set minute = ${MINUTE}, at = t.at from latest t
     where o.account_id = any(array[t.account_id]) and o.chat = t.chat and o.ctid = any(array(
       select w.ctid from latest l cross join lateral (
         select w.ctid from chat_order w
         where w.account_id = any(array[l.account_id]) and w.chat = l.chat and w.at < l.at
         for update skip locked) w))
   )`;
