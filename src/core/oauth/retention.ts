import { older, removals } from "../retention.ts";

/**
 * Deleting a grant deletes its tokens. A used refresh token stays recognisable for as long as it would have been
 * valid.
 */
export const OAUTH_RETENTION = removals({
  oauth_grants: older("oauth_grants", "expires_at", "1 day", 1_000),
  oauth_refresh_tokens: older("oauth_refresh_tokens", "expires_at", "1 day"),
  oauth_machine_tokens: older("oauth_machine_tokens", "expires_at", "1 day"),
  oauth_codes: older("oauth_codes", "expires_at", "1 day"),
});
