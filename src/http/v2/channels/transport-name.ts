import { Type } from "typebox";
import type { Base } from "../../../core/base.ts";
import { transportNotAvailable } from "../../../core/errors.ts";
import { CONNECTABLE_TRANSPORTS, PAGE_TRANSPORTS } from "../../../core/transport/definition.ts";
import type { TransportRegistry } from "../../../core/transport/registry.ts";
import { faultyFields } from "../../schema/fields.ts";

/** The transports that a request may name: the interface's, and all others of the installation but those of the page. */
export function transportName(registry: TransportRegistry) {
  const own = [...registry.values()].filter(({ definition }) => definition.connect !== "page");
  return enumOf(CONNECTABLE_TRANSPORTS, own);
}

/**
 * A `preValidation` hook: a transport that no installation knows gets the error of one that is not installed. `nameIn`
 * reads it from the body.
 */
export function refuseUnknownTransport(
  { transports }: Pick<Base, "transports">,
  nameIn: (body: Body) => unknown,
) {
  const known = new Set<string>([...CONNECTABLE_TRANSPORTS, ...PAGE_TRANSPORTS, ...transports.keys()]);
  return async ({ body }: { readonly body: unknown }): Promise<void> => {
    const name = readName(body, nameIn);
    if (name !== undefined && !known.has(name)) throw transportNotAvailable(transports);
  };
}

/** A `preValidation` hook: says where a transport that is linked on our page only is connected. */
export function refusePageTransport({ transports }: Pick<Base, "transports">) {
  const ours = [...transports.values()].filter(({ definition }) => definition.connect === "page");
  const onPage = new Set<string>([...PAGE_TRANSPORTS, ...ours.map(({ definition }) => definition.id)]);
  for (const name of CONNECTABLE_TRANSPORTS) onPage.delete(name);
  return async ({ body }: { readonly body: unknown }): Promise<void> => {
    const name = readName(body, ({ transport }) => transport);
    if (name === undefined || !onPage.has(name)) return;
    const message = "is connected on a page, to which POST /v2/iframe-links/channels returns a link";
    throw faultyFields([{ field: "transport", message }]);
  };
}

interface Body {
  readonly transport?: unknown;
  readonly options?: { readonly transport?: unknown } | null;
}

/** Undefined if the body, which no schema has checked yet, has no name there. */
function readName(body: unknown, nameIn: (body: Body) => unknown): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const name = nameIn(body);
  return typeof name === "string" ? name : undefined;
}

/** The transports that our page may be opened for. */
export function pageTransportName(registry: TransportRegistry) {
  return enumOf(PAGE_TRANSPORTS, [...registry.values()]);
}

function enumOf(names: readonly string[], own: readonly { readonly definition: { readonly id: string } }[]) {
  return Type.Enum([...new Set([...names, ...own.map(({ definition }) => definition.id)])]);
}
