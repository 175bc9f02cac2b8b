import {
  count,
  fields,
  flag,
  integerText,
  listOf,
  number,
  type Read,
  type Reader,
  text,
} from "../../../platform/foreign/foreign-json.ts";
import { isJson, type Json } from "../../kit/json.ts";

/**
 * The fields of Telegram's objects that the connector uses, in the library's spelling (TL schema,
 * core.telegram.org/schema), as plain JSON (`plain.ts`). Missing or invalid fields are absent.
 */
const peer = fields({ _: text, userId: integerText, chatId: integerText, channelId: integerText });
const geo = fields({ _: text, lat: number, long: number });
const entities = listOf(fields({ _: text, offset: number, length: number, url: text }));
const words = fields({ text, entities });
const objects = listOf<Json>((value) => (isJson(value) ? value : undefined));

const photoSize = fields({ _: text, type: text, w: count, h: count, size: count, sizes: listOf(count) });
const photo = fields({
  _: text,
  id: integerText,
  accessHash: integerText,
  fileReference: text,
  dcId: count,
  sizes: listOf(photoSize),
});
const attribute = fields({
  _: text,
  fileName: text,
  voice: flag,
  roundMessage: flag,
  title: text,
  performer: text,
});
const document = fields({
  _: text,
  id: integerText,
  accessHash: integerText,
  fileReference: text,
  dcId: count,
  mimeType: text,
  size: count,
  attributes: listOf(attribute),
});

const MEDIA = {
  _: text,
  photo,
  document,
  /** Of a live photo. */
  video: document,
  ttlSeconds: number,
  geo,
  title: text,
  address: text,
  phoneNumber: text,
  firstName: text,
  lastName: text,
  vcard: text,
  userId: integerText,
  webpage: fields({ url: text }),
};
/** A file or place inside another content. */
const part = fields(MEDIA);
const extended = fields({ media: part });
const todoItem = fields({ id: integerText, title: words });
const answer = fields({ text: words, media: part });

const media = fields({
  ...MEDIA,
  poll: fields({ question: words, answers: listOf(answer) }),
  results: fields({ solution: text, solutionEntities: entities }),
  attachedMedia: part,
  extendedMedia: (value) => listOf(extended)(Array.isArray(value) ? value : [value]),
  todo: fields({ title: words, list: listOf(todoItem) }),
  completions: listOf(fields({ id: integerText })),
  game: fields({ title: text, description: text }),
  description: text,
  currency: text,
  totalAmount: integerText,
  value: number,
  emoticon: text,
  peer,
  id: integerText,
  story: fields({ caption: text, entities, media: part }),
  prizeDescription: text,
  channels: listOf(integerText),
  channelId: integerText,
  winners: listOf(integerText),
});

const gift = fields({ title: text, slug: text, num: integerText });
const action = fields({
  _: text,
  title: text,
  /** Of a gift code. */
  slug: text,
  users: listOf(integerText),
  userId: integerText,
  inviterId: integerText,
  channelId: integerText,
  chatId: integerText,
  photo,
  reason: fields({ _: text }),
  missed: flag,
  /** A text, or one with entities. */
  message: (value) => (typeof value === "string" ? words({ text: value }) : words(value)),
  gift,
  text,
  data: text,
  list: listOf(todoItem),
  answer,
  rejectComment: text,
  currency: text,
  totalAmount: integerText,
});

const forwarded = fields({ _: text, fromId: peer, fromName: text, savedFromPeer: peer });
const button = fields({ text, url: text, copyText: text });
const reactions = fields({
  _: text,
  min: flag,
  results: listOf(fields({ chosenOrder: number })),
  recentReactions: listOf(
    fields({ peerId: peer, date: number, reaction: fields({ _: text, emoticon: text }) }),
  ),
});

