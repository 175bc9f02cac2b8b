import { older, removals } from "../retention.ts";

/** A day longer than messages count as unanswered: what an employee has seen does not become new again. */
export const INBOX_RETENTION = removals({
  chat_reads: older("chat_reads", "at", "8 days"),
});
