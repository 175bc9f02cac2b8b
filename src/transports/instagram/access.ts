import type { AccessOf, GivenAccessOf, LinkOf } from "../../core/transport/connector.ts";
import { createGraph, type Graph } from "../meta/graph.ts";
import type { InstagramDefinition } from "./definition.ts";

export type InstagramLink = LinkOf<InstagramDefinition>;
export type InstagramAccess = AccessOf<InstagramDefinition>;
export type GivenAccess = GivenAccessOf<InstagramDefinition>;
export type InstagramCredentials = InstagramLink["credentials"];
export type GivenCredentials = GivenAccess["credentials"];
type Settings = Pick<InstagramLink, "settings" | "request">;

/** The Graph API with a channel's token, on the host of its login. Read anew for each call: tokens are renewed. */
export function graphOf(access: InstagramAccess): Graph {
  const { access_token: token, page_id: page } = access.credentials;
  return page === undefined ? instagramGraph(access, token) : pageGraph(access, token);
}

/** graph.instagram.com; `version` "" is for the calls that have none. */
export function instagramGraph({ settings, request }: Settings, token: string | null, version?: ""): Graph {
  const { graphUrl, graphVersion } = settings;
  return createGraph(
    { settings: { graphUrl, graphVersion: version ?? graphVersion }, request },
    token,
    "Instagram",
  );
}

/** graph.facebook.com */
export function pageGraph({ settings, request }: Settings, token: string | null): Graph {
  const { pageGraphUrl: graphUrl, graphVersion } = settings;
  return createGraph({ settings: { graphUrl, graphVersion }, request }, token, "Instagram");
}

/** Whose messages and subscriptions are meant: the page's, or those of the token's account. */
export function nodeOf({ credentials }: Pick<InstagramAccess, "credentials">): string {
  return credentials.page_id ?? "me";
}
