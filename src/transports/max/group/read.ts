import {
  type Group,
  type GroupMember,
  type GroupRole,
  MAX_GROUP_MEMBERS,
} from "../../../core/transport/groups.ts";
import { fields, integerText, listOf } from "../../../platform/foreign/foreign-json.ts";
import type { Line } from "../outbound/sender.ts";
import { idIn } from "../people/ids.ts";
import { type MaxChat, type MaxContact, nameOf, readChat, readContact } from "../people/profile.ts";
import { OP } from "../wire/opcodes.ts";
import { memberId } from "./people.ts";
import { groupRefused } from "./refusals.ts";

/** The most members of a page in vkmax. */
const PAGE = 500;
const LEFT = new Set(["REMOVED", "LEFT", "LEAVING", "CLOSED"]);

const readChats = fields({ chats: listOf(readChat), chat: readChat });
const readMembers = fields({
  members: listOf(fields({ contact: readContact })),
  marker: integerText,
});

/** A group as MAX describes it. */
export interface MaxGroup {
  readonly chat: MaxChat;
  readonly chatId: bigint;
  /** The user ids of its members; of a large group maybe not all. */
  readonly userIds: readonly string[];
  readonly isComplete: boolean;
}

/** Throws `GroupRefused` if the account has no such group, and what the line throws. */
export async function findGroup(line: Line, id: string): Promise<MaxGroup> {
  const chatId = idIn(id);
  if (chatId === undefined) throw groupRefused("not_found");
  const { chats = [], chat } = readChats(await line.ask(OP.chatInfo, { chatIds: [chatId] })) ?? {};
  const found = [...chats, ...(chat === undefined ? [] : [chat])].find((each) => each.id === String(chatId));
  if (found === undefined || found.type !== "CHAT") throw groupRefused("not_found");
  if (LEFT.has(found.status ?? "")) throw groupRefused("not_a_member");
  line.people.learnChat(found);
  return groupOf(found, chatId);
}

function groupOf(chat: MaxChat, chatId: bigint): MaxGroup {
  const userIds = Object.keys(chat.participants ?? {});
  return { chat, chatId, userIds, isComplete: userIds.length >= (chat.participantsCount ?? 0) };
}

/** The response of a change; null if it does not describe the group. */
export function changedGroup(response: unknown, chatId: bigint): MaxGroup | null {
  const { chat } = readChats(response) ?? {};
  return chat === undefined ? null : groupOf(chat, chatId);
}

export async function readGroup(line: Line, id: string): Promise<Group> {
  const group = await findGroup(line, id);
  const contacts = await readContactsOf(line, group);
  for (const contact of contacts.values()) line.people.learnContact(contact);
  const ids = [...new Set([...contacts.keys(), ...group.userIds])].slice(0, MAX_GROUP_MEMBERS);
  return toGroup(line, group, { userIds: ids, contacts });
}

/** Page by page; a page that cannot be read ends it, because names are an ornament. */
async function readContactsOf(line: Line, { chatId }: MaxGroup): Promise<Map<string, MaxContact>> {
  const contacts = new Map<string, MaxContact>();
  let marker = 0n;
  for (let page = 0; page * PAGE < MAX_GROUP_MEMBERS; page++) {
    const request = { chatId, type: "MEMBER", marker, count: PAGE };
    const { members = [], marker: next } = readMembers(await line.ask(OP.chatMembers, request)) ?? {};
    const before = contacts.size;
    for (const { contact } of members) if (contact?.id !== undefined) contacts.set(contact.id, contact);
    const following = next === undefined ? 0n : (idIn(next) ?? 0n);
    if (following === 0n || contacts.size === before) break;
    marker = following;
  }
  return contacts;
}

interface Members {
  readonly userIds: readonly string[];
  /** Known contacts, by user id. */
  readonly contacts: ReadonlyMap<string, MaxContact>;
}

export function toGroup(line: Line, { chat, chatId }: MaxGroup, { userIds, contacts }: Members): Group {
  return {
    chatId: String(chatId),
    name: chat.title ?? "",
    size: Math.max(chat.participantsCount ?? 0, userIds.length),
    members: userIds.map((userId) => memberOf(line, userId, { chat, contact: contacts.get(userId) })),
  };
}

function memberOf(
  { people }: Line,
  userId: string,
  { chat, contact }: { readonly chat: MaxChat; readonly contact: MaxContact | undefined },
): GroupMember {
  const known = people.personOf(userId);
  const name = contact === undefined ? known.name : nameOf(contact);
  const phone = contact?.phone ?? known.phone;
  return {
    id: memberId(people.self, userId),
    name: name === userId ? "" : name,
    ...(phone !== undefined && { phone }),
    role: roleIn(chat, userId),
    ...(userId === people.self && { isOwn: true as const }),
  };
}

export function roleIn({ owner, admins = [] }: MaxChat, userId: string): GroupRole {
  if (owner === userId) return "owner";
  return admins.includes(userId) ? "admin" : "member";
}
