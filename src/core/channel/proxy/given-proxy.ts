import { isIP } from "node:net";
import { sql } from "../../../database/database.ts";
import { createAddressCheck } from "../../../platform/network/networks.ts";
import { parseProxy, shownProxy } from "../../../platform/network/proxy/proxy.ts";
import type { Base } from "../../base.ts";
import { AppError } from "../../errors.ts";
import type { Scope } from "../../scope.ts";
import { canUseProxy, type TransportDefinition } from "../../transport/definition.ts";
import { type ProxyColumns, proxyContext } from "./route.ts";

/** What a client wants: a proxy's URL; "": none of its own; undefined: as it is. */
export type GivenProxy = string | undefined;

/** The columns of a channel's own proxy. */
export interface StoredProxy {
  readonly proxy: Buffer | null;
  readonly address: string | null;
}

/**
 * Validates and seals a client's proxy; undefined if none is given. Throws VALIDATION_ERROR. A name is checked when it is
 * resolved; a literal address must be public or allowed.
 */
export function storedProxy(
  core: Pick<Base, "seal" | "settings">,
  { id, definition }: { readonly id: string; readonly definition: TransportDefinition },
  given: GivenProxy,
): StoredProxy | undefined {
  if (given === undefined) return undefined;
  if (given.trim() === "") return { proxy: null, address: null };
  const url = given.trim();
  const proxy = parseProxy(url);
  if (proxy === null || !canUseProxy(definition, proxy))
    throw refusal(`must look like ${examplesFor(definition)}`);
  if (isIP(proxy.host) !== 0 && !createAddressCheck(core.settings.allowNetworks)(proxy.host, proxy.port))
    throw refusal("is not at a public address. An operator can allow its network with ALLOW_NETWORKS");
  return { proxy: core.seal.seal(url, proxyContext(id)), address: shownProxy(url) };
}

function examplesFor({ mtproxy }: TransportDefinition): string {
  const common = "socks5://user:password@host:1080, http://user:password@host:8080 or https://host";
  return mtproxy === true ? `${common}, or mtproxy://secret@host:443` : common;
}

function refusal(message: string): AppError {
  return new AppError("VALIDATION_ERROR", { data: { fields: [{ field: "proxy", message }] } });
}

const COLUMNS = sql(
  "channel_proxy_columns",
  "select proxy, exit_key from channels where account_id = $1 and id = $2 and deleted_at is null",
);

/** Throws CHANNEL_NOT_FOUND. */
export async function proxyColumnsOf(core: Base, scope: Scope, channelId: string): Promise<ProxyColumns> {
  const [row] = await core.db.query<ProxyColumns>(COLUMNS, [scope.accountId, channelId]);
  if (row === undefined) throw new AppError("CHANNEL_NOT_FOUND");
  return row;
}

const KEEP_EXIT = sql(
  "channel_keep_exit",
  "update channels set exit_key = $4 where account_id = $1 and id = $2 and epoch = $3 and exit_key is distinct from $4",
);

/** Records the exit that a channel uses, so that it keeps it when the pool grows. */
export async function keepExit(
  core: Base,
  {
    accountId,
    channelId,
    epoch,
  }: { readonly accountId: number; readonly channelId: string; readonly epoch: number },
  key: string | null,
): Promise<void> {
  await core.db.query(KEEP_EXIT, [accountId, channelId, epoch, key]);
}
