import { older, removals } from "../retention.ts";

export const ACCOUNT_RETENTION = removals({
  idempotency_keys: older("idempotency_keys", "created_at", "1 day"),
  rate_counters: "delete from rate_counters where minute < extract(epoch from now()) / 60 - 65",
  login_attempts: "delete from login_attempts where period < extract(epoch from now()) / 900 - 1",
  tokens: older("tokens", "expires_at", "1 day"),
});
