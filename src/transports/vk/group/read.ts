import { type Group, type GroupMember, MAX_GROUP_MEMBERS } from "../../../core/transport/groups.ts";
import { type Community, ownProfile } from "../community.ts";
import { findChat, membersOf, type VkMember, type VkMembers } from "./chat.ts";

/** Of a chat that the community does not administer, VK may show the community alone. */
export async function readChat(community: Community, chatId: string, signal: AbortSignal): Promise<Group> {
  const chat = await findChat(community, chatId, signal);
  const profile = await ownProfile(community.client, signal);
  const ownId = `-${profile.messengerId}`;
  const found = await membersOf(community, chat, { most: MAX_GROUP_MEMBERS, signal });
  const alone: GroupMember = { id: ownId, name: profile.name, role: "member", isOwn: true };
  const members =
    found === null ? [alone] : (found.items ?? []).flatMap((each) => memberOf(each, found, ownId) ?? []);
  const size = Math.max(chat.size, found?.count ?? 0, members.length);
  return { chatId, name: chat.title, size, members: members.slice(0, MAX_GROUP_MEMBERS) };
}

function memberOf(member: VkMember, all: VkMembers, ownId: string): GroupMember | undefined {
  const { member_id: id } = member;
  if (id === undefined) return undefined;
  const person = all.profiles?.find((each) => each.id === id);
  const group = all.groups?.find((each) => `-${each.id}` === id);
  const username = person?.screen_name ?? group?.screen_name;
  return {
    id,
    name: group?.name ?? fullName(person),
    ...(username !== undefined && { username }),
    role: roleOf(member),
    ...(id === ownId && { isOwn: true as const }),
  };
}

export function roleOf({ is_owner, is_admin }: VkMember): GroupMember["role"] {
  if (is_owner === true) return "owner";
  return is_admin === true ? "admin" : "member";
}

/** "" if it is unknown. */
export function fullName({
  first_name,
  last_name,
}: {
  readonly first_name?: string | undefined;
  readonly last_name?: string | undefined;
} = {}): string {
  return [first_name, last_name].filter(Boolean).join(" ");
}
