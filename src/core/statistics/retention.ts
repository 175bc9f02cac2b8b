import { removals } from "../retention.ts";

export const STATISTIC_RETENTION = removals({
  statistics: `delete from statistics where ctid = any(array(
     select ctid from statistics where span_seconds = 300 and at < now() - interval '3 hours'
     union all select ctid from statistics where span_seconds = 3600 and at < now() - interval '3 days'
     union all select ctid from statistics where span_seconds = 86400 and at < now() - interval '100 days'
     limit 5000))`,
});
