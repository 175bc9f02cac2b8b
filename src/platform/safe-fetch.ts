import type { LookupAddress, LookupOptions } from "node:dns";
import { isIP } from "node:net";
import { Agent, buildConnector, type Dispatcher } from "undici";
import { CONNECT_TIMEOUT_MS, CONNECTION_OPTIONS } from "./connection-options.ts";
import { lookUpForeign } from "./foreign-names.ts";
import { type AddressCheck, type AllowNetworks, createAddressCheck, portsOf } from "./networks.ts";

/**
 * The address is not on the public internet. Nothing was sent. Clients read the message, so it does not say what a name
 * resolves to, and is the same for a name that does not exist: else it would tell them what is inside.
 */
export class BlockedAddress extends Error {
  override readonly name = "BlockedAddress";
  constructor(host: string) {
    const subject = isIP(host) === 0 ? `${host} is not the name of` : `${host} is not`;
    super(`${subject} a public address. An operator can allow its network with ALLOW_NETWORKS.`);
  }
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
  const { hostname, port, protocol } = new URL(url);
  const host = unbracketed(hostname);
  return isIP(host) === 0 || createAddressCheck(allowNetworks)(host, portOf(port, protocol));
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
  /** Authorities in PEM form, default those that Node trusts. */
  authorities?: readonly string[];
  agent?: Agent.Options;
}): Dispatcher {
  const isAllowed = createAddressCheck(options.allowNetworks);
  const timeout = options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS;
  // A look-up is not told for which port it is.
  const connectorFor = (port?: number) =>
    buildConnector({
      timeout,
      lookup: guardedLookup(isAllowed, port, options.nameServers),
      ...(options.authorities === undefined ? {} : { ca: [...options.authorities] }),
    });
  const byPort = new Map(portsOf(options.allowNetworks).map((port) => [port, connectorFor(port)]));
  const connectorOfOthers = connectorFor();
  return new Agent({
    ...CONNECTION_OPTIONS,
    ...options.agent,
    connect(target, callback) {
      const host = unbracketed(target.hostname);
      const port = portOf(target.port, target.protocol);
      if (isIP(host) !== 0 && !isAllowed(host, port)) callback(new BlockedAddress(host), null);
      else (byPort.get(port) ?? connectorOfOthers)(target, callback);
    },
  });
}

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

function guardedLookup(isAllowed: AddressCheck, port?: number, nameServers?: readonly string[]) {
  return (host: string, options: LookupOptions, callback: LookupCallback): void => {
    lookUpForeign(host, nameServers).then(
      (found) => {
        if (!found.every(({ address }) => isAllowed(address, port)))
          return callback(new BlockedAddress(host), []);
        const [first] = found;
        if (options.all === true) callback(null, found);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error: NodeJS.ErrnoException) =>
        callback(error.code === "ENOTFOUND" ? new BlockedAddress(host) : error, []),
    );
  };
}

function portOf(port: string, protocol: string): number {
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}

function unbracketed(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}
