import { Type } from "typebox";
import { CONNECTABLE_TRANSPORTS, PAGE_TRANSPORTS } from "../../../core/transport/definition.ts";
import type { TransportRegistry } from "../../../core/transport/registry.ts";

/** The transports that a request may name: the interface's, and all others of the installation but those of the page. */
export function transportName(registry: TransportRegistry) {
  const own = [...registry.values()].filter(({ definition }) => definition.connect !== "page");
  return enumOf(CONNECTABLE_TRANSPORTS, own);
}

/** The transports that our page may be opened for. */
export function pageTransportName(registry: TransportRegistry) {
  return enumOf(PAGE_TRANSPORTS, [...registry.values()]);
}

function enumOf(names: readonly string[], own: readonly { readonly definition: { readonly id: string } }[]) {
  return Type.Enum([...new Set([...names, ...own.map(({ definition }) => definition.id)])]);
}
