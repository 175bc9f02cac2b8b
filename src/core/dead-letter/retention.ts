import { older, removals } from "../retention.ts";

export const INBOUND_RETENTION = removals({
  inbound_dead_letters: older("inbound_dead_letters", "last_at", "30 days"),
});
