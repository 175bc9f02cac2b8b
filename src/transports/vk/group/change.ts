import type { OutboundFile } from "../../../core/transport/connector.ts";
import type {
  GroupChange,
  GroupPersonName,
  PersonOutcome,
  PersonResult,
} from "../../../core/transport/groups.ts";
import { fields, text } from "../../../platform/foreign/foreign-json.ts";
import { type Community, ownProfile } from "../community.ts";
import { Refusal } from "../errors.ts";
import { uploadChatPhoto } from "../uploads.ts";
import { findChat, membersOf, type VkChat } from "./chat.ts";
import { roleOf } from "./read.ts";
import { groupRefused } from "./refusals.ts";
import { reportChange } from "./report.ts";

const readPhoto = fields({ chat: fields({ photo_200: text }) });

/** `add`, `promote` and `demote` are not for communities (dev.vk.com, `messages.addChatUser`). */
export async function changeChat(
  community: Community,
  peerId: string,
  { change, signal }: { readonly change: GroupChange; readonly signal: AbortSignal },
): Promise<readonly PersonOutcome[]> {
  const chat = await findChat(community, peerId, signal);
  switch (change.kind) {
    case "rename":
      return rename(community, chat, { title: change.name, signal });
    case "picture":
      return setPicture(community, chat, { picture: change.picture, signal });
    case "remove":
      return removePeople(community, chat, { people: change.people, signal });
    default:
      throw groupRefused("refused", "not available to communities");
  }
}

async function rename(
  community: Community,
  { chatId, peerId }: VkChat,
  { title, signal }: { readonly title: string; readonly signal: AbortSignal },
): Promise<[]> {
  await community.client.call("messages.editChat", { chat_id: chatId, title }, signal);
  const own = await ownProfile(community.client, signal);
  await reportChange(community, { peerId, own, change: { title } });
  return [];
}

async function setPicture(
  community: Community,
  { chatId, peerId }: VkChat,
  { picture, signal }: { readonly picture: OutboundFile | null; readonly signal: AbortSignal },
): Promise<[]> {
  const { client } = community;
  const own = await ownProfile(client, signal);
  if (picture === null) {
    await client.call("messages.deleteChatPhoto", { chat_id: chatId }, signal);
    await reportChange(community, { peerId, own, change: { picture: null } });
    return [];
  }
  const file = await uploadChatPhoto(client, { chatId, file: picture }, signal);
  const url = readPhoto(await client.call("messages.setChatPhoto", { file }, signal))?.chat?.photo_200;
  if (url !== undefined) await reportChange(community, { peerId, own, change: { picture: { token: url } } });
  return [];
}

/** The most people of a chat (VK's rules for chats). */
const MOST_MEMBERS = 10_000;
/** "User not found in chat" (dev.vk.com, `messages.removeChatUser`). */
const NOT_IN_CHAT = 935;

interface Removal {
  readonly people: readonly GroupPersonName[];
  readonly signal: AbortSignal;
}

/** One call each. A refusal of the chat or the key ends it; if others were removed before, it is theirs who are left. */
async function removePeople(
  community: Community,
  chat: VkChat,
  { people, signal }: Removal,
): Promise<readonly PersonOutcome[]> {
  const { messengerId } = await ownProfile(community.client, signal);
  const found = await membersOf(community, chat, { most: MOST_MEMBERS, signal });
  if (found === null) throw groupRefused("not_an_admin");
  const roles = new Map((found.items ?? []).map((each) => [each.member_id, roleOf(each)]));
  const outcomes: PersonOutcome[] = [];
  let ended: string | undefined;
  for (const person of people) {
    const id = "id" in person ? person.id : "";
    const settled = settledResult(roles.get(id), id === `-${messengerId}`);
    if (settled !== null) outcomes.push({ person, id, result: settled });
    else if (ended !== undefined) outcomes.push({ person, id, result: "refused", data: ended });
    else {
      const result = await removeOne(community, chat, id, signal).catch((error: unknown) => {
        const hadEffect = outcomes.some((each) => each.result === "done");
        if (!(error instanceof Refusal) || !hadEffect) throw error;
        ended = `${error.code}: ${error.text}`;
        return "refused" as const;
      });
      outcomes.push({ person, id, result, ...(ended !== undefined && { data: ended }) });
    }
  }
  return outcomes;
}

/** The result if nothing has to be asked of VK; null otherwise. */
function settledResult(role: ReturnType<typeof roleOf> | undefined, isOwn: boolean): PersonResult | null {
  if (isOwn || role === "owner") return "protected";
  return role === undefined ? "not_a_member" : null;
}

async function removeOne(
  { client }: Community,
  { chatId }: VkChat,
  id: string,
  signal: AbortSignal,
): Promise<PersonResult> {
  try {
    await client.call("messages.removeChatUser", { chat_id: chatId, member_id: id }, signal);
    return "done";
  } catch (error) {
    if (error instanceof Refusal && error.code === NOT_IN_CHAT) return "not_a_member";
    throw error;
  }
}
