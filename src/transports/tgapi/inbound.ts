import type { InboundMessage, MessageRef, TransportEvent } from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign/foreign-date.ts";
import { isJson, itemsIn, objectIn, required } from "../kit/json.ts";
import { toBody } from "./inbound/body.ts";
import { fromAdminUpdate, fromGroupNotice } from "./inbound/group-notice.ts";
import { chatIdOf, readKnown, readUpdate, soundId, type TgMessage, type TgUpdate } from "./inbound/update.ts";
import type { Plain } from "./library/plain.ts";
import { chatTypeOf, contactOf, idOfKnown, type Known, personOf } from "./people/names.ts";

/**
 * One update with the data required to map it: the people and chats it names, and for deletions, which lack their
 * chat, the chats of the messages. Plain JSON, so that it can be stored as a dead letter.
 */
export interface Letter {
  readonly update: Plain;
  readonly known: readonly Plain[];
  /** Chat ids by message id. */
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
      return fromDeletion(update, objectIn(letter, "places") ?? {}, context);
    case "updateDeleteChannelMessages":
      return fromDeletion(update, {}, context);
    case "updateReadHistoryOutbox":
    case "updateReadChannelOutbox":
      return fromRead(update, context);
    case "updateChatParticipantAdmin":
      return fromAdminUpdate(update, known, context.now);
    default:
      return [];
  }
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
  if (message._ === "messageService") {
    if (isMissedCall(message)) return [messageEvent(message, ref, { known, body: { type: "missing_call" } })];
    return ref.chatType === "telegroup" ? fromGroupNotice(message, ref, known) : [];
  }
  const body = toBody(message, { chatId: ref.chatId, messageId: ref.externalId });
  return [messageEvent(message, ref, { known, body })];
}

function messageEvent(
  message: TgMessage,
  ref: MessageRef,
  { known, body }: { readonly known: Known; readonly body: InboundMessage["body"] },
): TransportEvent {
  const quoted = quotedOf(message, ref);
  return {
    kind: "message",
    message: {
      ...ref,
      direction: message.out === true ? "echo" : "in",
      sentAt: dateFromUnix(message.date),
      contact: { ...contactOf(ref.chatId, known), ...ownPhone(message, ref) },
      ...senderOf(message, ref, known),
      body,
      ...(quoted && { quoted }),
    },
  };
}

/** The number that people tell by sharing their own contact. */
function ownPhone({ out, media }: TgMessage, { chatId }: MessageRef): { readonly phone?: string } {
  const isOwn = out !== true && media?._ === "messageMediaContact" && media.userId === chatId;
  const phone = isOwn ? media.phoneNumber?.replace(/\D/g, "") : undefined;
  return phone ? { phone } : {};
}

function isMissedCall({ out, action }: TgMessage): boolean {
  const isMissed = action?.reason?._ === "phoneCallDiscardReasonMissed";
  return out !== true && action?._ === "messageActionPhoneCall" && isMissed;
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
function quotedOf({ replyTo }: TgMessage, { chatId }: MessageRef): InboundMessage["quoted"] {
  if (replyTo?._ === "messageReplyStoryHeader") return quotedStory(replyTo);
  const id = soundId(replyTo?.replyToMsgId);
  if (replyTo === undefined || id === undefined) return undefined;
  if (replyTo.forumTopic === true && replyTo.replyToTopId === undefined) return undefined;
  const elsewhere = chatIdOf(replyTo.replyToPeerId);
  const { quoteText } = replyTo;
  return {
    externalId: elsewhere === undefined || elsewhere === chatId ? id : `external:${elsewhere}:${id}`,
    ...(quoteText !== undefined && { body: { type: "text", text: quoteText }, part: quoteText }),
  };
}

function quotedStory({ peer, storyId }: NonNullable<TgMessage["replyTo"]>): InboundMessage["quoted"] {
  const author = chatIdOf(peer);
  if (author === undefined || storyId === undefined) return undefined;
  return { externalId: `story:${author}:${storyId}`, body: { type: "unsupported", what: "story" } };
}

/** Ignores hidden edits, which Telegram makes itself, for example for a reaction, and updates of a live location. */
function fromEdit(message: TgMessage, known: Known, context: InboundContext): TransportEvent[] {
  const ref = refOf(message, known, context);
  if (ref === null || message._ !== "message" || message.editHide === true) return [];
  const body = toBody(message, { chatId: ref.chatId, messageId: ref.externalId });
  if (body.type === "geo") return [];
  return [{ kind: "edited", ref, body, at: dateFromUnix(message.editDate ?? message.date, context.now) }];
}

/** A message without a stored chat was never emitted, so its deletion is ignored. */
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
    const chatId = chat ?? places[externalId];
    if (typeof chatId !== "string" || chatId === "") return [];
    return [{ kind: "deleted", ref: { chatType: chatTypeOf(chatId), chatId, externalId }, at }];
  });
}

function fromRead(update: TgUpdate, { now: at, selfId }: InboundContext): TransportEvent[] {
  const isChannel = update._ === "updateReadChannelOutbox";
  const chatId = chatIdOf(isChannel ? { channelId: update.channelId } : update.peer);
  const externalId = required(soundId(update.maxId), "message id");
  if (required(chatId, "chat") === selfId || chatId === undefined) return [];
  return [{ kind: "readUpTo", chatType: chatTypeOf(chatId), chatId, upTo: { externalId }, at }];
}

/** The chat ids of all people and chats that an update names, whose stored data it needs. */
export function namedIn(update: Plain): string[] {
  const { message, chatId, userId, channelId } = readUpdate(update) ?? {};
  const { peerId, fromId, action } = message ?? {};
  const ids = [
    chatIdOf(peerId),
    chatIdOf(fromId),
    ...(action?.users ?? []).map((user) => chatIdOf({ userId: user })),
    chatIdOf({ userId: action?.userId }),
    chatIdOf({ chatId }),
    chatIdOf({ userId }),
    chatIdOf({ channelId }),
  ];
  return [...new Set(ids.filter((id) => id !== undefined))];
}

/** The ids of messages whose chat must be looked up. */
export function unplacedIn(update: Plain): readonly string[] {
  const { _: kind, messages } = readUpdate(update) ?? {};
  return kind === "updateDeleteMessages" ? (messages ?? []) : [];
}
