import type { AccessOf, LinkOf } from "../../core/transport/connector.ts";
import type { WapiDefinition } from "./definition.ts";
import { createGraph, type Graph } from "./graph.ts";

export type WapiLink = LinkOf<WapiDefinition>;
export type WapiAccess = AccessOf<WapiDefinition>;
export type WapiCredentials = WapiLink["credentials"];

/** The Graph API with a channel's own token. */
export function graphOf(access: WapiAccess): Graph {
  return createGraph(access, access.credentials.access_token);
}
