import { attachShape } from "./attach/attach.ts";
import type { Media } from "./media/store.ts";
import type { Account } from "./world/account.ts";
import type { Chat, Link, Message } from "./world/chat.ts";
import type { World } from "./world/world.ts";

type Shape = Readonly<Record<string, unknown>>;

/** A person in the protocol's format, with the phone number. */
export function contactShape(world: World, account: Account): Shape {
  const { id, phone, firstName, lastName, name, updatedMs, photoToken } = account;
  const photo = photoOf(world, photoToken);
  const picture = photo && {
    baseUrl: world.media.photoUrl(photo),
    baseRawUrl: world.media.photoUrl(photo),
    photoId: photo.id,
  };
  return {
    id,
    phone: Number(phone),
    names: [{ name, firstName, lastName, type: "ONEME" }],
    options: ["TT", "ONEME"],
    accountStatus: 0,
    updateTime: updatedMs,
    ...picture,
  };
}

function photoOf(world: World, token: string | undefined): Media | undefined {
  return token === undefined ? undefined : world.media.byToken(token);
}

/** The chat as sent to this person's clients. */
export function chatShape(world: World, chat: Chat, viewer: Account): Shape {
  const [last] = visibleFrom(chat, viewer, { at: chat.messages.length - 1, step: -1, count: 1 });
  const own = chat.participants.get(viewer.id);
  const marks = [...chat.participants].map(([id, { mark }]) => [String(id), mark]);
  return {
    id: chat.id,
    type: chat.type,
    status: own ? "ACTIVE" : "REMOVED",
    owner: chat.owner,
    participants: Object.fromEntries(marks),
    participantsCount: chat.participants.size,
    lastEventTime: chat.lastEventTime,
    created: chat.createdMs,
    modified: chat.modifiedMs,
    joinTime: own?.joinedMs ?? 0,
    newMessages: own ? chat.unread(viewer.id) : 0,
    ...(last && { lastMessage: messageShape(world, last, viewer) }),
    ...(chat.type === "CHAT" && groupShape(world, chat)),
  };
}

function groupShape(world: World, { title, description, link, admins, photoToken }: Chat): Shape {
  const photo = photoOf(world, photoToken);
  const picture = photo && {
    baseIconUrl: world.media.photoUrl(photo),
    baseRawIconUrl: world.media.photoUrl(photo),
  };
  const adminParticipants = Object.fromEntries(
    [...admins].map((id) => [String(id), { id, permissions: 255 }]),
  );
  return {
    ...{ title, description, link, access: "PRIVATE", admins: [...admins], adminParticipants },
    ...picture,
  };
}

/** Whether this person still sees the message. */
export function isVisible({ status, hiddenFor }: Message, { id }: Account): boolean {
  return status !== "REMOVED" && !hiddenFor.has(id);
}

/** The first `count` messages that a person sees from a position on, in the direction of `step`. */
export function visibleFrom(
  { messages }: Chat,
  viewer: Account,
  { at, step, count }: { at: number; step: 1 | -1; count: number },
): Message[] {
  const found: Message[] = [];
  for (let index = at; found.length < count; index += step) {
    const message = messages[index];
    if (!message) break;
    if (isVisible(message, viewer)) found.push(message);
  }
  return found;
}

/** A message as sent to this person's clients; `cid` only if it is their own. */
export function messageShape(world: World, message: Message, viewer: Account): Shape {
  const { id, time, sender, text, elements, status, updateTime, cid, link, reactions } = message;
  return {
    id,
    time,
    type: "USER",
    sender,
    text,
    ...(elements.length > 0 && { elements }),
    attaches: message.attaches.map((attach) => attachShape(world.media, attach)),
    ...(cid !== undefined && sender === viewer.id && { cid }),
    ...(status && { status }),
    ...(updateTime !== undefined && { updateTime }),
    ...(link && { link: linkShape(world, link, viewer) }),
    ...(reactions.size > 0 && { reactionInfo: reactionShape(message, viewer) }),
  };
}

/** The quoted or forwarded message in its present state; empty if it was deleted. */
function linkShape(world: World, link: Link, viewer: Account): Shape {
  const chat = world.chats.get(link.chatId === 0 ? `0:${viewer.id}` : String(link.chatId));
  const message = chat?.message(link.messageId);
  if (!chat || !message || message.status === "REMOVED")
    return { type: link.type, messageId: link.messageId };
  const { id, time, sender, text } = message;
  const attaches = message.attaches.map((attach) => attachShape(world.media, attach));
  const quoted = { id, time, type: "USER", sender, text, attaches };
  return link.type === "REPLY"
    ? { type: "REPLY", message: quoted }
    : { type: "FORWARD", chatId: link.chatId, message: quoted };
}

/** The number of each reaction; `yourReaction` only for those who reacted. */
export function reactionShape({ reactions }: Message, viewer: Account): Shape {
  const counts = new Map<string, number>();
  for (const reaction of reactions.values()) counts.set(reaction, (counts.get(reaction) ?? 0) + 1);
  const yourReaction = reactions.get(viewer.id);
  return {
    counters: [...counts].map(([reaction, count]) => ({ count, reaction })),
    totalCount: reactions.size,
    ...(yourReaction !== undefined && { yourReaction }),
  };
}
