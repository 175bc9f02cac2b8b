import { isIP } from "node:net";
import { Agent, buildConnector, type Dispatcher } from "undici";
import { CONNECT_TIMEOUT_MS, CONNECTION_OPTIONS } from "./connection-options.ts";
import { BlockedAddress, guardedLookup, portOf, unbracketed } from "./guarded-lookup.ts";
import { type AllowNetworks, createAddressCheck, portsOf } from "./networks.ts";

/** Whether this is an http or https URL with a host and without credentials. */
export function isHttpUrl(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.hostname === "") return false;
  return parsed.username === "" && parsed.password === "";
}

/**
 * Whether a client's URL may be requested: an http or https URL whose host is not a literal private address. Host
 * names are checked when they are resolved, by the dispatcher.
 */
export function isAllowedUrl(url: string, allowNetworks: AllowNetworks = []): boolean {
  if (!isHttpUrl(url)) return false;
  const { hostname, port, protocol } = new URL(url);
  const host = unbracketed(hostname);
  return isIP(host) === 0 || createAddressCheck(allowNetworks)(host, portOf(port, protocol));
}

/**
 * A dispatcher that reaches only allowed addresses. Literal addresses are checked before connecting; for a name,
 * every resolved address is checked at the time of connecting, so that the name cannot change in between. Does not
 * follow redirects.
 */
export function createGuardedDispatcher(options: {
  allowNetworks: AllowNetworks;
  /** Limit for connecting, default 10,000. */
  connectTimeoutMs?: number;
  /** Name servers; default: the system's. */
  nameServers?: readonly string[];
  /** Certificate authorities in PEM form; default: those of Node. */
  authorities?: readonly string[];
  agent?: Agent.Options;
}): Dispatcher {
  const isAllowed = createAddressCheck(options.allowNetworks);
  const timeout = options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS;
  // The lookup function is not passed the port, so there is one connector per port.
  const connectorFor = (port?: number) =>
    buildConnector({
      timeout,
      lookup: guardedLookup(isAllowed, port, options.nameServers),
      ...(options.authorities === undefined ? {} : { ca: [...options.authorities] }),
    });
  const byPort = new Map(portsOf(options.allowNetworks).map((port) => [port, connectorFor(port)]));
  const defaultConnector = connectorFor();
  return new Agent({
    ...CONNECTION_OPTIONS,
    ...options.agent,
    connect(target, callback) {
      const host = unbracketed(target.hostname);
      const port = portOf(target.port, target.protocol);
      if (isIP(host) !== 0 && !isAllowed(host, port)) callback(new BlockedAddress(host), null);
      else (byPort.get(port) ?? defaultConnector)(target, callback);
    },
  });
}
