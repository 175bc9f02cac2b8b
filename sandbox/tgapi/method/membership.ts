import type { tl } from "@mtcute/core";
import { renderChange, renderGroupChange, wrapUpdates } from "../render/updates.ts";
import type { Call, Methods } from "../rpc/call.ts";
import { bad, RpcError } from "../rpc/error.ts";
import { needMember, resolveChannel, resolveUser } from "../rpc/peer.ts";
import { groupOf } from "../world/directory.ts";
import type { Group } from "../world/group.ts";
import { createGroup, join, leave, rename } from "../world/membership.ts";
import type { Person } from "../world/person.ts";
import type { Posted } from "../world/post.ts";
import { needChat } from "./groups.ts";

/** Changing groups: creating them, adding and removing members, leaving, renaming. */
export const membershipMethods = {
  "messages.createChat"({ users, title }, call) {
    if (title.trim() === "") throw bad("CHAT_TITLE_EMPTY");
    const members = users.map((each) => resolveUser(call, each));
    if (members.length === 0) throw bad("USERS_TOO_FEW");
    const { posted } = createGroup(call.world, { kind: "chat", title, members }, actor(call));
    return invited(call, posted);
  },

  "channels.createChannel"({ title, megagroup }, call) {
    if (!megagroup) throw bad("METHOD_NOT_EMULATED");
    if (title.trim() === "") throw bad("CHAT_TITLE_EMPTY");
    const { posted } = createGroup(call.world, { kind: "channel", title, members: [] }, actor(call));
    return updatesOf(call, posted);
  },

  "messages.addChatUser"({ chatId, userId }, call) {
    const group = needChat(call, chatId);
    needMember(call, group);
    return invited(call, add(call, group, [resolveUser(call, userId)]));
  },

  "channels.inviteToChannel"({ channel, users }, call) {
    const group = resolveChannel(call, channel);
    needMember(call, group);
    return invited(
      call,
      add(
        call,
        group,
        users.map((each) => resolveUser(call, each)),
      ),
    );
  },

  "messages.deleteChatUser"({ chatId, userId }, call) {
    const group = needChat(call, chatId);
    const person = resolveUser(call, userId);
    if (person !== call.person) needAdmin(call, group);
    return updatesOf(call, leave(call.world, group, person, actor(call)));
  },

  "channels.leaveChannel"({ channel }, call) {
    const group = resolveChannel(call, channel);
    if (!group.members.has(call.person.id)) throw bad("USER_NOT_PARTICIPANT");
    return updatesOf(call, leave(call.world, group, call.person, actor(call)));
  },

  "messages.editChatTitle"({ chatId, title }, call) {
    const group = needChat(call, chatId);
    needAdmin(call, group);
    return updatesOf(call, retitle(call, group, title));
  },

  "channels.editTitle"({ channel, title }, call) {
    const group = resolveChannel(call, channel);
    needAdmin(call, group);
    return updatesOf(call, retitle(call, group, title));
  },
} satisfies Methods;

function actor({ person, session }: Call) {
  return { by: person, origin: session };
}

function add(call: Call, group: Group, people: readonly Person[]): Posted | undefined {
  const refused = people.some(({ writers, contacts }) => writers !== "all" && !contacts.has(call.person.id));
  if (refused) throw new RpcError(403, "USER_PRIVACY_RESTRICTED");
  const posted = join(call.world, group, people, actor(call));
  if (!posted) throw bad("USER_ALREADY_PARTICIPANT");
  return posted;
}

function retitle(call: Call, group: Group, title: string): Posted {
  if (title.trim() === "") throw bad("CHAT_TITLE_EMPTY");
  if (title === group.title) throw bad("CHAT_NOT_MODIFIED");
  return rename(call.world, group, title, actor(call));
}

function needAdmin(call: Call, group: Group): void {
  needMember(call, group);
  if (group.members.get(call.person.id)?.role === "member") throw new RpcError(400, "CHAT_ADMIN_REQUIRED");
}

function invited(call: Call, posted: Posted | undefined): tl.messages.RawInvitedUsers {
  return { _: "messages.invitedUsers", updates: updatesOf(call, posted), missingInvitees: [] };
}

/** The service message about a change, as updates for the client that caused it. */
function updatesOf({ world, person }: Call, posted: Posted | undefined): tl.RawUpdates {
  if (!posted) return wrapUpdates(world, person, []);
  const group = groupOf(world, posted.letter.to);
  const update =
    group?.kind === "channel"
      ? renderGroupChange(world, person, { group, change: posted.change })
      : renderChange(world, person, posted.change);
  return wrapUpdates(world, person, update ? [update] : []);
}
