import type { InboundReply, InboundRequest } from "../../core/transport/connector.ts";
import type { ChannelProfile } from "../../core/transport/events.ts";
import { integerText } from "../../platform/foreign/foreign-json.ts";
import { isSame } from "../../platform/same.ts";
import { readCall } from "../kit/call-body.ts";
import { isJson, parsed } from "../kit/json.ts";
import { unreadable } from "../kit/no-response.ts";
import { watchOrPoll } from "../kit/receiving.ts";
import { holdsSecret } from "../kit/secret.ts";
import { catchUp, noteReceived } from "./catch-up.ts";
import { API_VERSION, createClient } from "./client.ts";
import { type Community, fetchProfile, persistence, type VkLink } from "./community.ts";
import { deliver } from "./delivery.ts";
import { Refusal } from "./errors.ts";
import { EVENT_TYPES } from "./inbound.ts";
import { poll } from "./receiving.ts";
import { readCode, readServerId, readServers } from "./update.ts";

const TITLE = "Trunkline";
/** VK limits a secret to 50 characters (dev.vk.com, `groups.addCallbackServer`). */
const SECRET_LENGTH = 50;
/** State key of the confirmation code that VK requests before its first call. */
const CONFIRMATION = "confirmation";
/** State key of the id of the callback server whose set-up is complete. */
const READY_SERVER = "readyServer";
/** Error code: the community already has ten callback servers. */
const TOO_MANY_SERVERS = 2000;
/** The statuses of a server that VK does not call (dev.vk.com, `groups.getCallbackServers`). */
const BROKEN: readonly (string | undefined)[] = ["failed", "unconfigured", "wait"];
/** How long no further server is added after one that VK does not list. */
const ADD_AGAIN_MS = 60 * 60_000;

/**
 * Registers the callback server and checks it until the channel closes, because VK disables a server that fails too
 * often. Falls back to long polling if VK accepts no further server.
 */
export async function watchCallbacks(community: Community, url: string): Promise<void> {
  let profile: ChannelProfile | null = null;
  const added: Added = { id: undefined, atMs: Number.NEGATIVE_INFINITY };
  await watchOrPoll(persistence(community), {
    everyMs: community.timing.checkMs,
    async check() {
      profile ??= await fetchProfile(community.client, community.signal);
      await checkServer(community, { profile, url, added });
      await community.announce({ status: "active", profile });
    },
    isRefused: (error) => hasTooManyServers(error, community),
    poll: () => poll(community),
  });
}

function hasTooManyServers(error: unknown, { link }: Community): boolean {
  const isFull = error instanceof Refusal && error.code === TOO_MANY_SERVERS;
  if (isFull) link.log("warn", "The VK community already has ten callback servers; polling instead");
  return isFull;
}

type Group = { readonly group_id: string };

/** The server that this session added last. */
interface Added {
  id: string | undefined;
  atMs: number;
}

interface Wanted {
  readonly profile: ChannelProfile;
  readonly url: string;
  readonly added: Added;
}

/**
 * A server whose set-up is complete stays as it is. Replaces a server that VK has disabled. VK reports a server as
 * working once its URL is confirmed, which may be before its settings are stored and the missed messages fetched.
 */
async function checkServer(
  community: Community,
  { profile: { messengerId }, url, added }: Wanted,
): Promise<void> {
  const { client, link, signal } = community;
  const group = { group_id: messengerId };
  const answer = await client.call("groups.getCallbackServers", group, signal);
  if (!isJson(answer) || !Array.isArray(answer["items"])) throw unreadable(200, "VK", true);
  const servers = readServers(answer)?.items ?? [];
  const ours = servers.filter(
    (server) => isSameUrl(server.url, url) || (server.id !== undefined && server.id === added.id),
  );
  const working =
    ours.find(({ status }) => status === "ok") ?? ours.find(({ status }) => !BROKEN.includes(status));
  if (working !== undefined && working.id === (await link.state.get(READY_SERVER)))
    return noteReceived(community);
  if (working !== undefined) return completeServer(community, group, working.id);
  if (ours.length === 0 && performance.now() - added.atMs < ADD_AGAIN_MS) {
    link.log("warn", "VK does not list the callback server that was added");
    return;
  }
  for (const { id } of ours)
    await client.call("groups.deleteCallbackServer", { ...group, server_id: id }, signal);
  // If the next call fails, the next check must add the server.
  added.atMs = Number.NEGATIVE_INFINITY;
  added.id = await addServer(community, group, url);
  added.atMs = performance.now();
  await completeServer(community, group, added.id);
}

