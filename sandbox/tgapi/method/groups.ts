import type { tl } from "@mtcute/core";
import Long from "long";
import { renderChat } from "../render/chat.ts";
import { renderPhoto } from "../render/media.ts";
import { renderParticipant, renderParticipants } from "../render/participants.ts";
import { collectPeers } from "../render/peers.ts";
import type { Call, Methods } from "../rpc/call.ts";
import { bad } from "../rpc/error.ts";
import { needMember, resolveChannel, resolvePeer } from "../rpc/peer.ts";
import { groupOf, membersOf } from "../world/directory.ts";
import type { Group } from "../world/group.ts";
import { openDialog } from "../world/post.ts";
import { unreadIn } from "../world/revise.ts";

const maxPage = 200;

/** Looking up groups and their members. */
export const groupsMethods = {
  "messages.getChats": ({ id }, call) => ({
    _: "messages.chats",
    chats: id.map((each) => renderChat(call.world, call.person, needChat(call, each))),
  }),

  "messages.getFullChat"({ chatId }, call) {
    const { world, person } = call;
    const group = needChat(call, chatId);
    const participants = renderParticipants(person, group);
    return {
      _: "messages.chatFull",
      fullChat: {
        _: "chatFull",
        id: group.id,
        about: "",
        participants,
        chatPhoto: photoOf(call, group),
        notifySettings: { _: "peerNotifySettings" },
      },
      chats: [renderChat(world, person, group)],
      users: collectPeers(world, person, participants).users,
    };
  },

  "channels.getChannels": ({ id }, call) => ({
    _: "messages.chats",
    chats: id.map((each) => renderChat(call.world, call.person, resolveChannel(call, each))),
  }),

  "channels.getFullChannel"({ channel }, call) {
    const { world, person } = call;
    const group = resolveChannel(call, channel);
    needMember(call, group);
    const peer = { kind: "channel", id: group.id } as const;
    const dialog = openDialog(person, peer);
    return {
      _: "messages.chatFull",
      fullChat: {
        _: "channelFull",
        id: group.id,
        about: "",
        canViewParticipants: true,
        participantsCount: group.members.size,
        readInboxMaxId: dialog.readInbox,
        readOutboxMaxId: group.readOutbox,
        unreadCount: unreadIn(world, person, peer),
        chatPhoto: photoOf(call, group),
        notifySettings: { _: "peerNotifySettings" },
        botInfo: [],
        pts: group.mailbox.pts,
      },
      chats: [renderChat(world, person, group)],
      users: [],
    };
  },

  "channels.getParticipants"({ channel, filter, offset, limit }, call) {
    const { world, person } = call;
    const group = resolveChannel(call, channel);
    needMember(call, group);
    const fitting = membersOf(world, group).filter(({ id, isBot, firstName }) => {
      if (filter._ === "channelParticipantsAdmins") return group.members.get(id)?.role !== "member";
      if (filter._ === "channelParticipantsBots") return isBot;
      if (filter._ !== "channelParticipantsSearch") return true;
      return firstName.toLowerCase().includes(filter.q.toLowerCase());
    });
    const page = fitting.slice(offset, offset + Math.min(limit, maxPage));
    const participants = page.flatMap(({ id }) => renderParticipant(person, group, id) ?? []);
    const peers = collectPeers(world, person, participants);
    return { _: "channels.channelParticipants", count: fitting.length, participants, ...peers };
  },

  "channels.getParticipant"({ channel, participant }, call) {
    const { world, person } = call;
    const group = resolveChannel(call, channel);
    const peer = resolvePeer(call, participant);
    if (peer.id !== person.id) needMember(call, group);
    const found = renderParticipant(person, group, peer.id);
    if (!found) throw bad("USER_NOT_PARTICIPANT");
    return {
      _: "channels.channelParticipant",
      participant: found,
      chats: [renderChat(world, person, group)],
      users: collectPeers(world, person, [found, { _: "peerUser", userId: peer.id }]).users,
    };
  },
} satisfies Methods;

/** A small group that exists and in which the caller is or was a member. */
export function needChat({ world, person }: Call, chatId: number): Group {
  const group = groupOf(world, { kind: "chat", id: chatId });
  const isKnown = group?.members.has(person.id) || person.dialogs.has(`chat${chatId}`);
  if (!group || !isKnown) throw bad("CHAT_ID_INVALID");
  return group;
}

function photoOf({ world, person }: Call, { photo }: Group): tl.TypePhoto {
  const file = photo === undefined ? undefined : world.state.files.get(photo);
  return file ? renderPhoto(world, person, file) : { _: "photoEmpty", id: Long.ZERO };
}
