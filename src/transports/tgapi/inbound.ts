import type { InboundMessage, MessageBody, MessageRef, TransportEvent } from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign/foreign-date.ts";
import { isJson, itemsIn, objectIn, required } from "../kit/json.ts";
import { type Reading, toBodies } from "./inbound/body.ts";
import { fromAdminUpdate, fromGroupNotice } from "./inbound/group-notice.ts";
import { noticeOf } from "./inbound/notices.ts";
import { fromReactions } from "./inbound/reactions.ts";
import { chatIdOf, readKnown, readUpdate, soundId, type TgMessage, type TgUpdate } from "./inbound/update.ts";
import { storyAddress, textOf } from "./inbound/words.ts";
import type { Plain } from "./library/plain.ts";
import { chatTypeOf, contactOf, idOfKnown, type Known, nameOf, personOf } from "./people/names.ts";

/**
 * One update with the data required to map it: the people and chats it names, and for deletions, which lack their
 * chat, the chats of the messages. Plain JSON, so that it can be stored as a dead letter.
 */
export interface Letter {
  readonly update: Plain;
  readonly known: readonly Plain[];
  /** Places by message id; see `placeOf`. */
  readonly places?: Readonly<Record<string, string>>;
}

export interface InboundContext {
  /** The account's own user id. */
  readonly selfId: string;
  /** Used for times that Telegram does not report. */
  readonly now: Date;
}

/** Telegram's service account, which sends login codes (core.telegram.org/api/auth). */
const SERVICE_USER = "777000";

/**
 * Maps an update, in order; types without a counterpart in the interface map to nothing. Throws `Unreadable`. Pure.
 */
export function toEvents(letter: unknown, context: InboundContext): TransportEvent[] {
  const update = required(readUpdate(objectIn(letter, "update")), "update");
  const known = knownOf(letter);
  switch (required(update._, "kind")) {
    case "updateNewMessage":
    case "updateNewChannelMessage":
      return fromMessage(required(update.message, "message"), known, context);
    case "updateEditMessage":
    case "updateEditChannelMessage":
      return fromEdit(required(update.message, "message"), known, context);
    case "updateDeleteMessages":
    case "updateDeleteChannelMessages":
      return fromDeletion(update, objectIn(letter, "places") ?? {}, context);
    case "updateReadHistoryOutbox":
    case "updateReadChannelOutbox":
      return fromRead(update, context);
    case "updateUserTyping":
    case "updateChatUserTyping":
    case "updateChannelUserTyping":
      return fromTyping(update, context);
    case "updateChatParticipantAdmin":
      return fromAdminUpdate(update, known, context.now);
    case "updateMessageReactions":
      return fromReactionUpdate(update, known, context);
    default:
      return [];
  }
}

function fromReactionUpdate(update: TgUpdate, known: Known, context: InboundContext): TransportEvent[] {
  const ref = refOf({ id: update.msgId, peerId: update.peer }, known, context);
  const reactions = required(update.reactions, "reactions");
  return ref === null ? [] : fromReactions(reactions, ref, { ...context, known });
}

function knownOf(letter: unknown): Known {
  const list = isJson(letter) && Array.isArray(letter["known"]) ? itemsIn(letter, "known") : [];
  const entries = list.flatMap((item) => {
    const who = readKnown(item);
    const id = who && idOfKnown(who);
    return who === undefined || id === undefined ? [] : [[id, who] as const];
  });
  return new Map(entries);
}

/** Returns null for anything but a conversation: channels, Telegram's service account, and saved messages. */
function refOf(message: TgMessage, known: Known, { selfId }: InboundContext): MessageRef | null {
  const chatId = required(chatIdOf(message.peerId), "chat");
  const isPost = message.post === true || known.get(chatId)?.broadcast === true;
  if (isPost || chatId === SERVICE_USER || chatId === selfId) return null;
  return { chatType: chatTypeOf(chatId), chatId, externalId: required(soundId(message.id), "message id") };
}

function fromMessage(message: TgMessage, known: Known, context: InboundContext): TransportEvent[] {
  const ref = refOf(message, known, context);
  if (ref === null || message._ === "messageEmpty") return [];
  const reading = readingOf(ref, known);
  if (message._ === "messageService") {
    const news = ref.chatType === "telegroup" ? fromGroupNotice(message, ref, known) : [];
    const notice = news.length > 0 ? null : noticeOf(message, reading);
    if (notice === null) return news;
    const { body, ...more } = notice;
    return messageEvents(message, ref, { known, bodies: [body], more });
  }
  return messageEvents(message, ref, { known, bodies: toBodies(message, reading), more: {} });
}

