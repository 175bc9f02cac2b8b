import { Agent, buildConnector, type Dispatcher } from "undici";
import { CONNECT_TIMEOUT_MS, CONNECTION_OPTIONS } from "../connection-options.ts";
import { BlockedAddress, portOf, unbracketed } from "../guarded-lookup.ts";
import type { AllowNetworks } from "../networks.ts";
import { authoritiesIn } from "../trust.ts";
import { createTargetCheck, type ProxyRoute } from "./proxy.ts";
import { openTunnel } from "./tunnel.ts";

export interface ProxyTargets {
  /** The hosts, with ports as in a URL, that the operator configured; they may have any address. */
  readonly hosts: readonly string[];
  /** The private networks that other hosts may be in; null: no host is refused. */
  readonly allowNetworks: AllowNetworks | null;
  /** A file of certificate authorities trusted in addition to Node's; "" for none. */
  readonly authorities: string;
}

const MAX_AGENTS = 4_096;
const agents = new Map<string, Agent>();

/** Every connection goes through the proxy. Channels with the same proxy and targets share idle connections. */
export function proxyDispatcher(route: ProxyRoute, targets: ProxyTargets): Dispatcher {
  const key = JSON.stringify([route, targets]);
  const agent = agents.get(key) ?? createAgent(route, targets);
  // The agent used longest ago is dropped; clients that have it keep it.
  agents.delete(key);
  agents.set(key, agent);
  if (agents.size > MAX_AGENTS) agents.delete([...agents.keys()][0] ?? "");
  return agent;
}

function createAgent(route: ProxyRoute, { hosts, allowNetworks, authorities }: ProxyTargets): Agent {
  const isOwn = new Set(hosts);
  const isAllowed = allowNetworks === null ? () => true : createTargetCheck(allowNetworks);
  const secure = buildConnector({
    timeout: CONNECT_TIMEOUT_MS,
    allowH2: false,
    ...(authorities === "" ? {} : { ca: [...authoritiesIn(authorities)] }),
  });
  return new Agent({
    ...CONNECTION_OPTIONS,
    connect(target, callback) {
      const host = unbracketed(target.hostname);
      const port = portOf(target.port, target.protocol);
      if (!isOwn.has(target.host ?? "") && !isAllowed(host, port))
        return callback(new BlockedAddress(host), null);
      openTunnel(route, { host, port }).then(
        (socket) => {
          if (target.protocol === "https:") secure({ ...target, httpSocket: socket }, callback);
          else callback(null, socket);
        },
        (error: Error) => callback(error, null),
      );
    },
  });
}
