import { sql } from "../../database/database.ts";
import { exitHealth } from "../../platform/network/proxy/exit-health.ts";
import { exitKey, shownProxy } from "../../platform/network/proxy/proxy.ts";
import type { Base } from "../base.ts";

/** One of the operator's proxies. */
export interface ExitView {
  /** Identifies it: users of one provider differ only in their user names, which are not shown. */
  readonly exit: string;
  /** Scheme, host and port. */
  readonly address: string;
  readonly transports: readonly string[];
  /** Channels that use it, and those of them that wait because it does not work; over all nodes. */
  readonly channels: number;
  readonly waiting: number;
  /** Why it does not work for this node; null: it does, or was not needed yet. */
  readonly failure: string | null;
  readonly failingSince: Date | null;
}

const COUNTS = sql(
  "console_exits",
  `select exit_key, count(*)::int as channels, count(*) filter (where reason = 'proxy')::int as waiting
   from channels where deleted_at is null and exit_key is not null group by exit_key`,
);

/** The proxies of the settings, in their order. */
export async function listExits({ db, settings }: Pick<Base, "db" | "settings">): Promise<ExitView[]> {
  const users = transportsByExit(settings.exits);
  if (users.size === 0) return [];
  const rows = await db.query<{ exit_key: string; channels: number; waiting: number }>(COUNTS, []);
  const counts = new Map(rows.map((row) => [row.exit_key, row]));
  return [...users].map(([url, transports]) => {
    const exit = exitKey(url);
    const { channels = 0, waiting = 0 } = counts.get(exit) ?? {};
    const { failure, failingSince } = exitHealth({ url, allowNetworks: null });
    const since = failingSince === null ? null : new Date(failingSince);
    return { exit, address: shownProxy(url), transports, channels, waiting, failure, failingSince: since };
  });
}

/** The transports that use each of the operator's proxies. */
function transportsByExit(exits: Base["settings"]["exits"]): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const [transport, urls] of Object.entries(exits))
    for (const url of urls) users.set(url, [...(users.get(url) ?? []), transport]);
  return users;
}
