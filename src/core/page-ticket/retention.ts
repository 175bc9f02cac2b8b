import { older, removals } from "../retention.ts";

export const PAGE_TICKET_RETENTION = removals({
  page_tickets: older("page_tickets", "expires_at", "1 day"),
});
