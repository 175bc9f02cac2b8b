import type { Verified } from "../../../core/transport/connector.ts";
import { CredentialsError, TransportError } from "../../../core/transport/errors.ts";
import type { ChannelProfile } from "../../../core/transport/events.ts";
import { type Json, objectIn, textIn } from "../../kit/json.ts";
import { GraphRefusal, isUnauthorized } from "../../meta/error.ts";
import { extendToken } from "../../meta/token.ts";
import {
  type GivenAccess,
  graphOf,
  type InstagramAccess,
  type InstagramCredentials,
  instagramGraph,
  pageGraph,
} from "../access.ts";
import { toTransportError } from "../errors.ts";
import { expiryOf, extend } from "./tokens.ts";

type Found = Required<Verified<InstagramCredentials>>;

/**
 * Exchanges the given token for a long-lived one and fetches the profile of its account. Throws `CredentialsError` if
 * Meta rejects the token, `TransportError` if the outcome is unknown.
 */
export async function verify(access: GivenAccess, signal: AbortSignal): Promise<Found> {
  try {
    const found = await (access.credentials.page_id === undefined
      ? byInstagram(access, signal)
      : byPage(access, access.credentials.page_id, signal));
    checkNames(access, found);
    return found;
  } catch (error) {
    if (!(error instanceof GraphRefusal)) throw error;
    if (isUnauthorized(error.error) || error.error.code === 100 || error.error.code === 101)
      throw new CredentialsError("Meta rejected this token for this account");
    throw toTransportError(error);
  }
}

function checkNames({ credentials }: GivenAccess, { profile }: Found): void {
  const { inst_id: accountId, username } = credentials;
  if (accountId !== undefined && accountId !== profile.messengerId)
    throw new CredentialsError("The token belongs to another Instagram account");
  if (username !== undefined && username.replace(/^@/, "").toLowerCase() !== profile.username)
    throw new CredentialsError("The token belongs to an account with another username");
}

async function byInstagram(access: GivenAccess, signal: AbortSignal): Promise<Found> {
  const given = access.credentials.user_token;
  const { token, ...expiry } = await longLived(access, given, signal);
  const me = await instagramGraph(access, token).call("GET", "me", { query: { fields: ME }, signal });
  const profile = profileOf(me, textIn(me, "user_id"));
  const { messengerId: account_id, username } = profile;
  return { profile, credentials: { access_token: token, account_id, username, ...expiry } };
}

const ME = "user_id,username,name";

/** A token that is already long-lived is kept as is; its expiry is unknown until its first renewal. */
async function longLived(
  access: GivenAccess,
  given: string,
  signal: AbortSignal,
): Promise<{ token: string; expires_at?: string }> {
  try {
    const made = await extend(access, given, signal);
    return { token: made.token, ...expiryOf(made) };
  } catch (error) {
    if (error instanceof GraphRefusal && !isUnauthorized(error.error)) return { token: given };
    throw error;
  }
}

/** A page token obtained with a long-lived user token does not expire. */
async function byPage(access: GivenAccess, pageId: string, signal: AbortSignal): Promise<Found> {
  const app = access.settings;
  const { user_token: given } = access.credentials;
  const user = app.appId === "" ? null : await extendToken(pageGraph(access, null), app, given, signal);
  const query = { fields: `access_token,${PAGE_ACCOUNT}` };
  const page = await pageGraph(access, user?.token ?? given).call("GET", pageId, { query, signal });
  const account = objectIn(page, "instagram_business_account");
  if (account === undefined)
    throw new CredentialsError("The page has no professional Instagram account linked to it");
  const profile = profileOf(account, textIn(account, "id"));
  const token = textIn(page, "access_token");
  if (token === undefined) throw new CredentialsError("Meta returned no token for this page");
  const { messengerId: account_id, username } = profile;
  return { profile, credentials: { access_token: token, account_id, username, page_id: pageId } };
}

const PAGE_ACCOUNT = "instagram_business_account{id,username,name}";

/** Fetches the current profile of the channel's account. Throws `GraphRefusal` or `TransportError`. */
export async function fetchProfile(access: InstagramAccess, signal: AbortSignal): Promise<ChannelProfile> {
  const { account_id, page_id } = access.credentials;
  const [path, fields] = page_id === undefined ? ["me", ME] : [page_id, PAGE_ACCOUNT];
  const answer = await graphOf(access).call("GET", path, { query: { fields }, signal });
  return profileOf(objectIn(answer, "instagram_business_account") ?? answer, account_id);
}

function profileOf(account: Json, messengerId: string | undefined): ChannelProfile & { username: string } {
  const username = textIn(account, "username")?.toLowerCase();
  if (messengerId === undefined || username === undefined)
    throw new TransportError("UNKNOWN_ERROR", "Instagram returned an unreadable response", {
      retry: "later",
    });
  const name = textIn(account, "name") ?? username;
  return { messengerId, name, username, url: `https://www.instagram.com/${encodeURIComponent(username)}/` };
}