function readingOf({ chatId, externalId }: MessageRef, known: Known): Reading {
  return { place: { chatId, messageId: externalId }, known };
}

interface Content {
  readonly known: Known;
  readonly bodies: readonly InboundMessage["body"][];
  /** With the first body. */
  readonly more: Pick<InboundMessage, "answers" | "isSystem">;
}

function messageEvents(
  message: TgMessage,
  ref: MessageRef,
  { known, bodies, more }: Content,
): TransportEvent[] {
  const quoted = quotedOf(message, ref, known);
  const common = {
    direction: message.out === true ? ("echo" as const) : ("in" as const),
    sentAt: dateFromUnix(message.date),
    contact: { ...contactOf(ref.chatId, known), ...ownPhone(message, ref) },
    ...senderOf(message, ref, known),
  };
  return bodies.map((body, index) => ({
    kind: "message",
    message: {
      ...partRef(ref, index),
      ...common,
      body,
      ...(index === 0 && { ...more, ...(quoted && { quoted }) }),
    },
  }));
}

/** A message with several files is several messages; all but the first have derived ids. */
function partRef(ref: MessageRef, index: number): MessageRef {
  return index === 0 ? ref : { ...ref, externalId: `${ref.externalId}#${index + 1}` };
}

/** The number that people tell by sharing their own contact. */
function ownPhone({ out, media }: TgMessage, { chatId }: MessageRef): { readonly phone?: string } {
  const isOwn = out !== true && media?._ === "messageMediaContact" && media.userId === chatId;
  const phone = isOwn ? media.phoneNumber?.replace(/\D/g, "") : undefined;
  return phone ? { phone } : {};
}

/** Anonymous administrators and linked channels write as a chat. */
function senderOf(
  { fromId }: TgMessage,
  { chatType, chatId }: MessageRef,
  known: Known,
): Pick<InboundMessage, "sender"> {
  if (chatType !== "telegroup") return {};
  const { id, name } = personOf(chatIdOf(fromId) ?? chatId, known);
  return { sender: { id, name } };
}

/** In a forum topic, every message "replies" to the service message that created the topic. */
function quotedOf(
  { replyTo }: TgMessage,
  { chatId, externalId }: MessageRef,
  known: Known,
): InboundMessage["quoted"] {
  if (replyTo?._ === "messageReplyStoryHeader") return quotedStory(replyTo, known);
  const id = soundId(replyTo?.replyToMsgId);
  const { replyFrom, replyMedia, replyToPeerId, quoteText, quoteEntities } = replyTo ?? {};
  if (replyTo === undefined || (id === undefined && replyFrom === undefined)) return undefined;
  if (replyTo.forumTopic === true && replyTo.replyToTopId === undefined) return undefined;
  const elsewhere = chatIdOf(replyToPeerId);
  const isHere = replyFrom === undefined && (elsewhere === undefined || elsewhere === chatId);
  const part = textOf(quoteText, quoteEntities);
  const media =
    replyMedia &&
    toBodies({ media: replyMedia }, readingOf({ chatType: "telegram", chatId, externalId }, known))[0];
  const body: MessageBody | undefined = part === undefined ? media : { type: "text", text: part };
  const author = replyFrom?.fromName ?? (nameOf(known.get(chatIdOf(replyFrom?.fromId) ?? "")) || undefined);
  return {
    externalId: isHere && id !== undefined ? id : `external:${elsewhere ?? "hidden"}:${id ?? externalId}`,
    ...(body && { body }),
    ...(part !== undefined && { part }),
    ...(author !== undefined && { authorName: author }),
  };
}

function quotedStory(
  { peer, storyId }: NonNullable<TgMessage["replyTo"]>,
  known: Known,
): InboundMessage["quoted"] {
  const author = chatIdOf(peer);
  if (author === undefined || storyId === undefined) return undefined;
  const link = storyAddress(peer, storyId, known);
  const words = link === undefined ? {} : { text: link };
  const name = nameOf(known.get(author));
  return {
    externalId: `story:${author}:${storyId}`,
    body: { type: "unsupported", what: "story", ...words },
    ...(name !== "" && { authorName: name }),
    ...(link !== undefined && { link }),
  };
}

/** Of hidden edits, which Telegram makes itself, only reactions are read. Ignores updates of a live location. */
function fromEdit(message: TgMessage, known: Known, context: InboundContext): TransportEvent[] {
  const ref = refOf(message, known, context);
  if (ref === null || message._ !== "message") return [];
  if (message.editHide === true)
    return message.reactions === undefined
      ? []
      : fromReactions(message.reactions, ref, { ...context, known });
  const at = dateFromUnix(message.editDate ?? message.date, context.now);
  return toBodies(message, readingOf(ref, known))
    .filter(({ type }) => type !== "geo")
    .map((body, index) => ({ kind: "edited", ref: partRef(ref, index), body, at }));
}

