import { type GroupRefusal, GroupRefused, TransportError } from "../../../core/transport/errors.ts";
import { isFlood, isPassing, isUnauthorized, Refusal, toFailure, toTransportError } from "../errors.ts";

/** Phrases of MAX's keys and messages; the first match applies. MAX publishes none of them. */
const RULES: readonly (readonly [GroupRefusal, readonly string[]])[] = [
  ["not_a_member", ["not a participant", "not a member", "chat.left"]],
  ["too_many_people", ["participants.limit", "members.limit", "too many participants"]],
  ["too_many_groups", ["chats.limit", "too many chats"]],
  ["bad_name", ["theme", "title"]],
  ["bad_picture", ["photo", "picture", "icon", "upload", "attachment"]],
  ["unknown_person", ["participant not found", "user not found", "contact not found"]],
  ["not_found", ["not.found", "not found"]],
  ["not_an_admin", ["denied", "permission", "forbidden", "administrator", "owner", "chat.access"]],
];

const SENTENCES: Readonly<Record<GroupRefusal, string>> = {
  not_found: "There is no such group on MAX",
  not_a_member: "The account is not a member of the group",
  not_an_admin: "The account is not an administrator with the right to do this",
  unknown_person: "There is no such person on MAX",
  nobody_added: "None of the people can be added",
  too_many_people: "The group would have too many members",
  too_many_groups: "The account has too many groups",
  bad_name: "MAX does not accept the name",
  bad_picture: "MAX does not accept the picture",
  refused: "MAX refused",
};

export function groupRefused(reason: GroupRefusal, data?: string): GroupRefused {
  return new GroupRefused(reason, SENTENCES[reason], { data });
}

/** Maps a failed call about a group. Limits of the account and the end of the session are errors like those of messages. */
export function toGroupError(error: unknown): Error {
  if (error instanceof GroupRefused) return error;
  if (!(error instanceof Refusal)) return toFailure(error, { isHarmless: false });
  if (isGeneral(error)) return toTransportError(error);
  const data = `${error.key}: ${error.words}`;
  if (isPassing(error))
    return new TransportError("UNKNOWN_ERROR", "MAX is temporarily unavailable", { retry: "unknown", data });
  const [reason] = RULES.find(([, says]) => error.says(...says)) ?? ["refused"];
  return groupRefused(reason, data);
}

function isGeneral(refusal: Refusal): boolean {
  return isFlood(refusal) || isUnauthorized(refusal) || refusal.says("restricted", "spam");
}
