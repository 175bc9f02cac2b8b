import type { AdminCall, AdminRoute } from "../../http/route.ts";
import type { Journal } from "../../journal.ts";
import { journalQuery } from "../../journal-query.ts";
import type { World } from "../world/world.ts";

/** What clients did, as lists that can be waited for. Each may be filtered by the fields of its entries. */
export function journalRoutes(world: World): AdminRoute[] {
  return [
    [
      "GET",
      "/sent",
      (call) =>
        readJournal(call, world.sent, ["phone", "method", "chat_id", "message_id", "cid", "repeated"]),
    ],
    [
      "GET",
      "/calls",
      (call) =>
        readJournal(call, world.calls, ["phone", "session", "opcode", "name", "error", "unknown", "codec"]),
    ],
    ["GET", "/acks", (call) => readJournal(call, world.acks, ["phone", "opcode"])],
    ["GET", "/events", (call) => readJournal(call, world.events, ["phone", "session", "event"])],
  ];
}

/** Entries whose fields equal what the query names. */
export function readJournal<T extends object>(
  call: AdminCall,
  journal: Journal<T>,
  filters: readonly string[],
): Promise<unknown> {
  const wanted = filters.flatMap((name) => {
    const value = call.query.text(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (wanted.length === 0) return journal.read(journalQuery<T>(call));
  const where = (entry: T) => {
    const fields = entry as Readonly<Record<string, unknown>>;
    return wanted.every(([name, value]) => String(fields[name]) === value);
  };
  return journal.read(journalQuery<T>(call, where));
}
