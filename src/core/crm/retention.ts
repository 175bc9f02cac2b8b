import { older, removals } from "../retention.ts";

export const CRM_RETENTION = removals({
  unanswered: older("unanswered", "at", "7 days"),
});
