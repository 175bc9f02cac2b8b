import { fields, flag, integerText, listOf, number, text } from "../../../platform/foreign/foreign-json.ts";
import type { Community } from "../community.ts";
import { Refusal } from "../errors.ts";
import { CHAT_OFFSET, isGroupChat } from "../inbound.ts";
import { groupRefused } from "./refusals.ts";

const readChats = fields({
  items: listOf(
    fields({
      peer: fields({ id: integerText }),
      chat_settings: fields({ title: text, state: text, members_count: number }),
    }),
  ),
});

/** A chat in which the community is a member. */
export interface VkChat {
  readonly peerId: string;
  /** The chat's number in requests for changes. */
  readonly chatId: number;
  readonly title: string;
  readonly size: number;
}

/** Throws `GroupRefused` if the community has no such chat or is no member, and what the client throws. */
export async function findChat({ client }: Community, peerId: string, signal: AbortSignal): Promise<VkChat> {
  if (!isGroupChat(peerId)) throw groupRefused("not_found");
  const answer = await client.call("messages.getConversationsById", { peer_ids: peerId }, signal);
  const found = readChats(answer)?.items?.find(({ peer }) => peer?.id === peerId);
  if (found === undefined) throw groupRefused("not_found");
  const { title = "", state = "in", members_count = 0 } = found.chat_settings ?? {};
  if (state !== "in") throw groupRefused("not_a_member");
  return { peerId, chatId: Number(peerId) - CHAT_OFFSET, title, size: members_count };
}

const readMembers = fields({
  count: number,
  items: listOf(fields({ member_id: integerText, is_owner: flag, is_admin: flag })),
  profiles: listOf(fields({ id: integerText, first_name: text, last_name: text, screen_name: text })),
  groups: listOf(fields({ id: integerText, name: text, screen_name: text })),
});
export type VkMembers = NonNullable<ReturnType<typeof readMembers>>;
export type VkMember = NonNullable<VkMembers["items"]>[number];

/** VK names no maximum; its clients read pages of this size. */
const PAGE = 200;

/** Up to `most` members; null if VK shows them to administrators only, and the community is none. */
export async function membersOf(
  { client }: Community,
  { peerId }: Pick<VkChat, "peerId">,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<Required<VkMembers> | null> {
  const all = { count: 0, items: [] as VkMember[], profiles: [] as object[], groups: [] as object[] };
  for (let offset = 0; offset < most; offset += PAGE) {
    const params = { peer_id: peerId, offset, count: PAGE, fields: "screen_name" };
    const answer = await client
      .call("messages.getConversationMembers", params, signal)
      .catch((error: unknown) => {
        if (error instanceof Refusal && error.code === NO_ACCESS) return null;
        throw error;
      });
    if (answer === null) return null;
    const { items = [], profiles = [], groups = [], count = 0 } = readMembers(answer) ?? {};
    all.count = count;
    all.items.push(...items);
    all.profiles.push(...profiles);
    all.groups.push(...groups);
    if (items.length === 0 || offset + PAGE >= count) break;
  }
  return all;
}

/** "You don't have access to this chat" (dev.vk.com, `messages.getConversationMembers`). */
const NO_ACCESS = 917;
