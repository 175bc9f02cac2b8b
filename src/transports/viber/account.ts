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

/** A bot, as `get_account_info` shows it. */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** What deep links name the bot by; undefined where Viber does not tell. */
  readonly uri: string | undefined;
  /** Where Viber calls; "" for nowhere. */
  readonly webhook: string;
  /** What it is called for; undefined where Viber does not tell. */
  readonly events: readonly string[] | undefined;
}

/** Throws `Refusal` or `TransportError`. */
export async function fetchAccount(client: ViberClient, signal?: AbortSignal): Promise<Account> {
  const answer = await client.call("get_account_info", {}, signal);
  const { id, name, uri, webhook = "", event_types: events } = readAccount(answer) ?? {};
  if (id === undefined)
    throw new TransportError("UNKNOWN_ERROR", "Viber's answer cannot be read", { retry: "later" });
  return { id, name: name ?? uri ?? id, uri, webhook, events };
}

/** Opens a chat with the bot; `code` comes back as `context` (developers.viber.com, "Deep links"). */
export function deepLink(uri: string, code?: string): string {
  const context = code === undefined ? "" : `&context=${encodeURIComponent(code)}`;
  return `viber://pa?chatURI=${encodeURIComponent(uri)}${context}`;
}

/** A channel with a bot of its own is that bot. */
export function ownProfile({ id, name, uri }: Account): ChannelProfile {
  return { messengerId: id, name, ...(uri !== undefined && { username: uri, url: deepLink(uri) }) };
}

/** One that shares the installation's bot is the person who linked it; its customers come by the address. */
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
    throw new CredentialsError("This bot is shared by the installation: leave viber_token out");
  try {
    const account = await fetchAccount(createClient(access, credentials.viber_token), signal);
    return { profile: ownProfile(account), credentials: { ...credentials, name: account.name } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (isUnauthorized(error)) throw new CredentialsError("Viber does not accept this bot token");
    if (isRejected(error)) throw new CredentialsError("Viber has closed this bot");
    throw toTransportError(error, { floodScope: "channel" });
  }
}

/** The link to the installation's bot with a code in it, which the QR code shows, too. */
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
  throw new TransportError("GENERAL_ERROR", "Viber does not tell the address of the shared bot", {
    retry: "later",
  });
}
