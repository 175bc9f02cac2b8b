/**
 * Part of a statement: deletes the unanswered messages of the chats of a query with `account_id` and `chat`. It looks
 * up each chat by index and does not wait: rows that another transaction is deleting are skipped.
 */
export function forgetUnanswered(chats: string): string {
  return `delete from unanswered where ctid = any(array(
       select u.ctid from (${chats}) c cross join lateral (
         select w.ctid from unanswered w where w.account_id = c.account_id and w.chat = c.chat for update skip locked
       ) u))`;
}
