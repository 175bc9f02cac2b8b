import type { AccessOf, LinkOf } from "../../../core/transport/connector.ts";
import { createGraph, type Graph, type GraphAccess } from "../../meta/graph.ts";
import type { WapiDefinition } from "../definition.ts";

export type WapiLink = LinkOf<WapiDefinition>;
export type WapiAccess = AccessOf<WapiDefinition>;
export type WapiCredentials = WapiLink["credentials"];

/** A Graph API client with the channel's token. */
export function graphOf(access: WapiAccess): Graph {
  return graphWith(access, access.credentials.access_token);
}

/** A Graph API client with another token, or none. */
export function graphWith(access: GraphAccess, token: string | null): Graph {
  return createGraph(access, token, "WhatsApp");
}
