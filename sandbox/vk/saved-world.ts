import { isRecord } from "../http/fields.ts";
import type { StoredFile } from "../public-files.ts";
import type { Token } from "./call/token.ts";
import type { CallbackServer } from "./callback/server.ts";
import { Chat, type Dialog } from "./chat/dialog.ts";
import type { Community } from "./community.ts";
import type { App } from "./oauth/authorization.ts";
import type { User } from "./shape.ts";
import type { MediaObject } from "./upload/library.ts";
import type { World } from "./world.ts";

/** After a restart, numbering continues with a gap: clients may remember messages that were not kept. */
const idGap = 1000;

type SavedServer = Omit<CallbackServer, "events"> & { readonly events: readonly string[] };

interface SavedDialog {
  readonly peerId: number;
  readonly allowed: boolean;
  readonly banned: boolean;
  readonly lastCmid: number;
  readonly chat: {
    readonly title: string;
    readonly ownerId: number;
    readonly members: readonly number[];
    readonly admins: readonly number[];
    readonly photo: string | null;
    readonly isMember: boolean;
  } | null;
}

interface SavedCommunity {
  readonly id: number;
  readonly name: string;
  readonly screenName: string;
  readonly ownerId: number;
  readonly switches: Pick<Community, (typeof switches)[number]>;
  readonly servers: readonly SavedServer[];
  readonly longPoll: {
    readonly enabled: boolean;
    readonly apiVersion: string;
    readonly events: readonly string[];
  };
  readonly dialogs: readonly SavedDialog[];
}

interface SavedWorld {
  readonly version: 1;
  readonly users: readonly User[];
  readonly apps: readonly App[];
  readonly tokens: readonly Token[];
  readonly communities: readonly SavedCommunity[];
  readonly library: readonly MediaObject[];
  readonly files: readonly StoredFile[];
}

const switches = [
  "messagesEnabled",
  "botsEnabled",
  "confirmationCode",
  "lastServerId",
  "lastMessageId",
] as const;

/** People, communities, keys, callback servers and files; messages and undelivered events are not kept. */
export function saveWorld(world: World): SavedWorld {
  return {
    version: 1,
    users: [...world.users.values()],
    apps: [...world.apps.values()],
    tokens: [...world.tokens.values()],
    communities: [...world.communities.values()].map(saveCommunity),
    library: world.library.save(),
    files: world.files.save(),
  };
}

function saveCommunity(community: Community): SavedCommunity {
  const { id, name, screenName, ownerId, servers, longPoll, dialogs } = community;
  const { messagesEnabled, botsEnabled, confirmationCode, lastServerId, lastMessageId } = community;
  return {
    id,
    name,
    screenName,
    ownerId,
    switches: { messagesEnabled, botsEnabled, confirmationCode, lastServerId, lastMessageId },
    servers: [...servers.values()].map((server) => ({ ...server, events: [...server.events] })),
    longPoll: { enabled: longPoll.enabled, apiVersion: longPoll.apiVersion, events: [...longPoll.events] },
    dialogs: [...dialogs.values()].map(saveDialog),
  };
}

function saveDialog(dialog: Dialog): SavedDialog {
  const { peerId, allowed, banned, lastCmid } = dialog;
  if (!(dialog instanceof Chat)) return { peerId, allowed, banned, lastCmid, chat: null };
  const { title, ownerId, members, admins, photo = null, isMember } = dialog;
  const people = { members: [...members], admins: [...admins] };
  return { peerId, allowed, banned, lastCmid, chat: { title, ownerId, ...people, photo, isMember } };
}

/** Restores a saved state into an empty world; other formats are ignored. */
export function restoreWorld(world: World, saved: unknown): void {
  if (!isSaved(saved)) return;
  for (const user of saved.users) world.users.set(user.id, user);
  for (const app of saved.apps) world.apps.set(app.id, app);
  for (const token of saved.tokens) world.tokens.set(token.value, restoreToken(token));
  for (const community of saved.communities) restoreCommunity(world, community);
  for (const media of saved.library) world.library.restore(media);
  for (const file of saved.files) world.files.restore(file);
}

/** JSON has no undefined fields. */
function restoreToken(token: Token): Token {
  const { value, scopes, revoked, groupId, userId, expiresAtMs } = token;
  return { value, scopes, revoked, groupId, userId, expiresAtMs };
}

function restoreCommunity(world: World, saved: SavedCommunity): void {
  const community = world.addCommunity(saved);
  Object.assign(community, saved.switches);
  community.lastMessageId += idGap;
  for (const server of saved.servers) {
    community.servers.set(server.id, { ...server, events: new Set(server.events) });
  }
  const { enabled, apiVersion, events } = saved.longPoll;
  Object.assign(community.longPoll, { enabled, apiVersion, events: new Set(events) });
  for (const dialog of saved.dialogs) restoreDialog(world, community, dialog);
}

function restoreDialog(world: World, community: Community, saved: SavedDialog): void {
  const { peerId, allowed, banned, lastCmid, chat } = saved;
  const user = world.users.get(peerId);
  const dialog = chat ? community.addChat({ ...chat, peerId }) : user && community.dialogWith(user);
  if (!dialog) return;
  Object.assign(dialog, { allowed, banned, lastCmid: lastCmid + idGap });
  if (!(dialog instanceof Chat) || !chat) return;
  for (const id of chat.members) dialog.members.add(id);
  for (const id of chat.admins) dialog.admins.add(id);
  dialog.photo = chat.photo ?? undefined;
  dialog.isMember = chat.isMember;
}

function isSaved(value: unknown): value is SavedWorld {
  return isRecord(value) && value["version"] === 1;
}