/** Returns the id of the new server. */
async function addServer(
  { client, link, signal }: Community,
  group: Group,
  url: string,
): Promise<string | undefined> {
  await link.state.set(READY_SERVER, null);
  const code = readCode(await client.call("groups.getCallbackConfirmationCode", group, signal))?.code;
  await link.state.set(CONFIRMATION, code ?? null);
  const server = { ...group, url, title: TITLE, secret_key: secretOf(link) };
  return readServerId(await client.call("groups.addCallbackServer", server, signal))?.server_id;
}

/** Subscribes a server to the events, and fetches the messages missed while there was none. */
async function completeServer(
  community: Community,
  group: Group,
  serverId: string | undefined,
): Promise<void> {
  const { client, link, signal } = community;
  const wanted = Object.fromEntries(EVENT_TYPES.map((type) => [type, 1]));
  const settings = { ...group, server_id: serverId, api_version: API_VERSION, ...wanted };
  await client.call("groups.setCallbackSettings", settings, signal);
  await catchUp(community);
  await link.state.set(READY_SERVER, serverId ?? null);
}

/** Deletes the callback server of a channel that is being removed. */
export async function removeServer({ client, link }: Community, signal: AbortSignal): Promise<void> {
  const { messengerId } = await fetchProfile(client, signal);
  const group = { group_id: messengerId };
  const servers = readServers(await client.call("groups.getCallbackServers", group, signal))?.items ?? [];
  for (const { id, url } of servers)
    if (link.callbackUrl !== null && isSameUrl(url, link.callbackUrl))
      await client.call("groups.deleteCallbackServer", { ...group, server_id: id }, signal);
}

/** VK may return a URL in another form than it was given. */
function isSameUrl(given: string | undefined, url: string): boolean {
  return given !== undefined && normalised(given) === normalised(url);
}

function normalised(url: string): string {
  return (URL.parse(url)?.href ?? url).replace(/\/+$/, "");
}

function secretOf({ callbackSecret }: Pick<VkLink, "callbackSecret">): string {
  return callbackSecret.slice(0, SECRET_LENGTH);
}

const ACCEPTED: InboundReply = { status: 200, body: "ok" };

/**
 * Receives one event from VK (dev.vk.com, "Callback API"). VK retries a call that is answered with anything but 200
 * and `ok`. An event that cannot be parsed is stored as a dead letter and acknowledged. Before its first call, VK
 * requests the confirmation code.
 */
export async function receive(request: InboundRequest, link: VkLink): Promise<InboundReply> {
  if (request.method !== "POST") return { status: 405 };
  if (isConfirmation(request.body, link)) return confirm(link);
  if (!holdsSecret(request.body, "secret", secretOf(link))) return { status: 401 };
  const call = readCall(request.body);
  if ("reason" in call) {
    await link.deadLetter(call.text.replaceAll(secretOf(link), ""), call.reason);
    return ACCEPTED;
  }
  const { secret, groupId } = envelopeOf(call.json);
  if (!isSame(secret, secretOf(link))) return { status: 401 };
  if (isForeign(groupId, link)) {
    await link.reportUnknown("foreign.group_id", { group_id: groupId });
    return { status: 403 };
  }
  await deliver([call.json], { link, client: createClient(link), signal: link.signal });
  return ACCEPTED;
}

/** A confirmation has three members, and may come before VK knows the secret. */
const MAX_CONFIRMATION = 1_000;

function isConfirmation(body: Uint8Array, link: VkLink): boolean {
  if (body.length > MAX_CONFIRMATION) return false;
  const { type, groupId } = envelopeOf(parsed(new TextDecoder().decode(body)));
  return type === "confirmation" && !isForeign(groupId, link);
}

/** Whether an event names another community: VK sends it to this address if it was entered there as well. */
function isForeign(groupId: string | undefined, { messengerId }: VkLink): boolean {
  return groupId !== undefined && messengerId !== null && groupId !== messengerId;
}

async function confirm(link: VkLink): Promise<InboundReply> {
  const code = await link.state.get(CONFIRMATION);
  return code === null ? { status: 404 } : { status: 200, body: code };
}

interface Envelope {
  readonly type: unknown;
  readonly secret: string | undefined;
  readonly groupId: string | undefined;
}

function envelopeOf(body: unknown): Envelope {
  const { type, secret, group_id } = (typeof body === "object" && body !== null ? body : {}) as Readonly<
    Record<string, unknown>
  >;
  return { type, secret: typeof secret === "string" ? secret : undefined, groupId: integerText(group_id) };
}
