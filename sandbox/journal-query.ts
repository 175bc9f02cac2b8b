import type { AdminCall } from "./http/route.ts";
import type { JournalQuery } from "./journal.ts";

/** Reads `after`, `count`, `timeout_ms` and `limit` from an admin query: every list supports waiting. */
export function journalQuery<T>(call: AdminCall, where?: (entry: T) => boolean): JournalQuery<T> {
  const { query, signal } = call;
  const timeoutMs = query.integer("timeout_ms");
  return {
    after: query.integer("after") ?? 0,
    count: query.integer("count") ?? 0,
    limit: query.integer("limit") ?? 1000,
    signal,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(where && { where }),
  };
}
