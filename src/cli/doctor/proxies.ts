import type { Config } from "../../config.ts";
import type { TransportDefinition } from "../../core/transport/definition.ts";
import { messageOf } from "../../platform/message-of.ts";
import { exitKey, proxyOf, shownProxy } from "../../platform/network/proxy/proxy.ts";
import { openToProxy, openTunnel } from "../../platform/network/proxy/tunnel.ts";
import { type Finding, ok, warn } from "./check.ts";

const TIMEOUT_MS = 5_000;

/** Checks that each proxy of the settings leads to a messenger that uses it. */
export async function checkProxies(
  config: Config,
  definitions: readonly TransportDefinition[],
): Promise<Finding[]> {
  const used = definitions.flatMap((definition) =>
    (config.exits[definition.id] ?? []).map((url) => ({ url, target: targetOf(config, definition) })),
  );
  const each = [...new Map(used.map((one) => [exitKey(one.url), one])).values()];
  return Promise.all(each.map(checkProxy));
}

interface Target {
  readonly host: string;
  readonly port: number;
}

async function checkProxy({ url, target }: { url: string; target: Target | null }): Promise<Finding> {
  const route = { url, allowNetworks: null };
  const shown = shownProxy(url);
  try {
    const isSpokenTo = target === null || proxyOf(url).scheme === "mtproxy";
    const options = { timeoutMs: TIMEOUT_MS };
    const socket = isSpokenTo ? await openToProxy(route, options) : await openTunnel(route, target, options);
    socket.destroy();
    return ok("proxy", isSpokenTo ? `${shown} accepts connections` : `${shown} leads to ${target.host}`);
  } catch (error) {
    const remedy = "Check PROXY and PROXY_…, user name and password; channels with this proxy cannot work";
    return warn("proxy", messageOf(error), remedy);
  }
}

/** The first address of the transport's settings: `https://host`, `wss://host` or `host:port`. */
function targetOf(config: Config, { id, settings }: TransportDefinition): Target | null {
  const name = Object.entries(settings).find(([, { address }]) => address === true)?.[0];
  const address = name === undefined ? undefined : config.transportSettings[id]?.[name];
  if (!address) return null;
  const url = URL.parse(address.includes("://") ? address : `tcp://${address}`);
  if (url === null) return null;
  const fallback = /^(http|ws):$/.test(url.protocol) ? 80 : 443;
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port: url.port === "" ? fallback : Number(url.port) };
}
