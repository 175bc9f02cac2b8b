import { Long, type tl } from "@mtcute/core";
import {
  type Group,
  type GroupMember,
  type GroupRole,
  MAX_GROUP_MEMBERS,
} from "../../../core/transport/groups.ts";
import { refusalIn } from "../errors.ts";
import { chatIdOf, peerOf, readKnown } from "../inbound/update.ts";
import { toPlain } from "../library/plain.ts";
import { ask, type Line } from "../line.ts";
import { type Known, personOf, usernameOf } from "../people/names.ts";
import { findTarget } from "../people/recipients.ts";
import { groupRefused } from "./refusals.ts";

/** The most members of a page (channels.getParticipants). */
const PAGE = 200;

/** A group as an input of requests. */
export type InputGroup =
  | { readonly kind: "chat"; readonly chatId: number }
  | { readonly kind: "channel"; readonly channel: tl.RawInputChannel };

/** Throws `GroupRefused` if the chat id is not that of a group which the account knows. */
export async function findGroup(line: Line, chatId: string, signal: AbortSignal): Promise<InputGroup> {
  const kind = peerOf(chatId)?.kind;
  if (kind === undefined || kind === "user") throw groupRefused("not_found");
  const { peer } = await findTarget(line, { chatType: "telegroup", chatId }, signal).catch(
    (error: unknown) => {
      throw refusalIn(error) === null && isNobody(error) ? groupRefused("not_found") : error;
    },
  );
  if (peer._ === "inputPeerChat") return { kind: "chat", chatId: peer.chatId };
  if (peer._ === "inputPeerChannel") return { kind: "channel", channel: { ...peer, _: "inputChannel" } };
  throw groupRefused("not_found");
}

function isNobody(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === "BAD_CONTACT";
}

/** Throws `GroupRefused`, and what the library throws. */
export async function readGroup(line: Line, chatId: string, signal: AbortSignal): Promise<Group> {
  const group = await findGroup(line, chatId, signal);
  return group.kind === "chat" ? readSmall(line, group.chatId, signal) : readSuper(line, group, signal);
}

async function readSmall(line: Line, chatId: number, signal: AbortSignal): Promise<Group> {
  const { fullChat, chats, users } = await ask(line, { _: "messages.getFullChat", chatId }, signal);
  const chat = chats.find(({ id }) => id === chatId);
  if (chat?._ !== "chat" || fullChat._ !== "chatFull") throw groupRefused("not_a_member");
  const { participants } = fullChat;
  if (participants._ !== "chatParticipants") throw groupRefused("not_a_member");
  const known = knownOf(users);
  const members = participants.participants.map((each) =>
    memberOf(line, { id: String(each.userId), known, role: smallRole(each) }),
  );
  return { chatId: idOf({ chatId }), name: chat.title, size: members.length, members };
}

function smallRole({ _: kind }: tl.TypeChatParticipant): GroupRole {
  if (kind === "chatParticipantCreator") return "owner";
  return kind === "chatParticipantAdmin" ? "admin" : "member";
}

async function readSuper(
  line: Line,
  { channel }: Extract<InputGroup, { kind: "channel" }>,
  signal: AbortSignal,
): Promise<Group> {
  const { fullChat, chats } = await ask(line, { _: "channels.getFullChannel", channel }, signal);
  const { channelId } = channel;
  const chat = chats.find(({ id }) => id === channelId);
  if (chat?._ !== "channel" || fullChat._ !== "channelFull") throw groupRefused("not_a_member");
  if (chat.broadcast === true) throw groupRefused("not_found");
  if (chat.left === true) throw groupRefused("not_a_member");
  const members = await readMembers(line, channel, signal);
  const size = Math.max(fullChat.participantsCount ?? 0, members.length);
  return { chatId: idOf({ channelId }), name: chat.title, size, members };
}

/** All that Telegram shows: a group may hide its members from those who are not administrators. */
async function readMembers(
  line: Line,
  channel: tl.RawInputChannel,
  signal: AbortSignal,
): Promise<GroupMember[]> {
  const members = new Map<string, GroupMember>();
  for (let offset = 0; offset < MAX_GROUP_MEMBERS; offset += PAGE) {
    const page = await ask(line, requestPage(channel, offset), signal).catch((error: unknown) => {
      if (refusalIn(error)?.text === "CHAT_ADMIN_REQUIRED") return null;
      throw error;
    });
    if (page?._ !== "channels.channelParticipants" || page.participants.length === 0) break;
    const known = knownOf(page.users);
    for (const each of page.participants) {
      const member = superMember(line, each, known);
      if (member !== undefined) members.set(member.id, member);
    }
    if (offset + page.participants.length >= page.count) break;
  }
  return [...members.values()].slice(0, MAX_GROUP_MEMBERS);
}

function requestPage(channel: tl.RawInputChannel, offset: number): tl.channels.RawGetParticipantsRequest {
  const filter = { _: "channelParticipantsRecent" } as const;
  return { _: "channels.getParticipants", channel, filter, offset, limit: PAGE, hash: Long.ZERO };
}

function superMember(
  line: Line,
  participant: tl.TypeChannelParticipant,
  known: Known,
): GroupMember | undefined {
  const role = roleIn(participant);
  const id = "userId" in participant ? String(participant.userId) : chatIdOfPeer(participant);
  return role === null || id === undefined ? undefined : memberOf(line, { id, known, role });
}

/** Null: no longer a member. */
export function roleIn(participant: tl.TypeChannelParticipant): GroupRole | null {
  switch (participant._) {
    case "channelParticipantCreator":
      return "owner";
    case "channelParticipantAdmin":
      return "admin";
    case "channelParticipantLeft":
      return null;
    case "channelParticipantBanned":
      return participant.left === true ? null : "member";
    default:
      return "member";
  }
}

function chatIdOfPeer(participant: { readonly peer: tl.TypePeer }): string | undefined {
  const { peer } = participant;
  return peer._ === "peerUser" ? chatIdOf({ userId: String(peer.userId) }) : undefined;
}

function memberOf(
  line: Pick<Line, "selfId">,
  { id, known, role }: { readonly id: string; readonly known: Known; readonly role: GroupRole },
): GroupMember {
  const { name, phone } = personOf(id, known);
  const username = usernameOf(known.get(id));
  return {
    id,
    name: name === id ? "" : name,
    ...(username !== undefined && { username }),
    ...(phone !== undefined && { phone }),
    role,
    ...(id === line.selfId && { isOwn: true as const }),
  };
}

/** Members of a group that was just created, from what is stored about them. */
export async function membersOf(
  line: Line,
  people: readonly { readonly id: string; readonly role: GroupRole }[],
): Promise<GroupMember[]> {
  const known = new Map<string, NonNullable<Awaited<ReturnType<Line["book"]["who"]>>>>();
  for (const { id } of people) {
    const who = await line.book.who(id);
    if (who !== undefined) known.set(id, who);
  }
  return people.map((each) => memberOf(line, { ...each, known }));
}

function knownOf(users: readonly tl.TypeUser[]): Known {
  const entries = users.flatMap((user) => {
    const who = readKnown(toPlain(user));
    return who === undefined ? [] : [[String(user.id), who] as const];
  });
  return new Map(entries);
}

/** The chat id that the messages of the group have. */
export function idOf(peer: { readonly chatId: number } | { readonly channelId: number }): string {
  const id = "chatId" in peer ? { chatId: String(peer.chatId) } : { channelId: String(peer.channelId) };
  const chatId = chatIdOf(id);
  if (chatId === undefined) throw groupRefused("not_found");
  return chatId;
}
