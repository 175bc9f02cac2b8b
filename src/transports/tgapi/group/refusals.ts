import { type GroupRefusal, GroupRefused } from "../../../core/transport/errors.ts";
import type { PersonResult } from "../../../core/transport/groups.ts";
import { endOf, type Refusal, refusalIn, secondsToWait, toTransportError } from "../errors.ts";

/** Texts of core.telegram.org (errors of the methods for groups). An entry that ends with `_` is a prefix. */
const WHOLE: readonly (readonly [GroupRefusal, readonly string[]])[] = [
  ["not_found", ["PEER_ID_INVALID", "CHAT_ID_INVALID", "CHANNEL_INVALID", "CHANNEL_MONOFORUM_UNSUPPORTED"]],
  ["not_a_member", ["CHANNEL_PRIVATE", "CHAT_FORBIDDEN", "USER_BANNED_IN_CHANNEL", "INVITE_HASH_EXPIRED"]],
  [
    "not_an_admin",
    ["CHAT_ADMIN_REQUIRED", "CHAT_ADMIN_INVITE_REQUIRED", "CHAT_WRITE_FORBIDDEN", "RIGHT_FORBIDDEN"],
  ],
  ["unknown_person", ["INPUT_USER_DEACTIVATED", "USER_ID_INVALID"]],
  ["nobody_added", ["USERS_TOO_FEW", "CHAT_MEMBER_ADD_FAILED"]],
  ["too_many_people", ["USERS_TOO_MUCH"]],
  ["too_many_groups", ["CHANNELS_TOO_MUCH", "CHATS_TOO_MUCH"]],
  ["bad_name", ["CHAT_TITLE_EMPTY"]],
  ["bad_picture", ["PHOTO_", "IMAGE_PROCESS_FAILED", "FILE_PART_", "FILE_PARTS_INVALID"]],
];

const SENTENCES: Readonly<Record<GroupRefusal, string>> = {
  not_found: "There is no such group on Telegram",
  not_a_member: "The account is not a member of the group",
  not_an_admin: "The account is not an administrator with the right to do this",
  unknown_person: "There is no such person on Telegram",
  nobody_added: "None of the people can be added",
  too_many_people: "The group would have too many members",
  too_many_groups: "The account has too many groups",
  bad_name: "Telegram does not accept the name",
  bad_picture: "Telegram does not accept the picture",
  refused: "Telegram refused",
};

export function groupRefused(reason: GroupRefusal, data?: string): GroupRefused {
  return new GroupRefused(reason, SENTENCES[reason], { data });
}

/**
 * Maps a failed call about a group. Limits of the account, and what does not depend on the group, are errors like those
 * of messages.
 */
export function toGroupError(error: unknown): Error {
  if (error instanceof GroupRefused) return error;
  const refusal = refusalIn(error);
  if (refusal === null || isGeneral(refusal)) return toTransportError(error, { sent: true });
  const [reason] = WHOLE.find(([, texts]) => texts.some((each) => matches(each, refusal.text))) ?? [
    "refused",
  ];
  return groupRefused(reason, dataOf(refusal));
}

/** Texts about one person; the call is refused for this person alone. */
const PERSONAL: readonly (readonly [PersonResult, readonly string[]])[] = [
  ["invitation_needed", ["USER_PRIVACY_RESTRICTED"]],
  ["left_recently", ["USER_NOT_MUTUAL_CONTACT"]],
  ["already", ["USER_ALREADY_PARTICIPANT"]],
  ["not_a_member", ["USER_NOT_PARTICIPANT", "PARTICIPANT_ID_INVALID"]],
  ["unknown", ["INPUT_USER_DEACTIVATED", "USER_ID_INVALID"]],
  ["full", ["USERS_TOO_MUCH", "USER_CHANNELS_TOO_MUCH", "ADMINS_TOO_MUCH"]],
  ["protected", ["USER_ADMIN_INVALID", "USER_CREATOR"]],
  [
    "refused",
    [
      "USER_IS_BLOCKED",
      "YOU_BLOCKED_USER",
      "USER_KICKED",
      "USER_BOT",
      "USER_BLOCKED",
      "BOT_",
      "CHAT_MEMBER_",
    ],
  ],
];

/** What became of the person if Telegram refused because of them; undefined if it refused for another reason. */
export function personalResult(refusal: Refusal): PersonResult | undefined {
  return PERSONAL.find(([, texts]) => texts.some((each) => matches(each, refusal.text)))?.[0];
}

/** Limits, suspicions, internal errors and the end of the session. */
export function isGeneral(refusal: Refusal): boolean {
  const { code, text } = refusal;
  const isLimit = secondsToWait(refusal) !== null || text === "PEER_FLOOD" || text === "USER_RESTRICTED";
  return isLimit || code >= 500 || code < 0 || endOf(refusal) !== null;
}

export function dataOf({ code, text }: Refusal): string {
  return `${code} ${text}`;
}

function matches(pattern: string, text: string): boolean {
  return pattern.endsWith("_") ? text.startsWith(pattern) : text === pattern;
}
