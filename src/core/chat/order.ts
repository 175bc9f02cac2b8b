/** Precision of the list's order: further messages within this time do not update the chat's row. */
const EXACT = "interval '1 second'";
const MINUTE = "floor(extract(epoch from now()) / 60)";

/**
 * Part of a statement, common table expressions: moves the chats of a query with `account_id`, `chat` and
 * `channel_id` to the top, because they have a new message. Does not wait: a row locked by another transaction gets
 * the same time from there.
 */
export function touchChats(rows: string): string {
  return `placed as (
     insert into chat_order (account_id, chat, channel_id, minute, at)
     select distinct on (chat) account_id, chat, channel_id, ${MINUTE}, now() from (${rows}) r
     where (select true from chat_order o
            where o.account_id = any(array[r.account_id]) and o.chat = r.chat limit 1) is null
     order by chat
     on conflict do nothing
   ), ${moveUp(rows)}`;
}

/** The part of `touchChats` for chats that have a place in the list. */
export function moveUp(rows: string): string {
  return `moved as (
     update chat_order set minute = ${MINUTE}, at = now() where ctid = any(array(
       select o.ctid from (select distinct account_id, chat from (${rows}) r) r cross join lateral (
         select w.ctid from chat_order w
         where w.account_id = any(array[r.account_id]) and w.chat = r.chat and w.at < now() - ${EXACT}
         for update skip locked) o))
   )`;
}
