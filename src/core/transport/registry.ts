import {
  createHttpClient,
  type HttpClientOptions,
  type TransportRequest,
} from "../../platform/network/http-client.ts";
import { messengerDispatcher } from "../../platform/network/messenger-dispatcher.ts";
import type { ProxyRoute } from "../../platform/network/proxy/proxy.ts";
import { proxyDispatcher } from "../../platform/network/proxy/proxy-dispatcher.ts";
import type { Transport } from "./connector.ts";
import type { TransportDefinition } from "./definition.ts";

export interface RegisteredTransport extends Transport {
  readonly settings: Readonly<Record<string, string>>;
}

/** The transports of this installation by id, each with the operator's settings. */
export type TransportRegistry = ReadonlyMap<string, RegisteredTransport>;

export function createRegistry(
  transports: readonly Transport[],
  settings: Readonly<Record<string, Readonly<Record<string, string>>>>,
): TransportRegistry {
  return new Map(
    transports.map((each) => [each.definition.id, { ...each, settings: settings[each.definition.id] ?? {} }]),
  );
}

export interface Egress extends Omit<HttpClientOptions, "dispatcher"> {
  /** Private networks that may be reached in addition to the messenger's own hosts. */
  readonly allowNetworks: readonly string[];
  /** The proxy that all requests go through; null: they are direct. */
  readonly proxy: ProxyRoute | null;
}

/**
 * The HTTP client of a transport. It trusts the authorities that the operator set for it, and reaches the hosts of
 * its settings at any address; all other hosts only at public addresses, since messages may name any host. Behind a
 * proxy, names are resolved there, so only literal addresses and names of local networks are refused.
 */
export function requestOf(
  transport: {
    readonly definition: Pick<TransportDefinition, "settings">;
    readonly settings: Readonly<Record<string, string>>;
  },
  { allowNetworks, proxy, ...options }: Egress,
): TransportRequest {
  const { definition, settings } = transport;
  const named = (fits: (setting: { readonly address?: true; readonly trust?: true }) => boolean): string[] =>
    Object.entries(definition.settings).flatMap(([name, setting]) =>
      fits(setting) ? (settings[name] ?? setting.default) : [],
    );
  const hosts = named(({ address }) => address === true).flatMap((url) => URL.parse(url)?.host ?? []);
  const [authorities = ""] = named(({ trust }) => trust === true);
  const targets = { hosts, allowNetworks, authorities };
  return createHttpClient({
    ...options,
    dispatcher: proxy === null ? messengerDispatcher(targets) : proxyDispatcher(proxy, targets),
  });
}

/** For rows that name a transport: one without a connector here is an error of the installation. */
export function definitionOf(registry: TransportRegistry, id: string): TransportDefinition {
  const transport = registry.get(id);
  if (transport === undefined) throw new Error(`This installation has no transport "${id}"`);
  return transport.definition;
}
