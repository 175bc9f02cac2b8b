import { MESSAGE_CUT_OFF, older, removals } from "../retention.ts";

/** A day longer than messages count as unanswered: what an employee has seen does not become new again. */
export const INBOX_RETENTION = removals({
  chat_reads: older("chat_reads", "at", "8 days"),
  page_employees: older("page_employees", "seen_at", "90 days"),
});

/** Internal notes are kept as long as messages. `$1`: the days for which messages are kept. */
export const ENTRY_RETENTION = removals({
  chat_entries: `delete from chat_entries where ctid = any(array(
     select ctid from chat_entries where created_at < ${MESSAGE_CUT_OFF} limit 5000))`,
});
