import {
  count,
  type Fields,
  fields,
  flag,
  integerText,
  listOf,
  number,
  type Read,
  type Reader,
  text,
} from "../../platform/foreign/foreign-json.ts";
import { required } from "../kit/json.ts";

const user = fields({
  user_id: integerText,
  name: text,
  first_name: text,
  last_name: text,
  username: text,
  avatar_url: text,
  full_avatar_url: text,
});

const buttons = listOf(listOf(fields({ type: text, text, payload: text, url: text, web_app: text })));

const attachment = fields({
  type: text,
  payload: fields({
    url: text,
    token: text,
    vcf_info: text,
    vcf_phone: text,
    name: text,
    max_info: user,
    buttons,
  }),
  filename: text,
  size: count,
  latitude: number,
  longitude: number,
  title: text,
  description: text,
  transcription: text,
  /** Of a `reply_keyboard`. */
  buttons,
  /** Of type `data`: the payload of a button whose label is the message's text. */
  data: text,
});

/** An attachment, and all that came with it. */
const wholeAttachment: Reader<MaxAttachment> = (value) => {
  const read = attachment(value);
  return read && { ...read, raw: value };
};

/** `from` and `length` in UTF-16 code units. */
const markup = fields({ type: text, from: count, length: count, url: text, user_link: text });

const CONTENT = {
  mid: text,
  text,
  attachments: listOf(wholeAttachment),
  markup: listOf(markup),
} as const;

/** Forwarded messages may contain others. */
const MAX_DEPTH = 10;

function bodyReader(depth: number): Reader<MaxBody> {
  return fields({ ...CONTENT, link: depth === 0 ? () => undefined : linkReader(depth) });
}

function linkReader(depth: number): Reader<MaxLinked> {
  return fields({ type: text, message: bodyReader(depth - 1) });
}

const message = fields({
  sender: user,
  recipient: fields({ chat_id: integerText, chat_type: text }),
  timestamp: number,
  link: linkReader(MAX_DEPTH),
  body: bodyReader(MAX_DEPTH),
});

/** The fields of an update that the connector uses (dev.max.ru, "Update"); the type determines which are present. */
const update = fields({
  update_type: text,
  timestamp: number,
  message,
  callback: fields({ timestamp: number, callback_id: text, payload: text, user }),
  message_id: text,
  chat_id: integerText,
  user,
  admin_id: integerText,
  title: text,
  payload: text,
  is_channel: flag,
});

/** The response to a send. */
const sent = fields({ message });

export type MaxUser = Read<typeof user>;
export type MaxAttachment = Read<typeof attachment> & { readonly raw?: unknown };

/** The content of a message (dev.max.ru, "MessageBody"). */
export interface MaxBody extends Fields<typeof CONTENT> {
  readonly link?: MaxLinked | undefined;
}

/** The message that is forwarded or replied to (dev.max.ru, "LinkedMessage"). */
export interface MaxLinked {
  readonly type?: string | undefined;
  readonly message?: MaxBody | undefined;
}

export type MaxMessage = Read<typeof message>;
export type MaxUpdate = Read<typeof update>;

/** Throws `Unreadable` if the value is not an update. */
export function readUpdate(raw: unknown): MaxUpdate {
  const read = required(update(raw), "object");
  required(read.update_type, "update_type");
  return read;
}

export const readSent: Reader<Read<typeof sent>> = sent;

/** `GET /me` (dev.max.ru, "BotInfo"). */
export const readUser: Reader<MaxUser> = user;

/** `GET /subscriptions` */
export const readSubscriptions = fields({
  subscriptions: listOf(fields({ url: text, update_types: listOf(text) })),
});

/** `GET /chats/{chatId}` */
export const readChat = fields({ title: text });
