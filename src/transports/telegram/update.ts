import {
  fields,
  flag,
  integerText,
  listOf,
  number,
  present,
  type Read,
  text,
} from "../../platform/foreign/foreign-json.ts";
import { isJson, type Json, required } from "../kit/json.ts";
import { directChatId } from "./chat-id.ts";
import {
  CONTENT,
  CONTENT_FIELDS,
  chat,
  entities,
  file,
  NOTICE_KINDS,
  NOTICES,
  story,
  user,
} from "./content.ts";
import { IGNORED_FIELDS } from "./ignored-fields.ts";
import { SERVICE_FIELDS } from "./service-messages.ts";

function presence<K extends string>(names: readonly K[]): Readonly<Record<K, typeof present>> {
  return Object.fromEntries(names.map((name) => [name, told])) as Record<K, typeof present>;
}

/** Telegram omits a flag that is not set; programs between Telegram and us may send it as false. */
const told: typeof present = (value) => (value === false ? undefined : present(value));

const WRITTEN = {
  ...presence(SERVICE_FIELDS),
  ...NOTICES,
  ...CONTENT,
  message_id: integerText,
  chat,
  from: user,
  sender_chat: chat,
  date: number,
  edit_date: number,
  message_thread_id: integerText,
  is_topic_message: flag,
  direct_messages_topic: fields({ topic_id: integerText, user }),
  forward_origin: present,
  /** Sent beside `forward_origin` to older bots. */
  forward_date: present,
  is_automatic_forward: flag,
};
const origin = fields({ sender_user: user, sender_user_name: text, sender_chat: chat, chat });
const button = fields({
  text,
  callback_data: text,
  url: text,
  login_url: fields({ url: text }),
  web_app: fields({ url: text }),
  copy_text: fields({ text }),
});

const message = fields({
  ...WRITTEN,
  reply_to_message: fields(WRITTEN),
  external_reply: fields({ ...CONTENT, origin, chat, message_id: integerText }),
  reply_to_story: story,
  reply_to_checklist_task_id: integerText,
  reply_to_poll_option_id: text,
  quote: fields({ text, entities, is_manual: flag }),
  reply_markup: fields({ inline_keyboard: listOf(listOf(button)) }),
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
export type TgButtons = Read<typeof message>["reply_markup"];
export type TgWritten = Omit<Read<typeof message>, "reply_to_message">;
export type TgMember = Read<typeof member>;
export type TgNote = Read<typeof note>;
export type TgMembership = Read<typeof membership>;
export type TgPress = Read<typeof press>;
/** `note` holds the contents of those service fields that are otherwise only tested for presence. */
export type TgMessage = Read<typeof message> & {
  readonly note: TgNote;
  /** Whether it has any content, which need not be readable. */
  readonly hasContent: boolean;
  /** The fields that the connector does not know. */
  readonly unknown: Json;
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
  if (read === undefined || !isJson(raw)) return undefined;
  const unknown = Object.fromEntries(
    Object.entries(raw).filter(([name, value]) => !KNOWN_FIELDS.has(name) && told(value)),
  );
  const hasContent =
    Object.keys(unknown).length > 0 || MADE_OF.some((name) => present(raw[name]) && raw[name] !== "");
  return asDirect({ ...read, note: note(raw) ?? {}, hasContent, unknown });
}

const MADE_OF: readonly string[] = [...CONTENT_FIELDS, ...NOTICE_KINDS];
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(WRITTEN),
  "reply_to_message",
  "external_reply",
  "reply_to_story",
  "reply_to_checklist_task_id",
  "reply_to_poll_option_id",
  "quote",
  "reply_markup",
  ...Object.keys(IGNORED_FIELDS),
]);

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
