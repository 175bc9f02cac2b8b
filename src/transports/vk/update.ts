import {
  count,
  fields,
  integerText,
  listOf,
  number,
  type Read,
  text,
} from "../../platform/foreign/foreign-json.ts";
import { required } from "../kit/json.ts";

const size = fields({ url: text, src: text, width: number, height: number });
const owned = { id: integerText, owner_id: integerText, title: text, access_key: text };

/** The union of all attachment objects; the type determines which fields are present (dev.vk.com, "Attachments"). */
const object = fields({
  ...owned,
  from_id: integerText,
  to_id: integerText,
  post_id: integerText,
  sizes: listOf(size),
  images: listOf(size),
  orig_photo: size,
  url: text,
  link_ogg: text,
  link_mp3: text,
  ext: text,
  size: count,
  artist: text,
  state: text,
  text,
});

const attachment = fields({
  type: text,
  photo: object,
  sticker: object,
  graffiti: object,
  doc: object,
  audio_message: object,
  audio: object,
  video: object,
  link: object,
  wall: object,
  wall_reply: object,
  market: object,
  story: object,
  call: object,
});

const CONTENT = {
  ref: text,
  ref_source: text,
  from_id: integerText,
  conversation_message_id: integerText,
  text,
  attachments: listOf(attachment),
  geo: fields({
    coordinates: fields({ latitude: number, longitude: number }),
    place: fields({ title: text }),
  }),
};

const message = fields({
  ...CONTENT,
  peer_id: integerText,
  date: number,
  update_time: number,
  out: number,
  random_id: number,
  admin_author_id: integerText,
  payload: text,
  action: fields({ type: text, text }),
  reply_message: fields(CONTENT),
  fwd_messages: listOf(fields(CONTENT)),
});

/**
 * In `message_new` the object wraps the message; in other events the object is the message or the event data itself.
 */
const eventObject = fields({
  message,
  from_id: integerText,
  peer_id: integerText,
  user_id: integerText,
  event_id: text,
  conversation_message_id: integerText,
});

const event = fields({ type: text, event_id: text, group_id: integerText, secret: text });

export type VkObject = Read<typeof object>;
export type VkAttachment = Read<typeof attachment>;
export type VkMessage = Read<typeof message>;
export type VkContent = Pick<VkMessage, "text" | "attachments" | "geo" | "fwd_messages">;

export interface VkEvent {
  readonly type: string;
  readonly id: string | undefined;
  readonly groupId: string | undefined;
  readonly secret: string | undefined;
  readonly object: Read<typeof eventObject>;
  /** The object parsed as a message; for `message_new`, the wrapped message. */
  readonly message: VkMessage;
  /** Present for `message_event`. */
  readonly payload: unknown;
}

/** Parses an event of the Callback API or of long polling (dev.vk.com, "Callback API"). Throws `Unreadable`. */
export function readEvent(raw: unknown): VkEvent {
  const read = required(event(raw), "object");
  const rawObject = (raw as { readonly object?: unknown }).object;
  const found = eventObject(rawObject) ?? {};
  return {
    type: required(read.type, "type"),
    id: read.event_id,
    groupId: read.group_id,
    secret: read.secret,
    object: found,
    message: found.message ?? message(rawObject) ?? {},
    payload: (rawObject as { readonly payload?: unknown } | undefined)?.payload,
  };
}

const person = fields({
  id: integerText,
  first_name: text,
  last_name: text,
  screen_name: text,
  photo_200: text,
});
export type VkPerson = Read<typeof person>;
export const readPeople = listOf(person);

export const readGroups = fields({
  groups: listOf(fields({ id: integerText, name: text, screen_name: text })),
});
export const readPermissions = fields({ permissions: listOf(fields({ name: text })) });
export const readConversations = fields({
  items: listOf(
    fields({
      conversation: fields({ peer: fields({ id: integerText }) }),
      peer: fields({ id: integerText }),
      chat_settings: fields({ title: text }),
      last_message: message,
    }),
  ),
});
export const readHistory = fields({ items: listOf(message) });
export const readSent = listOf(
  fields({
    peer_id: integerText,
    message_id: integerText,
    conversation_message_id: integerText,
    error: fields({ code: number, description: text }),
  }),
);
export const readRemoved = listOf(fields({ error: fields({ code: number, description: text }) }));
export const readServers = fields({
  items: listOf(fields({ id: integerText, url: text, status: text })),
});
export const readServerId = fields({ server_id: integerText });
export const readCode = fields({ code: text });
export const readUploadUrl = fields({ upload_url: text });
export const readLongPoll = fields({ key: text, server: text, ts: integerText });
