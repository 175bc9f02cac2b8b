import { type TSchema, Type } from "typebox";
import { OBSTACLES } from "../../../core/inbox/abilities.ts";
import { MESSAGE_STATUSES, MESSAGE_TYPES, messageExtras } from "../../../core/transport/message.ts";
import { snakeShapes } from "../../../platform/foreign/schema.ts";
import { nullableString } from "../../schema/shapes.ts";
import { channelShape } from "../../v2/channels/channel-shape.ts";

const text = Type.String();
const flag = Type.Boolean();
const count = Type.Integer();
const time = Type.String({ description: "UTC, as in ISO 8601" });
const or = <T extends TSchema>(shape: T) => Type.Union([shape, Type.Null()]);
const one = <T extends string>(values: readonly T[]) => Type.Unsafe<T>({ type: "string", enum: [...values] });

const direction = one(["in", "out", "echo"]);
const type = one(MESSAGE_TYPES);
const status = one(MESSAGE_STATUSES);
const media = one(["image", "audio", "video", "document"]);

export const chatShape = Type.Object({
  id: Type.String({ description: "Our id of the chat" }),
  channel_id: text,
  transport: text,
  chat_type: text,
  messenger_chat_id: text,
  is_group: flag,
  name: Type.String({ description: "The best name known; never empty" }),
  username: nullableString,
  phone: nullableString,
  avatar_url: nullableString,
  last_at: Type.String({ description: "Orders the list, the latest first" }),
  last_message: or(
    Type.Object({
      id: text,
      at: time,
      direction,
      type,
      status,
      text: { ...nullableString, description: "Its first 200 characters" },
      author_name: nullableString,
      is_deleted: flag,
    }),
  ),
  unanswered: Type.Integer({ description: "The client's unanswered messages of the last seven days" }),
  unread: Type.Integer({ description: "Those of them that this employee has not seen" }),
  failed: Type.Boolean({ description: "The last message is outgoing and could not be sent" }),
});

export const messageShape = Type.Object({
  id: text,
  chat_id: text,
  channel_id: text,
  client_id: { ...nullableString, description: "The id that the writing page gave it" },
  order: Type.String({
    description: "Sort key of a thread, compared as text; messages with equal keys are sorted by id",
  }),
  at: time,
  direction,
  type,
  status,
  error: or(Type.Object({ code: text, description: text })),
  text: nullableString,
  unsupported: { ...nullableString, description: "The kind of an unsupported message, such as poll" },
  file: or(
    Type.Object({
      url: text,
      name: nullableString,
      mime_type: nullableString,
      size: or(count),
      kind: media,
      is_external: Type.Boolean({ description: "It is on another host" }),
      state: one(["waiting", "stored", "failed"]),
    }),
  ),
  author: or(Type.Object({ id: nullableString, name: nullableString })),
  from_app: flag,
  sender: or(Type.Object({ id: text, name: text })),
  buttons: Type.Array(
    Type.Object({
      type: text,
      text: Type.Optional(text),
      payload: Type.Optional(text),
      url: Type.Optional(text),
    }),
  ),
  quoted: or(
    Type.Object({
      id: nullableString,
      type,
      text: nullableString,
      author_name: nullableString,
      direction: or(direction),
      file_url: nullableString,
      unsupported: {
        ...nullableString,
        description: "The kind of an unsupported message, such as `story`, if known",
      },
      link: { ...nullableString, description: "Where a browser shows it, maybe for a time only" },
    }),
  ),
  ...snakeShapes(messageExtras),
  template: or(
    Type.Object({
      id: text,
      values: Type.Array(text),
      header: nullableString,
      body: nullableString,
      footer: nullableString,
      buttons: Type.Array(text),
    }),
  ),
  reactions: Type.Array(
    Type.Object({
      emoji: text,
      name: Type.String({ description: "Of the person; empty for the channel's own" }),
      is_ours: flag,
    }),
    { description: "One for each person, at most 50" },
  ),
  edited_at: or(time),
  deleted_at: or(time),
  old: or(
    Type.Object({
      text: nullableString,
      author_id: nullableString,
      author_name: nullableString,
      file_url: { ...nullableString, description: "The file that an edit replaced" },
    }),
  ),
  can_edit_until: { ...nullableString, description: "null: it cannot be edited, or no longer" },
  can_edit_file: flag,
  can_delete: flag,
  can_resend: flag,
  can_react: flag,
});

export const writtenShape = Type.Object({ message: messageShape, chat: chatShape });

export const channelViewShape = Type.Object({
  channel_id: text,
  transport: text,
  name: text,
  phone: text,
  username: text,
  status: channelShape.properties.status,
  reason: channelShape.properties.reason,
  restrictions: channelShape.properties.restrictions,
  can_send: flag,
  new_chat: or(Type.Object({ chat_type: text, address_by: Type.Array(one(["phone", "username"])) })),
});

const limit = Type.Object({ max_bytes: count });
export const abilitiesShape = Type.Object({
  can_send: flag,
  why_not: or(one(OBSTACLES)),
  channel: or(Type.Object({ status: text, reason: nullableString })),
  text: Type.Object({ max_length: count, max_length_with_buttons: count }),
  media: Type.Object({
    image: Type.Optional(limit),
    audio: Type.Optional(limit),
    video: Type.Optional(limit),
    document: Type.Optional(limit),
  }),
  quote: flag,
  edit: or(Type.Object({ parts: Type.Array(one(["text", "attachment"])) })),
  delete: flag,
  marks: Type.Array(one(["read", "typing"]), {
    description: "What can be shown to the people of the chat",
  }),
  keyboard: or(one(["interactive", "markup", "rows"])),
  max_payload_length: or(count),
  templates: flag,
  window: or(
    Type.Object({
      ends_at: nullableString,
      is_open: flag,
      code: one(["24_HOURS_EXCEEDED", "7_DAYS_EXCEEDED"]),
    }),
  ),
});

export const templateShape = Type.Object({
  id: text,
  name: text,
  language: text,
  category: text,
  header: or(Type.Object({ format: text, text: nullableString })),
  body: text,
  footer: nullableString,
  buttons: Type.Array(Type.Object({ type: text, text, url: Type.Optional(text) })),
  variables: Type.Integer({ description: "Number of values" }),
});

const entity = {
  id: text,
  name: text,
  uri: nullableString,
  responsible: or(Type.Object({ id: text, name: nullableString })),
};
export const clientShape = Type.Object({
  contact: or(Type.Object(entity)),
  deals: Type.Array(Type.Object({ ...entity, closed: flag })),
  can_create_deal: flag,
  is_asked: flag,
});
