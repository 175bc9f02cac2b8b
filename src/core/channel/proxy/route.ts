import { exitKey, type ProxyRoute, pickExit } from "../../../platform/network/proxy/proxy.ts";
import type { Base } from "../../base.ts";

/** The columns of a channel that decide its proxy. */
export interface ProxyColumns {
  /** Named by its owner; sealed. */
  readonly proxy?: Buffer | null;
  /** Its exit in the operator's pool, by `exitKey`. */
  readonly exit_key?: string | null;
}

/** Binds a sealed proxy to its channel. */
export function proxyContext(channelId: string): string {
  return `proxy ${channelId}`;
}

/**
 * The proxy of a channel: its own, else its exit in the operator's pool, else none. Its own may be at a private address
 * only where the operator allows it.
 */
export function routeOf(
  { seal, settings }: Pick<Base, "seal" | "settings">,
  channel: { readonly id: string; readonly transport: string } & ProxyColumns,
): ProxyRoute | null {
  if (channel.proxy != null) {
    const url = seal.open(channel.proxy, proxyContext(channel.id)).toString();
    return { url, allowNetworks: settings.allowNetworks };
  }
  return exitOf(settings, channel);
}

/** The same for a channel without a proxy of its own. */
export function exitOf(
  { exits }: Base["settings"],
  {
    id,
    transport,
    exit_key: stored = null,
  }: { readonly id: string; readonly transport: string } & ProxyColumns,
): ProxyRoute | null {
  const pool = exits[transport] ?? [];
  return pool.length === 0 ? null : { url: pickExit(pool, id, stored), allowNetworks: null };
}

/** What `exit_key` should be: null for a channel with a proxy of its own, or without any. */
export function exitKeyOf(
  core: Pick<Base, "settings">,
  channel: Parameters<typeof exitOf>[1],
): string | null {
  const exit = channel.proxy == null ? exitOf(core.settings, channel) : null;
  return exit === null ? null : exitKey(exit.url);
}