const message = fields({
  _: text,
  id: integerText,
  out: flag,
  post: flag,
  editHide: flag,
  fromId: peer,
  peerId: peer,
  date: number,
  editDate: number,
  message: text,
  entities,
  media,
  richMessage: fields({ blocks: objects, photos: listOf(photo), documents: listOf(document) }),
  fwdFrom: forwarded,
  replyMarkup: fields({ _: text, rows: listOf(fields({ buttons: listOf(button) })) }),
  action,
  reactions,
  replyTo: fields({
    _: text,
    replyToMsgId: integerText,
    replyToPeerId: peer,
    replyToTopId: integerText,
    forumTopic: flag,
    quoteText: text,
    quoteEntities: entities,
    replyFrom: forwarded,
    replyMedia: part,
    peer,
    storyId: integerText,
  }),
});

const update = fields({
  _: text,
  message,
  messages: listOf(integerText),
  channelId: integerText,
  chatId: integerText,
  userId: integerText,
  isAdmin: flag,
  version: integerText,
  peer,
  maxId: integerText,
  msgId: integerText,
  reactions,
  fromId: peer,
  action: fields({ _: text }),
});

const userPhoto = fields({ _: text, photoId: integerText, dcId: count });
const userName = fields({ username: text, active: flag });
/** A known user or chat. */
const known = fields({
  _: text,
  id: integerText,
  accessHash: integerText,
  min: flag,
  firstName: text,
  lastName: text,
  title: text,
  username: text,
  usernames: listOf(userName),
  phone: text,
  photo: userPhoto,
  broadcast: flag,
  deleted: flag,
  bot: flag,
});

export type TgPeer = Read<typeof peer>;
export type TgEntities = Read<typeof entities>;
export type TgWords = Read<typeof words>;
/** Also of a part of another content, which has fewer fields. */
export type TgMedia = Read<typeof media>;
export type TgAction = Read<typeof action>;
export type TgTask = Read<typeof todoItem>;
export type TgPhoto = Read<typeof photo>;
export type TgDocument = Read<typeof document>;
export type TgMessage = Read<typeof message>;
export type TgReactions = Read<typeof reactions>;
export type TgUpdate = Read<typeof update>;
export type TgKnown = Read<typeof known>;

export const readPhoto: Reader<TgPhoto> = photo;
export const readDocument: Reader<TgDocument> = document;
export const readMessage: Reader<TgMessage> = message;
export const readUpdate: Reader<TgUpdate> = update;
export const readKnown: Reader<TgKnown> = known;

/**
 * The id of a chat in the interface, with the convention of bots (core.telegram.org/api/bots/ids): a user's id, a
 * small group's negated id, a supergroup's id with the prefix -100. Undefined if the value is not a peer.
 */
export function chatIdOf(given: TgPeer | undefined): string | undefined {
  if (given?.userId !== undefined) return soundId(given.userId);
  if (given?.chatId !== undefined) return negated(soundId(given.chatId));
  const channel = soundId(given?.channelId);
  return channel === undefined ? undefined : String(-(SUPERGROUPS + Number(channel)));
}

const SUPERGROUPS = 1_000_000_000_000;

function negated(id: string | undefined): string | undefined {
  return id === undefined ? undefined : `-${id}`;
}

/** Ids are positive and fit into a JavaScript number (type `int53` of the library). */
export function soundId(id: string | undefined): string | undefined {
  const value = Number(id);
  return id !== undefined && Number.isSafeInteger(value) && value > 0 ? String(value) : undefined;
}

/** The peer of a chat id; null if the id is invalid. */
export function peerOf(
  chatId: string,
): { readonly kind: "user" | "chat" | "channel"; readonly id: number } | null {
  if (!/^-?[1-9][0-9]{0,15}$/.test(chatId)) return null;
  const value = Number(chatId);
  if (!Number.isSafeInteger(value)) return null;
  if (value > 0) return { kind: "user", id: value };
  return value < -SUPERGROUPS ? { kind: "channel", id: -value - SUPERGROUPS } : { kind: "chat", id: -value };
}
