import type { tl } from "@mtcute/core";
import Long from "long";
import { defined } from "../defined.ts";
import { accessHash } from "../world/access.ts";
import type { Group } from "../world/group.ts";
import type { Person } from "../world/person.ts";
import type { World } from "../world/world.ts";

/** A group as one account sees it; non-members see little. */
export function renderChat(world: World, viewer: Person, group: Group): tl.TypeChat {
  return group.kind === "chat" ? renderSmall(world, viewer, group) : renderSuper(world, viewer, group);
}

function renderSmall(world: World, viewer: Person, group: Group): tl.TypeChat {
  const { id, title, date, version, members } = group;
  if (group.banned.has(viewer.id)) return { _: "chatForbidden", id, title };
  const target = group.migratedTo === undefined ? undefined : world.state.groups.get(group.migratedTo);
  const me = members.get(viewer.id);
  return {
    _: "chat",
    ...{ id, title, date, version },
    creator: me?.role === "creator",
    left: me === undefined,
    deactivated: target !== undefined,
    photo: chatPhoto(world, group),
    participantsCount: members.size,
    ...defined({
      migratedTo: target && inputChannel(world, viewer, target),
      adminRights: me && adminRights(me.role),
    }),
    defaultBannedRights: defaultRights(group),
  };
}

function renderSuper(world: World, viewer: Person, group: Group): tl.TypeChat {
  const { id, title, date, members } = group;
  const hash = accessHash(world, viewer, { kind: "channel", id });
  if (group.banned.has(viewer.id))
    return { _: "channelForbidden", megagroup: true, id, accessHash: hash, title };
  const me = members.get(viewer.id);
  return {
    _: "channel",
    ...{ id, title, date, accessHash: hash },
    megagroup: true,
    creator: me?.role === "creator",
    left: me === undefined,
    photo: chatPhoto(world, group),
    ...defined({ username: group.username, adminRights: me && adminRights(me.role) }),
    defaultBannedRights: defaultRights(group),
    participantsCount: members.size,
  };
}

function inputChannel(world: World, viewer: Person, { id }: Group): tl.RawInputChannel {
  return { _: "inputChannel", channelId: id, accessHash: accessHash(world, viewer, { kind: "channel", id }) };
}

function chatPhoto(world: World, { photo }: Group): tl.TypeChatPhoto {
  if (photo === undefined) return { _: "chatPhotoEmpty" };
  const dcId = world.state.files.get(photo)?.dc ?? 2;
  return { _: "chatPhoto", photoId: Long.fromString(photo), dcId };
}

export function adminRights(role: "creator" | "admin" | "member"): tl.RawChatAdminRights | undefined {
  if (role === "member") return undefined;
  return {
    _: "chatAdminRights",
    changeInfo: true,
    deleteMessages: true,
    banUsers: true,
    inviteUsers: true,
    pinMessages: true,
    addAdmins: role === "creator",
    other: true,
  };
}

function defaultRights({ isReadOnly }: Group): tl.RawChatBannedRights {
  return { _: "chatBannedRights", sendMessages: isReadOnly, sendMedia: isReadOnly, untilDate: 2 ** 31 - 1 };
}
