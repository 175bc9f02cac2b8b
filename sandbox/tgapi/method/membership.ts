import type { tl } from "@mtcute/core";
import type { Call, Methods } from "../rpc/call.ts";
import { bad } from "../rpc/error.ts";
import { needMember, resolveChannel, resolveUser } from "../rpc/peer.ts";
import type { Group } from "../world/group.ts";
import { createGroup, join, leave } from "../world/membership.ts";
import type { Person } from "../world/person.ts";
import type { Posted } from "../world/post.ts";
import { needChat } from "./groups.ts";
import { checkInvitee, refusalOf } from "./invitee.ts";
import { actor, needAdmin, updatesOf } from "./own-change.ts";

const maxSmallGroup = 200;

/** Members of groups: creating groups, adding and removing people, leaving. */
export const membershipMethods = {
  "messages.createChat"({ users, title }, call) {
    if (title.trim() === "") throw bad("CHAT_TITLE_EMPTY");
    if (call.person.restrictedUntil > call.world.clock.now()) throw bad("USER_RESTRICTED");
    const people = users.map((each) => resolveUser(call, each));
    if (people.length === 0) throw bad("USERS_TOO_FEW");
    if (people.length > maxSmallGroup) throw bad("USERS_TOO_MUCH");
    if (people.some(({ status }) => status !== "active")) throw bad("INPUT_USER_DEACTIVATED");
    const missing = people.filter((each) => refusalOf(call, each) !== undefined);
    const members = people.filter((each) => !missing.includes(each));
    const { posted } = createGroup(call.world, { kind: "chat", title, members }, actor(call));
    return invited(call, posted, missing);
  },

  "channels.createChannel"({ title, megagroup }, call) {
    if (!megagroup) throw bad("METHOD_NOT_EMULATED");
    if (title.trim() === "") throw bad("CHAT_TITLE_EMPTY");
    const { posted } = createGroup(call.world, { kind: "channel", title, members: [] }, actor(call));
    return updatesOf(call, posted);
  },

  /** A single person, whose refusal is an error. */
  "messages.addChatUser"({ chatId, userId }, call) {
    const group = needChat(call, chatId);
    needMember(call, group);
    const person = resolveUser(call, userId);
    checkInvitee(call, group, person);
    if (group.members.size >= maxSmallGroup) throw bad("USERS_TOO_MUCH");
    return invited(call, add(call, group, [person]), []);
  },

  /** Several people: those who refuse are listed in the response. */
  "channels.inviteToChannel"({ channel, users }, call) {
    const group = resolveChannel(call, channel);
    needMember(call, group);
    const people = users.map((each) => resolveUser(call, each));
    if (people.length === 1 && people[0]) checkInvitee(call, group, people[0], "listed");
    const missing = people.filter((each) => refusalOf(call, each, group) !== undefined);
    const members = people.filter((each) => !missing.includes(each));
    return invited(call, members.length > 0 ? add(call, group, members) : undefined, missing);
  },

  "messages.deleteChatUser"({ chatId, userId }, call) {
    const group = needChat(call, chatId);
    const person = resolveUser(call, userId);
    if (person !== call.person) needAdmin(call, group);
    if (!group.members.has(person.id)) throw bad("USER_NOT_PARTICIPANT");
    return updatesOf(call, leave(call.world, group, person, actor(call)));
  },

  "channels.leaveChannel"({ channel }, call) {
    const group = resolveChannel(call, channel);
    if (!group.members.has(call.person.id)) throw bad("USER_NOT_PARTICIPANT");
    return updatesOf(call, leave(call.world, group, call.person, actor(call)));
  },
} satisfies Methods;

function add(call: Call, group: Group, people: readonly Person[]): Posted {
  const posted = join(call.world, group, people, actor(call));
  if (!posted) throw bad("USER_ALREADY_PARTICIPANT");
  return posted;
}

function invited(
  call: Call,
  posted: Posted | undefined,
  missing: readonly Person[],
): tl.messages.RawInvitedUsers {
  const missingInvitees = missing.map(({ id: userId }) => ({ _: "missingInvitee", userId }) as const);
  return { _: "messages.invitedUsers", updates: updatesOf(call, posted), missingInvitees };
}
