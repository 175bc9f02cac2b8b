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
      (call) => readJournal(call, world.sent, ["phone", "action", "chat", "kind", "message_id", "random_id"]),
    ],
    [
      "GET",
      "/calls",
      (call) => readJournal(call, world.rpcs, ["phone", "dc", "session", "method", "error", "unknown"]),
    ],
    ["GET", "/events", (call) => readJournal(call, world.events, ["event", "phone", "dc", "session"])],
  ];
}

/** Entries whose fields equal those of the query; `message_id` also matches a list of ids. */
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
  const where = (entry: T) => wanted.every(([name, value]) => matches(entry, name, value));
  return journal.read(journalQuery<T>(call, where));
}

function matches(entry: object, name: string, value: string): boolean {
  const fields = entry as Readonly<Record<string, unknown>>;
  const ids = fields["message_ids"];
  if (name === "message_id" && Array.isArray(ids)) return ids.map(String).includes(value);
  return String(fields[name]) === value;
}
