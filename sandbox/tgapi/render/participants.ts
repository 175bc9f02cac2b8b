import type { tl } from "@mtcute/core";
import type { Group, Member } from "../world/group.ts";
import { toTlPeer } from "../world/peer.ts";
import type { Person } from "../world/person.ts";
import { adminRights } from "./chat.ts";

/** The members of a small group, for a member. */
export function renderParticipants(viewer: Person, group: Group): tl.TypeChatParticipants {
  if (!group.members.has(viewer.id)) return { _: "chatParticipantsForbidden", chatId: group.id };
  return {
    _: "chatParticipants",
    chatId: group.id,
    version: group.version,
    participants: [...group.members].map(([userId, { role, invitedBy: inviterId, date }]) => {
      if (role === "creator") return { _: "chatParticipantCreator", userId };
      return { _: role === "admin" ? "chatParticipantAdmin" : "chatParticipant", userId, inviterId, date };
    }),
  };
}

/** A person's role in a supergroup; also for those who left or were removed. */
export function renderParticipant(
  viewer: Person,
  group: Group,
  userId: number,
): tl.TypeChannelParticipant | undefined {
  const member = group.members.get(userId);
  if (member) return renderMember(viewer, userId, member);
  if (!group.banned.has(userId)) return undefined;
  return {
    _: "channelParticipantBanned",
    left: true,
    peer: toTlPeer({ kind: "user", id: userId }),
    kickedBy: group.creator,
    date: group.date,
    bannedRights: { _: "chatBannedRights", viewMessages: true, untilDate: 2 ** 31 - 1 },
  };
}

function renderMember(
  viewer: Person,
  userId: number,
  { role, date, invitedBy }: Member,
): tl.TypeChannelParticipant {
  const rights = adminRights(role);
  if (role === "creator" && rights) return { _: "channelParticipantCreator", userId, adminRights: rights };
  if (rights)
    return { _: "channelParticipantAdmin", userId, promotedBy: invitedBy, date, adminRights: rights };
  if (userId === viewer.id) return { _: "channelParticipantSelf", userId, inviterId: invitedBy, date };
  return { _: "channelParticipant", userId, date };
}
