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

const attachment = fields({
  type: text,
  payload: fields({
    url: text,
    token: text,
    vcf_info: text,
    max_info: user,
    buttons: listOf(listOf(fields({ text, payload: text }))),
  }),
  filename: text,
  size: count,
  latitude: number,
  longitude: number,
  title: text,
});

const body = fields({ mid: text, text, attachments: listOf(attachment) });

const message = fields({
  sender: user,
  recipient: fields({ chat_id: integerText, chat_type: text }),
  timestamp: number,
  link: fields({ type: text, message: body }),
  body,
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
export type MaxAttachment = Read<typeof attachment>;
export type MaxBody = Read<typeof body>;
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
