import { older, removals } from "../retention.ts";

export const PACING_RETENTION = removals({
  first_contacts: older("first_contacts", "at", "2 days"),
  channel_notices: older("channel_notices", "at", "30 days"),
});
