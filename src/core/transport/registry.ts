import {
  createHttpClient,
  type HttpClientOptions,
  type TransportRequest,
} from "../../platform/http-client.ts";
import { trustingDispatcher } from "../../platform/trust.ts";
import type { Transport } from "./connector.ts";
import type { TransportDefinition } from "./definition.ts";

export interface RegisteredTransport extends Transport {
  readonly settings: Readonly<Record<string, string>>;
}

/** The transports of this installation by id, each with the operator's settings for it. */
export type TransportRegistry = ReadonlyMap<string, RegisteredTransport>;

export function createRegistry(
  transports: readonly Transport[],
  settings: Readonly<Record<string, Readonly<Record<string, string>>>>,
): TransportRegistry {
  return new Map(
    transports.map((each) => [each.definition.id, { ...each, settings: settings[each.definition.id] ?? {} }]),
  );
}

/** The way out of a transport; it trusts the authorities that the operator named for it. */
export function requestOf(
  { definition, settings }: Pick<RegisteredTransport, "definition" | "settings">,
  options: HttpClientOptions,
): TransportRequest {
  const [name] = Object.entries(definition.settings).find(([, { trust }]) => trust === true) ?? [];
  const file = name === undefined ? "" : (settings[name] ?? "");
  return createHttpClient(file === "" ? options : { ...options, dispatcher: trustingDispatcher(file) });
}

/** For rows that name a transport: one without a connector here is a fault of the installation. */
export function definitionOf(registry: TransportRegistry, id: string): TransportDefinition {
  const transport = registry.get(id);
  if (transport === undefined) throw new Error(`This installation has no transport "${id}"`);
  return transport.definition;
}
