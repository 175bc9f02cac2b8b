import type { AdminCall, AdminRoute } from "../../http/route.ts";
import type { Journal } from "../../journal.ts";
import { journalQuery } from "../../journal-query.ts";
import type { World } from "../world/world.ts";

/** The actions of clients, as lists that support waiting and filters by the fields of their entries. */
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

/** Entries whose fields equal those of the query. */
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