/** The most files of a message (core.telegram.org/api/paid-media, api/poll). */
const MAX_PARTS = 20;

/** How the chat of a message is stored; `parts`: how many messages it became here. */
export function placeOf(chatId: string, parts: number): string {
  return parts > 1 ? `${chatId}#${Math.min(parts, MAX_PARTS)}` : chatId;
}

function readPlace(place: string): { readonly chatId: string; readonly parts: number } {
  const [chatId = "", parts = "1"] = place.split("#");
  const count = Number(parts);
  return { chatId, parts: Number.isInteger(count) && count > 0 ? Math.min(count, MAX_PARTS) : 1 };
}

/**
 * A message without a stored chat was never emitted, so its deletion is ignored. Supergroups name the chat; for them, only
 * messages that became several are stored.
 */
function fromDeletion(
  update: TgUpdate,
  places: Readonly<Record<string, unknown>>,
  { now: at }: InboundContext,
): TransportEvent[] {
  const channel = update._ === "updateDeleteChannelMessages";
  const chat = channel ? required(chatIdOf({ channelId: update.channelId }), "chat") : undefined;
  const ids = (update.messages ?? []).flatMap((id) => soundId(id) ?? []);
  if (ids.length === 0) required(undefined, "deleted message");
  return ids.flatMap((externalId) => {
    const place = places[externalId] ?? chat;
    if (typeof place !== "string" || place === "") return [];
    const { chatId, parts } = readPlace(place);
    const ref = { chatType: chatTypeOf(chatId), chatId, externalId };
    return Array.from({ length: parts }, (_, index) => ({ kind: "deleted", ref: partRef(ref, index), at }));
  });
}

function fromRead(update: TgUpdate, { now: at, selfId }: InboundContext): TransportEvent[] {
  const isChannel = update._ === "updateReadChannelOutbox";
  const chatId = chatIdOf(isChannel ? { channelId: update.channelId } : update.peer);
  const externalId = required(soundId(update.maxId), "message id");
  if (required(chatId, "chat") === selfId || chatId === undefined) return [];
  return [{ kind: "readUpTo", chatType: chatTypeOf(chatId), chatId, upTo: { externalId }, at }];
}

/** Type `SendMessageAction`: it lasts for six seconds unless it is repeated (core.telegram.org/constructor/updateUserTyping). */
function fromTyping(
  { userId, chatId: group, channelId, fromId, action }: TgUpdate,
  { selfId }: InboundContext,
): TransportEvent[] {
  const chatId = chatIdOf({ userId, chatId: group, channelId });
  const isOwn = required(chatId, "chat") === selfId || chatIdOf(fromId) === selfId;
  if (chatId === undefined || isOwn || action?._ !== "sendMessageTypingAction") return [];
  return [{ kind: "typing", chatType: chatTypeOf(chatId), chatId, seconds: 6 }];
}

/** The chat ids of all people and chats that an update names, whose stored data it needs. */
export function namedIn(update: Plain): string[] {
  const { message, peer, reactions, chatId, userId, channelId } = readUpdate(update) ?? {};
  const { peerId, fromId, action, media, replyTo } = message ?? {};
  const ids = [
    chatIdOf(media?.peer),
    ...[...(media?.channels ?? []), media?.channelId].map((id) => chatIdOf({ channelId: id })),
    ...(media?.winners ?? []).map((id) => chatIdOf({ userId: id })),
    chatIdOf(replyTo?.peer),
    chatIdOf(replyTo?.replyFrom?.fromId),
    chatIdOf(peerId),
    chatIdOf(fromId),
    chatIdOf(peer),
    ...[reactions, message?.reactions].flatMap((each) =>
      (each?.recentReactions ?? []).map(({ peerId: reactor }) => chatIdOf(reactor)),
    ),
    ...(action?.users ?? []).map((user) => chatIdOf({ userId: user })),
    chatIdOf({ userId: action?.userId }),
    chatIdOf({ chatId }),
    chatIdOf({ userId }),
    chatIdOf({ channelId }),
  ];
  return [...new Set(ids.filter((id) => id !== undefined))];
}

/** The ids of messages whose place must be looked up; `channelId`: of a supergroup. */
export function unplacedIn(update: Plain): { readonly ids: readonly string[]; readonly channelId?: number } {
  const { _: kind, messages = [], channelId } = readUpdate(update) ?? {};
  if (kind === "updateDeleteMessages") return { ids: messages };
  if (kind !== "updateDeleteChannelMessages" || channelId === undefined) return { ids: [] };
  return { ids: messages, channelId: Number(channelId) };
}
