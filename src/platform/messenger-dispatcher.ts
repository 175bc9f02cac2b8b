import type { Dispatcher } from "undici";
import { defaultDispatcher } from "./http-client.ts";
import type { AllowNetworks } from "./networks.ts";
import { createGuardedDispatcher } from "./safe-fetch.ts";
import { authoritiesIn, trustingDispatcher } from "./trust.ts";

export interface MessengerHosts {
  /** Hosts with their ports, as in a URL, that the operator named; they may be anywhere. */
  readonly hosts: readonly string[];
  /** Private networks that others than these may be in. */
  readonly allowNetworks: AllowNetworks;
  /** A file of certificate authorities to trust besides those of Node; empty: none. */
  readonly authorities: string;
}

const dispatchers = new Map<string, Dispatcher>();

/**
 * The way to a messenger and to what its messages name: files, pictures, pages. Those addresses come from callbacks, and
 * who knows the secret of a channel can sign callbacks with any address. So all hosts but the operator's are reached only
 * where they are public. One pool for the same hosts.
 */
export function messengerDispatcher(to: MessengerHosts): Dispatcher {
  const key = JSON.stringify([to.hosts, to.allowNetworks, to.authorities]);
  const known = dispatchers.get(key);
  if (known !== undefined) return known;
  const { allowNetworks, authorities } = to;
  const hosts = new Set(to.hosts);
  const own = authorities === "" ? defaultDispatcher() : trustingDispatcher(authorities);
  const others = createGuardedDispatcher({
    allowNetworks,
    ...(authorities === "" ? {} : { authorities: authoritiesIn(authorities) }),
  });
  const dispatcher = own.compose((dispatch) => (request, handler) => {
    const { host } = new URL(String(request.origin));
    return hosts.has(host) ? dispatch(request, handler) : others.dispatch(request, handler);
  });
  dispatchers.set(key, dispatcher);
  return dispatcher;
}
