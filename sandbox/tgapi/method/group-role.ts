import type { Call, Methods } from "../rpc/call.ts";
import { bad } from "../rpc/error.ts";
import { needMember, resolveChannel, resolvePeer, resolveUser } from "../rpc/peer.ts";
import { personById } from "../world/directory.ts";
import type { Group } from "../world/group.ts";
import { leave, setRole } from "../world/membership.ts";
import type { Person } from "../world/person.ts";
import { needChat } from "./groups.ts";
import { actor, needAdmin, updatesOf } from "./own-change.ts";

/** Administrators, and members who are removed from supergroups. */
export const groupRoleMethods = {
  "messages.editChatAdmin"({ chatId, userId, isAdmin }, call) {
    const group = needChat(call, chatId);
    const person = resolveUser(call, userId);
    checkPromotion(call, group, person);
    setRole(call.world, group, { person, role: isAdmin ? "admin" : "member" }, call.session);
    return true;
  },

  /** Rights without any flag make an ordinary member. */
  "channels.editAdmin"({ channel, userId, adminRights }, call) {
    const group = resolveChannel(call, channel);
    const person = resolveUser(call, userId);
    checkPromotion(call, group, person);
    const { _: _name, ...rights } = adminRights;
    const role = Object.values(rights).includes(true) ? "admin" : "member";
    setRole(call.world, group, { person, role });
    return updatesOf(call, undefined);
  },

  /** Without the right to view messages a person is removed; with all rights, it may join again. */
  "channels.editBanned"({ channel, participant, bannedRights }, call) {
    const group = resolveChannel(call, channel);
    needAdmin(call, group);
    const peer = resolvePeer(call, participant);
    if (peer.kind !== "user") throw bad("PARTICIPANT_ID_INVALID");
    const person = personById(call.world, peer.id);
    if (group.members.get(person.id)?.role === "creator") throw bad("USER_ADMIN_INVALID");
    if (!bannedRights.viewMessages) {
      group.banned.delete(person.id);
      return updatesOf(call, undefined);
    }
    const posted = leave(call.world, group, person, actor(call));
    group.banned.add(person.id);
    return updatesOf(call, posted);
  },
} satisfies Methods;

/** Only the creator appoints administrators here: nobody else gets the right for it. */
function checkPromotion(call: Call, group: Group, person: Person): void {
  needMember(call, group);
  if (group.members.get(call.person.id)?.role !== "creator") throw bad("CHAT_ADMIN_REQUIRED");
  const role = group.members.get(person.id)?.role;
  if (role === undefined) throw bad("USER_NOT_PARTICIPANT");
  if (role === "creator") throw bad("USER_CREATOR");
}
