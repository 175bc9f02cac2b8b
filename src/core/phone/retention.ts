import { older, removals } from "../retention.ts";

export const PHONE_RETENTION = removals({ phone_lookups: older("phone_lookups", "at", "30 days") });
