import type { tl } from "@mtcute/core";
import type { Session } from "../mtproto/session.ts";
import { renderPhoto } from "../render/media.ts";
import { wrapUpdates } from "../render/updates.ts";
import { addGroup, membersOf } from "./directory.ts";
import type { StoredFile } from "./file-store.ts";
import { type Group, peerOfGroup } from "./group.ts";
import type { Person } from "./person.ts";
import { openDialog, type Posted, post } from "./post.ts";
import { pushUpdates } from "./push.ts";
import type { World } from "./world.ts";

/** The account that changes a group, and its client. */
export interface Actor {
  readonly by: Person;
  readonly origin?: Session | undefined;
}

/** Makes a group with its first members. */
export function createGroup(
  world: World,
  setup: Pick<Group, "kind" | "title"> & {
    readonly id?: number | undefined;
    readonly members: readonly Person[];
  },
  { by, origin }: Actor,
): { readonly group: Group; readonly posted: Posted } {
  const group = addGroup(world, { kind: setup.kind, title: setup.title, creator: by.id, id: setup.id });
  const date = world.clock.now();
  const others = setup.members.filter(({ id }) => id !== by.id);
  for (const { id } of others) group.members.set(id, { role: "member", invitedBy: by.id, date });
  const action: tl.TypeMessageAction =
    setup.kind === "chat"
      ? { _: "messageActionChatCreate", title: setup.title, users: [...group.members.keys()] }
      : { _: "messageActionChannelCreate", title: setup.title };
  return { group, posted: announce(world, group, { action, by, origin }) };
}

/** People join: added by another member, or by themselves through a link. */
export function join(
  world: World,
  group: Group,
  people: readonly Person[],
  { by, origin }: Actor,
): Posted | undefined {
  const date = world.clock.now();
  const added = people.filter(({ id }) => !group.members.has(id));
  if (added.length === 0) return undefined;
  for (const { id } of added) {
    group.banned.delete(id);
    group.left.delete(id);
    group.members.set(id, { role: "member", invitedBy: by.id, date });
  }
  group.version++;
  if (group.kind === "channel") for (const person of added) tellOfChannel(world, group, person);
  const users = added.map(({ id }) => id);
  const byLink = users.length === 1 && users[0] === by.id;
  const action: tl.TypeMessageAction =
    byLink && group.kind === "chat"
      ? { _: "messageActionChatJoinedByLink", inviterId: group.creator }
      : { _: "messageActionChatAddUser", users };
  return announce(world, group, { action, by, origin });
}

/** A person leaves or is removed; a removed person cannot rejoin. */
export function leave(world: World, group: Group, person: Person, { by, origin }: Actor): Posted | undefined {
  if (!group.members.has(person.id)) return undefined;
  const action = { _: "messageActionChatDeleteUser", userId: person.id } as const;
  group.version++;
  // Former members of a small group still get the message about it.
  const posted = group.kind === "chat" ? announce(world, group, { action, by, origin }) : undefined;
  group.members.delete(person.id);
  (by === person ? group.left : group.banned).add(person.id);
  if (group.kind === "channel") tellOfChannel(world, group, person);
  return posted ?? announce(world, group, { action, by, origin });
}

export function rename(world: World, group: Group, title: string, { by, origin }: Actor): Posted {
  group.title = title;
  return announce(world, group, { action: { _: "messageActionChatEditTitle", title }, by, origin });
}

/** A new picture of the group, or none. */
export function setPhoto(
  world: World,
  group: Group,
  file: StoredFile | undefined,
  { by, origin }: Actor,
): Posted {
  group.photo = file?.id;
  const action: tl.TypeMessageAction = file
    ? { _: "messageActionChatEditPhoto", photo: renderPhoto(world, by, file) }
    : { _: "messageActionChatDeletePhoto" };
  return announce(world, group, { action, by, origin });
}

/** Makes a member an administrator, or an ordinary member again. There is no message about it. */
export function setRole(
  world: World,
  group: Group,
  change: { readonly person: Person; readonly role: "admin" | "member" },
  origin?: Session,
): void {
  const { person, role } = change;
  const member = group.members.get(person.id);
  if (!member || member.role === role) return;
  member.role = role;
  group.version++;
  world.changed();
  if (group.kind === "channel") {
    tellOfRights(world, group, person);
    return;
  }
  const { id: chatId, version } = group;
  const update: tl.TypeUpdate = {
    _: "updateChatParticipantAdmin",
    ...{ chatId, userId: person.id, isAdmin: role === "admin", version },
  };
  for (const each of membersOf(world, group))
    pushUpdates(world, each, wrapUpdates(world, each, [update]), origin);
}

/** Upgrades a small group to a supergroup with a new id; the old one refers to it. */
export function upgrade(world: World, group: Group, { by, origin }: Actor): Group {
  const target = addGroup(world, { kind: "channel", title: group.title, creator: group.creator });
  for (const [id, member] of group.members) target.members.set(id, { ...member });
  group.migratedTo = target.id;
  announce(world, group, { action: { _: "messageActionChatMigrateTo", channelId: target.id }, by, origin });
  for (const person of membersOf(world, target)) tellOfChannel(world, target, person);
  const { title, id: chatId } = group;
  announce(world, target, { action: { _: "messageActionChannelMigrateFrom", title, chatId }, by, origin });
  return target;
}

/** A message of the group about the change. */
function announce(
  world: World,
  group: Group,
  { action, by, origin }: Actor & { readonly action: tl.TypeMessageAction },
): Posted {
  return post(world, { from: by.id, to: peerOfGroup(group), action }, origin);
}

/** Only the member itself is notified of new rights in a supergroup. */
function tellOfRights(world: World, group: Group, person: Person): void {
  const update = { _: "updateChannel", channelId: group.id } as const;
  pushUpdates(world, person, wrapUpdates(world, person, [update]));
}

/** Notifies an account's clients that it joined a supergroup, or is no longer a member. */
function tellOfChannel(world: World, group: Group, person: Person): void {
  const peer = peerOfGroup(group);
  openDialog(person, peer).topId = group.mailbox.nextId - 1;
  tellOfRights(world, group, person);
}
