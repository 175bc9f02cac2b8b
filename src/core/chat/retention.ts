import { MESSAGE_CUT_OFF, older, removals } from "../retention.ts";

export const CHAT_RETENTION = removals({
  group_changes: older("group_changes", "reported_at", "30 days"),
  group_members: older("group_members", "reported_at", "30 days"),
});

/** Chats without messages leave the list of chats. `$1`: the days for which messages are kept. */
export const CHAT_ORDER_RETENTION = removals({
  chat_order: `delete from chat_order where ctid = any(array(
     select o.ctid from accounts a cross join lateral (
       select ctid from chat_order o
       where o.account_id = a.id and o.minute < floor(extract(epoch from ${MESSAGE_CUT_OFF}) / 60) limit 5000) o
     limit 5000))`,
});
