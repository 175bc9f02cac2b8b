import { older, removals } from "../retention.ts";

export const OPERATOR_RETENTION = removals({
  operator_links: older("operator_links", "expires_at", "1 day"),
  operator_returns: older("operator_returns", "expires_at", "1 day"),
  operator_sessions: older("operator_sessions", "expires_at", "1 day"),
});
