import type { AdminCall } from "./http/route.ts";
import type { JournalQuery } from "./journal.ts";

/** Reads `after`, `count`, `timeout_ms` and `limit` from an admin query: every list can be waited for. */
export function journalQuery<T>(call: AdminCall, where?: (entry: T) => boolean): JournalQuery<T> {
  const { query, signal } = call;
  return {
    after: query.integer("after") ?? 0,
    count: query.integer("count") ?? 0,
    timeoutMs: query.integer("timeout_ms") ?? 5000,
    limit: query.integer("limit") ?? 1000,
    signal,
    ...(where && { where }),
  };
}
