import type { LinkOf, Verified } from "../../core/transport/connector.ts";
import { CredentialsError, TransportError } from "../../core/transport/errors.ts";
import type { ChannelProfile } from "../../core/transport/events.ts";
import { type Access, createClient, type ViberClient } from "./client.ts";
import type { ViberDefinition } from "./definition.ts";
import { isRejected, isUnauthorized, Refusal, toTransportError } from "./errors.ts";
import { readAccount } from "./update.ts";

export type ViberLink = LinkOf<ViberDefinition>;
type Settings = ViberLink["settings"];
type Stored = ViberLink["credentials"];

/** A bot, as returned by `get_account_info`. */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** The bot's name in deep links; undefined if Viber does not report it. */
  readonly uri: string | undefined;
  /** The bot's webhook URL; "" if none is set. */
  readonly webhook: string;
  /** The event types of the webhook; undefined if Viber does not report them. */
  readonly events: readonly string[] | undefined;
}

/** Throws `Refusal` or `TransportError`. */
export async function fetchAccount(client: ViberClient, signal?: AbortSignal): Promise<Account> {
  const answer = await client.call("get_account_info", {}, signal);
  const { id, name, uri, webhook = "", event_types: events } = readAccount(answer) ?? {};
  if (id === undefined)
    throw new TransportError("UNKNOWN_ERROR", "Viber returned an unreadable response", { retry: "later" });
  return { id, name: name ?? uri ?? id, uri, webhook, events };
}

/** A link that opens a chat with the bot; `code` is returned as `context` (developers.viber.com, "Deep links"). */
export function deepLink(uri: string, code?: string): string {
  const context = code === undefined ? "" : `&context=${encodeURIComponent(code)}`;
  return `viber://pa?chatURI=${encodeURIComponent(uri)}${context}`;
}

/** The profile of a channel with its own bot: the bot. */
export function ownProfile({ id, name, uri }: Account): ChannelProfile {
  // The interface shows a bot's name in the field for the phone number.
  const named = uri === undefined ? {} : { username: uri, phone: uri, url: deepLink(uri) };
  return { messengerId: id, name, ...named };
}

/**
 * The profile of a channel that shares the installation's bot: the person who linked it. Its customers come through
 * `url`.
 */
export function sharedProfile(
  { id, uri }: Account,
  { owner, name, invitation }: { readonly owner: string; readonly name: string; readonly invitation: string },
): ChannelProfile {
  return {
    messengerId: `${id}/${owner}`,
    name,
    ...(uri !== undefined && { url: deepLink(uri, invitation) }),
  };
}

interface Given extends Access {
  readonly credentials: { readonly viber_token: string; readonly welcome?: string };
  readonly settings: Settings;
}

export async function verify(access: Given, signal: AbortSignal): Promise<Verified<Stored>> {
  const { credentials, settings } = access;
  if (credentials.viber_token === settings.botToken)
    throw new CredentialsError("This bot is shared by the installation: omit viber_token");
  try {
    const account = await fetchAccount(createClient(access, credentials.viber_token), signal);
    return { profile: ownProfile(account), credentials: { ...credentials, name: account.name } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (isUnauthorized(error)) throw new CredentialsError("Viber rejected this bot token");
    if (isRejected(error)) throw new CredentialsError("Viber has closed this bot");
    throw toTransportError(error, { floodScope: "channel" });
  }
}

/** A deep link to the installation's bot with a code, also shown as a QR code. */
export async function invite(
  access: Access & { readonly settings: Settings },
  code: string,
  signal: AbortSignal,
): Promise<{ readonly url: string }> {
  const { botToken } = access.settings;
  if (botToken === "")
    throw new CredentialsError("viber_token is required: this installation has no Viber bot to share");
  return { url: deepLink(await uriOf(createClient(access, botToken), signal), code) };
}

async function uriOf(client: ViberClient, signal: AbortSignal): Promise<string> {
  try {
    const { uri } = await fetchAccount(client, signal);
    if (uri !== undefined) return uri;
  } catch (error) {
    throw error instanceof Refusal ? toTransportError(error, { floodScope: "channel" }) : error;
  }
  throw new TransportError("GENERAL_ERROR", "Viber does not report the URI of the shared bot", {
    retry: "later",
  });
}
