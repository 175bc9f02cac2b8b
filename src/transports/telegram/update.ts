import {
  count,
  fields,
  flag,
  integerText,
  listOf,
  number,
  present,
  type Read,
  text,
} from "../../platform/foreign/foreign-json.ts";
import { required } from "../kit/json.ts";
import { directChatId } from "./chat-id.ts";
import { SERVICE_FIELDS } from "./service-messages.ts";

const named = {
  id: integerText,
  username: text,
  title: text,
  first_name: text,
  last_name: text,
};
const user = fields(named);
const chat = fields({ ...named, type: text, is_forum: flag, is_direct_messages: flag });
const file = fields({
  file_id: text,
  file_name: text,
  mime_type: text,
  file_size: count,
  is_video: flag,
  is_animated: flag,
});
const place = fields({ latitude: number, longitude: number });

/** Content without a counterpart in the interface, with the name to show to people (Bot API, `Message`). */
export const UNSUPPORTED = {
  paid_media: "paid media",
  poll: "poll",
  dice: "dice",
  game: "game",
  invoice: "invoice",
  story: "story",
  checklist: "checklist",
  giveaway: "giveaway",
  giveaway_winners: "giveaway winners",
} as const;

function presence<K extends string>(names: readonly K[]): Readonly<Record<K, typeof present>> {
  return Object.fromEntries(names.map((name) => [name, present])) as Record<K, typeof present>;
}

/** The fields common to a message and to a reply from another chat. */
const CONTENT = {
  ...presence(Object.keys(UNSUPPORTED) as (keyof typeof UNSUPPORTED)[]),
  text,
  caption: text,
  photo: listOf(file),
  animation: file,
  video: file,
  video_note: file,
  voice: file,
  audio: file,
  sticker: file,
  document: file,
  location: place,
  venue: fields({ title: text, address: text, location: place }),
  contact: fields({
    phone_number: text,
    first_name: text,
    last_name: text,
    user_id: integerText,
    vcard: text,
  }),
};
const story = fields({ id: integerText, chat });

const WRITTEN = {
  ...CONTENT,
  ...presence(SERVICE_FIELDS),
  message_id: integerText,
  chat,
  from: user,
  sender_chat: chat,
  date: number,
  edit_date: number,
  message_thread_id: integerText,
  is_topic_message: flag,
  direct_messages_topic: fields({ topic_id: integerText, user }),
};

const message = fields({
  ...WRITTEN,
  reply_to_message: fields(WRITTEN),
  external_reply: fields({ ...CONTENT, chat, message_id: integerText }),
  reply_to_story: story,
  quote: fields({ text, is_manual: flag }),
  reply_markup: fields({ inline_keyboard: listOf(listOf(fields({ text, callback_data: text }))) }),
});

const member = fields({ status: text, user, is_member: flag });
const note = fields({
  new_chat_title: text,
  new_chat_photo: listOf(file),
  delete_chat_photo: flag,
  new_chat_members: listOf(user),
  left_chat_member: user,
  migrate_to_chat_id: integerText,
  migrate_from_chat_id: integerText,
});
const membership = fields({
  chat,
  from: user,
  date: number,
  old_chat_member: member,
  new_chat_member: member,
});
const press = fields({
  id: text,
  from: user,
  message,
  data: text,
  inline_message_id: text,
  game_short_name: text,
});

const reactionType = fields({ type: text, emoji: text });
const reaction = fields({
  chat,
  message_id: integerText,
  user,
  actor_chat: chat,
  date: number,
  new_reaction: listOf(reactionType),
});

export type TgReaction = Read<typeof reaction>;
export type TgUser = Read<typeof user>;
export type TgChat = Read<typeof chat>;
export type TgFile = Read<typeof file>;
export type TgContent = Omit<Read<typeof message>, "reply_to_message">;
export type TgMember = Read<typeof member>;
export type TgNote = Read<typeof note>;
export type TgMembership = Read<typeof membership>;
export type TgPress = Read<typeof press>;
/** `note` holds the contents of those service fields that are otherwise only tested for presence. */
export type TgMessage = Read<typeof message> & {
  readonly note: TgNote;
  /** In a channel's direct messages: written by the channel, not by the person of the chat. */
  readonly isByChannel?: true;
};

/** The fields of an update that the connector uses (Bot API, `Update`). */
export interface TgUpdate {
  /** "" if the update has no id. */
  readonly id: string;
  readonly message?: TgMessage;
  readonly edited_message?: TgMessage;
  readonly callback_query?: TgPress;
  readonly message_reaction?: TgReaction;
  readonly my_chat_member?: TgMembership;
  readonly chat_member?: TgMembership;
}

/** Throws `Unreadable` if a known part of the update is not an object. */
export function readUpdate(raw: object): TgUpdate {
  const given = raw as Readonly<Record<string, unknown>>;
  const part = <T>(name: string, read: (value: unknown) => T | undefined): T | undefined => {
    const value = given[name];
    if (value === undefined || value === null) return undefined;
    return required(read(value), `readable ${name}`);
  };
  const found = {
    message: part("message", readMessage),
    edited_message: part("edited_message", readMessage),
    callback_query: part("callback_query", readPress),
    message_reaction: part("message_reaction", reaction),
    my_chat_member: part("my_chat_member", membership),
    chat_member: part("chat_member", membership),
  };
  const known = Object.entries(found).filter(([, value]) => value !== undefined);
  return { id: integerText(given["update_id"]) ?? "", ...Object.fromEntries(known) };
}

function readMessage(raw: unknown): TgMessage | undefined {
  const read = message(raw);
  return read && asDirect({ ...read, note: note(raw) ?? {} });
}

function readPress(raw: unknown): TgPress | undefined {
  const read = press(raw);
  return read?.message === undefined ? read : { ...read, message: asDirect(read.message) };
}

/**
 * The direct messages of a channel are one chat for Telegram (Bot API, `DirectMessagesTopic`). Each writer's become a
 * private chat with that person.
 */
function asDirect<M extends Read<typeof message>>(read: M): M & Pick<TgMessage, "isByChannel"> {
  const { chat, direct_messages_topic: topic, from } = read;
  if (chat?.is_direct_messages !== true || chat.id === undefined || topic?.topic_id === undefined)
    return read;
  const id = directChatId(chat.id, topic.topic_id);
  const isByChannel = topic.user?.id !== undefined && from?.id !== topic.user.id;
  return {
    ...read,
    chat: { ...topic.user, id, type: "private" },
    ...(isByChannel && { isByChannel }),
  };
}
