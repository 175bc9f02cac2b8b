import type { AccessOf, LinkOf } from "../../core/transport/connector.ts";
import { createGraph, type Graph, type GraphAccess } from "../meta/graph.ts";
import type { WapiDefinition } from "./definition.ts";

export type WapiLink = LinkOf<WapiDefinition>;
export type WapiAccess = AccessOf<WapiDefinition>;
export type WapiCredentials = WapiLink["credentials"];

/** The Graph API with a channel's own token. */
export function graphOf(access: WapiAccess): Graph {
  return graphWith(access, access.credentials.access_token);
}

/** The same with another token, or none. */
export function graphWith(access: GraphAccess, token: string | null): Graph {
  return createGraph(access, token, "WhatsApp");
}
