import type { Dispatcher } from "undici";
import { defaultDispatcher } from "./http-client.ts";
import type { AllowNetworks } from "./networks.ts";
import { createGuardedDispatcher } from "./safe-fetch.ts";
import { authoritiesIn, trustingDispatcher } from "./trust.ts";

export interface MessengerHosts {
  /** The hosts, with ports as in a URL, that the operator configured; they may have any address. */
  readonly hosts: readonly string[];
  /** The private networks that other hosts may be in. */
  readonly allowNetworks: AllowNetworks;
  /** A file of certificate authorities trusted in addition to Node's; "" for none. */
  readonly authorities: string;
}

const assigners = new Map<string, () => Dispatcher>();

/**
 * The dispatcher for a messenger and for the URLs in its messages: files, pictures, pages. Those URLs come from
 * webhooks, and whoever knows a channel's secret can sign webhooks with any URL; so all hosts except the operator's
 * are reached only at public addresses. Clients with equal options share pools.
 */
export function messengerDispatcher(to: MessengerHosts): Dispatcher {
  const key = JSON.stringify([to.hosts, to.allowNetworks, to.authorities]);
  const assign = assigners.get(key) ?? createAssigner(to);
  assigners.set(key, assign);
  return assign();
}

function createAssigner(to: MessengerHosts): () => Dispatcher {
  const { allowNetworks, authorities } = to;
  const hosts = new Set(to.hosts);
  const assignOwn = authorities === "" ? defaultDispatcher : trustingDispatcher(authorities);
  const others = createGuardedDispatcher({
    allowNetworks,
    ...(authorities === "" ? {} : { authorities: authoritiesIn(authorities) }),
  });
  return () =>
    assignOwn().compose((dispatch) => (request, handler) => {
      const { host } = new URL(String(request.origin));
      return hosts.has(host) ? dispatch(request, handler) : others.dispatch(request, handler);
    });
}
