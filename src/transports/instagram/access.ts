import type { AccessOf, GivenAccessOf, LinkOf } from "../../core/transport/connector.ts";
import { createGraph, type Graph } from "../meta/graph.ts";
import type { InstagramDefinition } from "./definition.ts";

export type InstagramLink = LinkOf<InstagramDefinition>;
export type InstagramAccess = AccessOf<InstagramDefinition>;
export type GivenAccess = GivenAccessOf<InstagramDefinition>;
export type InstagramCredentials = InstagramLink["credentials"];
export type GivenCredentials = GivenAccess["credentials"];
type Settings = Pick<InstagramLink, "settings" | "request">;

/**
 * A Graph API client with the channel's token, on the host of its login. Create one per call, because tokens are
 * renewed.
 */
export function graphOf(access: InstagramAccess): Graph {
  const { access_token: token, page_id: page } = access.credentials;
  return page === undefined ? instagramGraph(access, token) : pageGraph(access, token);
}

/** A client for graph.instagram.com. `version` is "" for calls without a version in the path. */
export function instagramGraph({ settings, request }: Settings, token: string | null, version?: ""): Graph {
  const { graphUrl, graphVersion } = settings;
  return createGraph(
    { settings: { graphUrl, graphVersion: version ?? graphVersion }, request },
    token,
    "Instagram",
  );
}

/** A client for graph.facebook.com. */
export function pageGraph({ settings, request }: Settings, token: string | null): Graph {
  const { pageGraphUrl: graphUrl, graphVersion } = settings;
  return createGraph({ settings: { graphUrl, graphVersion }, request }, token, "Instagram");
}

/** The node that owns the messages and subscriptions: the page, or `me` for the token's account. */
export function nodeOf({ credentials }: Pick<InstagramAccess, "credentials">): string {
  return credentials.page_id ?? "me";
}
