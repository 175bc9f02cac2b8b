import { sql } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import type { Base } from "../base.ts";
import type { Scope } from "../scope.ts";
import type { ChannelLink } from "../transport/connector.ts";
import type { RegisteredTransport } from "../transport/registry.ts";

const LIFETIME = "interval '1 hour'";

const OPEN = sql(
  "connect_visit_open",
  `with outdated as (delete from connect_visits where expires_at < now())
   insert into connect_visits (id, account_id, transport, expires_at) values ($1, $2, $3, now() + ${LIFETIME})`,
);
const FIND = sql(
  "connect_visit_find",
  "select account_id, state from connect_visits where id = $1 and transport = $2 and expires_at > now()",
);
const KEEP = sql("connect_visit_keep", "update connect_visits set state = $2 where id = $1");
const CLOSE = sql("connect_visit_close", "delete from connect_visits where id = $1");

/**
 * Starts a sign-in for a channel that does not exist yet. The channel is created with the visit's id once a person
 * has linked it. The ticket is valid until then, for at most an hour.
 */
export async function openVisit(
  core: Base,
  { accountId }: Scope,
  { definition: { id: transport } }: Pick<RegisteredTransport, "definition">,
): Promise<{ readonly id: string; readonly ticket: string }> {
  const id = newId();
  await core.db.query(OPEN, [id, accountId, transport]);
  return { id, ticket: visitTicket(core, id) };
}

/** A sign-in without a channel. */
export interface OpenVisit {
  /** The id of the future channel. */
  readonly id: string;
  readonly ticket: string;
  readonly scope: Scope;
  /** State that the page keeps between requests. */
  readonly state: ChannelLink["state"];
  close(): Promise<void>;
}

/** Null if there is no such visit, or it has ended. Its caller checks that the person may continue it. */
export async function findVisit(core: Base, transport: string, id: string): Promise<OpenVisit | null> {
  const [row] = await core.db.query<{ account_id: number; state: Buffer | null }>(FIND, [id, transport]);
  if (row === undefined) return null;
  const kept: Record<string, string> =
    row.state === null ? {} : JSON.parse(core.seal.open(row.state, visitContext(id)).toString());
  return {
    id,
    ticket: visitTicket(core, id),
    scope: { accountId: row.account_id },
    state: {
      get: async (key) => kept[key] ?? null,
      async set(key, value) {
        if (value === null) delete kept[key];
        else kept[key] = value;
        await core.db.query(KEEP, [id, core.seal.seal(JSON.stringify(kept), visitContext(id))]);
      },
    },
    close: async () => void (await core.db.query(CLOSE, [id])),
  };
}

export const visitContext = (id: string): string => `connect visit ${id}`;

function visitTicket({ seal }: Base, id: string): string {
  return `${id}.${seal.derive("connect visit", id).toString("base64url")}`;
}
