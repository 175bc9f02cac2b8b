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

/** For rows that name a transport: one without a connector here is a fault of the installation. */
export function definitionOf(registry: TransportRegistry, id: string): TransportDefinition {
  const transport = registry.get(id);
  if (transport === undefined) throw new Error(`This installation has no transport "${id}"`);
  return transport.definition;
}
