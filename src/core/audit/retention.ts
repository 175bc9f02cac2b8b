import { removals } from "../retention.ts";

/** `$1`: the days for which the audit log is kept. */
export const AUDIT_RETENTION = removals({
  audit_log:
    "delete from audit_log where ctid in (select ctid from audit_log where at < now() - $1 * interval '1 day' limit 5000)",
});
