import { removals } from "../retention.ts";

/** A link of the connect page that no longer works tells for 30 days who can give a new one. */
export const PAGE_TICKET_RETENTION = removals({
  page_tickets: `delete from page_tickets where ctid in (
    select ctid from page_tickets where expires_at < now() - interval '1 day'
      and (page = 'chats' or expires_at < now() - interval '30 days') limit 5000)`,
});
