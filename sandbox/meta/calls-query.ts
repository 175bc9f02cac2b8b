import type { AdminCall } from "../http/route.ts";
import type { JournalQuery } from "../journal.ts";
import { journalQuery } from "../journal-query.ts";

/** The searchable fields of a call. */
interface GraphCall {
  readonly method: string;
  readonly node: string;
  readonly edge: string;
  readonly status: number;
  readonly unknown?: boolean;
}

/** `{node?, edge?, method?, unknown?, refused?}` of an admin query for the calls of a Graph API. */
export function callsQuery<Call extends GraphCall>(call: AdminCall): JournalQuery<Call> {
  const { query } = call;
  const [node, edge, method] = ["node", "edge", "method"].map((name) => query.text(name));
  const unknown = query.flag("unknown");
  const refused = query.flag("refused");
  if ([node, edge, method, unknown, refused].every((filter) => filter === undefined))
    return journalQuery<Call>(call);
  return journalQuery<Call>(
    call,
    (entry) =>
      (node ?? entry.node) === entry.node &&
      (edge ?? entry.edge) === entry.edge &&
      (method ?? entry.method) === entry.method &&
      (unknown === undefined || unknown === (entry.unknown === true)) &&
      (refused === undefined || refused === (entry.status !== 200)),
  );
}
