import { type GroupRefusal, GroupRefused } from "../../../core/transport/errors.ts";
import { Refusal, UploadRefusal } from "../errors.ts";

/** dev.vk.com, errors of the methods for chats. */
const REASONS: readonly (readonly [GroupRefusal, readonly number[]])[] = [
  ["not_found", [927, 946, 1017]],
  ["not_a_member", [917, 922, 945]],
  ["not_an_admin", [919, 925, 931]],
  ["unknown_person", [18, 113, 936]],
  ["too_many_groups", [103]],
  ["bad_picture", [22, 118, 121, 129]],
];

const SENTENCES: Readonly<Record<GroupRefusal, string>> = {
  not_found: "There is no such chat on VK",
  not_a_member: "The community is not a member of the chat",
  not_an_admin: "The community is not an administrator of the chat",
  unknown_person: "There is no such person on VK",
  nobody_added: "None of the people can be added",
  too_many_people: "The chat would have too many members",
  too_many_groups: "The community may not create more chats",
  bad_name: "VK does not accept the name",
  bad_picture: "VK does not accept the picture",
  refused: "VK refused",
};

export function groupRefused(reason: GroupRefusal, data?: string): GroupRefused {
  return new GroupRefused(reason, SENTENCES[reason], { data });
}

/**
 * The refusal of a call about a chat; others, such as those of the key, its rate and suspected spam, are left as they are.
 */
export function toGroupError(error: unknown): unknown {
  if (error instanceof UploadRefusal) return groupRefused("bad_picture", error.message);
  if (!(error instanceof Refusal)) return error;
  const { code, text } = error;
  const data = `${code}: ${text}`;
  const [reason] = REASONS.find(([, codes]) => codes.includes(code)) ?? [parameterReason(error)];
  return reason === undefined ? error : groupRefused(reason, data);
}

/** Error 100 names the invalid parameter. */
function parameterReason({ code, text }: Refusal): GroupRefusal | undefined {
  if (code !== 100) return undefined;
  if (/title/i.test(text)) return "bad_name";
  if (/user_id|member_id/i.test(text)) return "unknown_person";
  if (/photo|file/i.test(text)) return "bad_picture";
  return /chat_id|peer_id/i.test(text) ? "not_found" : undefined;
}
