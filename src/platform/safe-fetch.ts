import type { LookupAddress, LookupOptions } from "node:dns";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { Agent, buildConnector, type Dispatcher } from "undici";
import { CONNECT_TIMEOUT_MS, CONNECTION_OPTIONS } from "./connection-options.ts";
import { lookUpForeign } from "./foreign-names.ts";

/** The address is not on the public internet. Nothing was sent. */
export class BlockedAddress extends Error {
  override readonly name = "BlockedAddress";
  constructor(host: string, address: string) {
    super(
      `${host === address ? address : `${host} (${address})`} is not a public address. An operator can allow its network with ALLOW_NETWORKS.`,
    );
  }
}

/** CIDRs that may be reached although they are not public, e.g. "10.0.0.0/8". */
export type AllowNetworks = readonly string[];

/** Says whether connections to an address are allowed; throws at once when a network is not a CIDR. */
export function createAddressCheck(allowNetworks: AllowNetworks): (address: string) => boolean {
  const allowed = allowNetworks.map((network) => ipaddr.parseCIDR(network));
  return (address) => {
    if (!ipaddr.isValid(address)) return false;
    // An IPv4-mapped address counts as the IPv4 address it stands for.
    const processed = ipaddr.process(address);
    return isPublic(processed) || allowed.some((network) => isInside(processed, network));
  };
}

// 2000::/3 is all that was ever handed out for the public internet; the rest is reserved or wraps IPv4 addresses.
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_IPV6);
}

function isInside(
  address: ipaddr.IPv4 | ipaddr.IPv6,
  [network, bits]: [ipaddr.IPv4 | ipaddr.IPv6, number],
): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

/** Whether this is an http or https address with a host and without user and password. */
export function isHttpUrl(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.hostname === "") return false;
  return parsed.username === "" && parsed.password === "";
}

/**
 * Whether an address given by a client is worth trying: as above, and no literal private address. Names are
 * checked when they are resolved, by the dispatcher.
 */
export function isAllowedUrl(url: string, allowNetworks: AllowNetworks = []): boolean {
  if (!isHttpUrl(url)) return false;
  const host = unbracketed(new URL(url).hostname);
  return isIP(host) === 0 || createAddressCheck(allowNetworks)(host);
}

/**
 * Reaches public addresses only: literal ones are checked before connecting, names by every address they
 * resolve to, at the moment of connecting, so that a name cannot change in between. Follows no redirects.
 */
export function createGuardedDispatcher(options: {
  allowNetworks: AllowNetworks;
  /** Time to connect, default 10,000. */
  connectTimeoutMs?: number;
  /** Name servers, default the system's. */
  nameServers?: readonly string[];
  agent?: Agent.Options;
}): Dispatcher {
  const isAllowed = createAddressCheck(options.allowNetworks);
  const timeout = options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS;
  const connect = buildConnector({ timeout, lookup: guardedLookup(isAllowed, options.nameServers) });
  return new Agent({
    ...CONNECTION_OPTIONS,
    ...options.agent,
    connect(target, callback) {
      const host = unbracketed(target.hostname);
      if (isIP(host) !== 0 && !isAllowed(host)) callback(new BlockedAddress(host, host), null);
      else connect(target, callback);
    },
  });
}

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

function guardedLookup(isAllowed: (address: string) => boolean, nameServers?: readonly string[]) {
  return (host: string, options: LookupOptions, callback: LookupCallback): void => {
    lookUpForeign(host, nameServers).then(
      (found) => {
        const blocked = found.find(({ address }) => !isAllowed(address));
        if (blocked !== undefined) return callback(new BlockedAddress(host, blocked.address), []);
        const [first] = found;
        if (options.all === true) callback(null, found);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

function unbracketed(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}
