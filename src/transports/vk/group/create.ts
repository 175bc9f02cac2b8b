import type { CreatedGroup, GroupMember, NewGroup, PersonOutcome } from "../../../core/transport/groups.ts";
import { fields, integerText, listOf, present, text } from "../../../platform/foreign/foreign-json.ts";
import { unreadable } from "../../kit/no-response.ts";
import { type Community, ownProfile } from "../community.ts";
import { Refusal } from "../errors.ts";
import { CHAT_OFFSET } from "../inbound.ts";
import { fullName } from "./read.ts";
import { groupRefused } from "./refusals.ts";
import { reportChange } from "./report.ts";

const readUsers = listOf(
  fields({ id: integerText, first_name: text, last_name: text, screen_name: text, deactivated: present }),
);
type User = NonNullable<ReturnType<typeof readUsers>>[number];
const readCreated = fields({ chat_id: integerText, peer_ids: listOf(integerText) });
const readLink = fields({ link: text });

interface Created {
  readonly chatId: string;
  readonly added: ReadonlySet<string>;
}

/**
 * Creates a chat that belongs to the community. VK names those whom it added; the others can join by the chat's link,
 * which is given with them (dev.vk.com, `messages.createChat`, `messages.getInviteLink`).
 */
export async function createChat(
  community: Community,
  { name, people }: NewGroup,
  signal: AbortSignal,
): Promise<CreatedGroup> {
  const ids = people.map((person) => ("id" in person && isPerson(person.id) ? person.id : undefined));
  const wanted = ids.filter((id) => id !== undefined);
  const { chatId, added } = await create(community, { name, ids: wanted }, signal);
  const own = await ownProfile(community.client, signal);
  // What follows is an ornament: the chat exists.
  const users = await usersOf(community, wanted, signal).catch(() => null);
  const isLeftOut = wanted.some((id) => !added.has(id));
  const link = isLeftOut ? await linkOf(community, chatId, signal) : undefined;
  await reportChange(community, { peerId: chatId, own, change: { title: name } });
  const members: GroupMember[] = [
    { id: `-${own.messengerId}`, name: own.name, role: "owner", isOwn: true },
    ...wanted.filter((id) => added.has(id)).map((id) => memberOf(id, users?.get(id) ?? {})),
  ];
  return {
    group: { chatId, name, size: members.length, members },
    people: people.map((person, index): PersonOutcome => {
      const id = ids[index];
      if (id === undefined) return { person, result: "unknown" };
      if (added.has(id)) return { person, id, result: "done" };
      if (users !== null && !users.has(id)) return { person, result: "unknown" };
      return { person, id, result: "invitation_needed", ...(link !== undefined && { data: link }) };
    }),
  };
}

/** VK refuses the whole chat because of an id that does not exist; then it is created without. */
async function create(
  community: Community,
  { name, ids }: { readonly name: string; readonly ids: readonly string[] },
  signal: AbortSignal,
): Promise<Created> {
  if (ids.length === 0) throw groupRefused("nobody_added");
  try {
    return await createNow(community, { name, ids }, signal);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== NO_CONTACT) throw error;
    const users = await usersOf(community, ids, signal);
    const existing = ids.filter((id) => users.has(id));
    if (existing.length === 0) throw groupRefused("nobody_added");
    if (existing.length === ids.length) throw error;
    return createNow(community, { name, ids: existing }, signal);
  }
}

/** "Contact not found" (dev.vk.com, `messages.createChat`). */
const NO_CONTACT = 936;

async function createNow(
  { client }: Community,
  { name, ids }: { readonly name: string; readonly ids: readonly string[] },
  signal: AbortSignal,
): Promise<Created> {
  const request = { user_ids: ids.join(","), title: name };
  const created = readCreated(await client.call("messages.createChat", request, signal));
  if (created?.chat_id === undefined) throw unreadable(200, "VK", false);
  const chatId = String(CHAT_OFFSET + Number(created.chat_id));
  return { chatId, added: new Set(created.peer_ids ?? ids) };
}

function isPerson(id: string): boolean {
  return /^[1-9]\d{0,15}$/.test(id) && Number(id) < CHAT_OFFSET;
}

/** Those who exist. */
async function usersOf(
  { client }: Community,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, User>> {
  const params = { user_ids: ids.join(","), fields: "screen_name" };
  const users = readUsers(await client.call("users.get", params, signal)) ?? [];
  return new Map(
    users.flatMap((user) => (user.id === undefined || user.deactivated ? [] : [[user.id, user]])),
  );
}

async function linkOf(
  { client }: Community,
  peerId: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const answer = await client
    .call("messages.getInviteLink", { peer_id: peerId }, signal)
    .catch(() => undefined);
  return readLink(answer)?.link;
}

function memberOf(id: string, user: Omit<User, "id">): GroupMember {
  const { screen_name: username } = user;
  return { id, name: fullName(user), ...(username !== undefined && { username }), role: "member" };
}
