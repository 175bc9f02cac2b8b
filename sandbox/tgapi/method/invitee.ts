import type { Call } from "../rpc/call.ts";
import { bad, RpcError } from "../rpc/error.ts";
import type { Group } from "../world/group.ts";
import type { Person } from "../world/person.ts";

/**
 * Why the caller cannot add a person to a group, by the errors that core.telegram.org lists for
 * `messages.addChatUser`; undefined if it can.
 */
export function refusalOf(call: Call, person: Person, group?: Group): RpcError | undefined {
  const own = call.person;
  if (person.status !== "active") return bad("INPUT_USER_DEACTIVATED");
  if (own.blocked.has(person.id)) return bad("YOU_BLOCKED_USER");
  if (person.blocked.has(own.id)) return new RpcError(403, "USER_IS_BLOCKED");
  if (person.inviters === "contacts" && !person.contacts.has(own.id))
    return new RpcError(403, "USER_PRIVACY_RESTRICTED");
  const isMutual = own.contacts.has(person.id) && person.contacts.has(own.id);
  if (group?.left.has(person.id) && !isMutual) return new RpcError(403, "USER_NOT_MUTUAL_CONTACT");
  return undefined;
}

/**
 * Throws if the caller cannot add this person. `listed`: a refusal by the person's privacy is listed in the response
 * instead.
 */
export function checkInvitee(call: Call, group: Group, person: Person, refusals?: "listed"): void {
  if (group.members.has(person.id)) throw bad("USER_ALREADY_PARTICIPANT");
  if (call.person.restrictedUntil > call.world.clock.now()) throw bad("PEER_FLOOD");
  const refusal = refusalOf(call, person, group);
  if (refusal && (refusals === undefined || refusal.message !== "USER_PRIVACY_RESTRICTED")) throw refusal;
}
