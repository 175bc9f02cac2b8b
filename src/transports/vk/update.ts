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

const size = fields({ type: text, url: text, src: text, width: number, height: number });
const place = fields({ title: text, address: text });
const price = fields({ text });

/** What a person reads or opens of an attachment; which fields are present depends on its type. */
const FACTS = {
  id: integerText,
  owner_id: integerText,
  from_id: integerText,
  to_id: integerText,
  group_id: integerText,
  app_id: integerText,
  post_id: integerText,
  photo_id: integerText,
  video_id: integerText,
  item_id: integerText,
  topic_id: integerText,
  sticker_id: integerText,
  textlive_id: integerText,
  title: text,
  name: text,
  subtitle: text,
  question: text,
  artist: text,
  performer: text,
  description: text,
  text,
  comment: text,
  transcript: text,
  address: text,
  caption: text,
  ext: text,
  state: text,
  status: text,
  domain: text,
  url: text,
  view_url: text,
  join_link: text,
  init_url: text,
  link_url: text,
  link_ogg: text,
  link_mp3: text,
  thumb_512: text,
  thumb_256: text,
  thumb_96: text,
  photo_2560: text,
  photo_1280: text,
  photo_807: text,
  photo_604: text,
  photo_586: text,
  photo_200: text,
  size: count,
  price,
  amount: price,
  sizes: listOf(size),
  images: listOf(size),
  orig_photo: size,
  podcast_info: fields({ description: text }),
  copyright: fields({ name: text, link: text }),
  button: fields({ title: text, url: text, action: fields({ url: text }) }),
  action: fields({ url: text }),
  product: fields({ price }),
  app: fields({ id: integerText, title: text }),
  answers: listOf(fields({ text })),
};
const facts = fields(FACTS);

/** The union of all attachment objects (dev.vk.com, "Attachments"). */
export interface VkObject extends Read<typeof facts> {
  readonly photo?: VkObject | undefined;
  readonly video?: VkObject | undefined;
  readonly link?: VkObject | undefined;
  readonly parent_story?: VkObject | undefined;
  readonly geo?: VkGeo | undefined;
  readonly attachments?: readonly VkAttachment[] | undefined;
  readonly copy_history?: readonly VkObject[] | undefined;
  readonly cards?: readonly VkObject[] | undefined;
}

export interface VkAttachment {
  readonly type: string;
  readonly object: VkObject;
  /** The object as it arrived, for types that are not known. */
  readonly raw: unknown;
}

export type VkGeo = Read<typeof geo>;

/** In posts, the coordinates are a text such as "55.75 37.62". */
const coordinates = (value: unknown) => {
  const pair = typeof value === "string" ? value.trim().split(/[ ,]+/) : undefined;
  return fields({ latitude: number, longitude: number })(
    pair === undefined ? value : { latitude: pair[0], longitude: pair[1] },
  );
};
const geo = fields({ coordinates, place });

const nested = fields({
  ...FACTS,
  photo: object,
  video: object,
  link: object,
  parent_story: object,
  geo,
  attachments: listOf(attachment),
  copy_history: listOf(object),
  cards: listOf(object),
});

function object(value: unknown): VkObject | undefined {
  return nested(value);
}

/** The object stands in the field that is named as the type. Without a type, nothing of it is known. */
function attachment(value: unknown): VkAttachment | undefined {
  const found = typed(value);
  if (found === undefined) return undefined;
  const { type = "attachment" } = found;
  const source = value as Readonly<Record<string, unknown>>;
  const raw = Object.hasOwn(source, type) ? source[type] : (source[`market_${type}`] ?? value);
  return { type, object: object(raw) ?? {}, raw };
}
const typed = fields({ type: text });

const templateElement = fields({
  title: text,
  description: text,
  buttons: listOf(fields({ action: fields({ label: text, link: text }) })),
});

const CONTENT = {
  ref: text,
  ref_source: text,
  from_id: integerText,
  conversation_message_id: integerText,
  text,
  attachments: listOf(attachment),
  geo,
  template: fields({ elements: listOf(templateElement) }),
  is_cropped: flag,
};

/** A message that is quoted or forwarded (dev.vk.com, "Message object"). */
export interface VkContent extends Read<typeof plainContent> {
  readonly fwd_messages?: readonly VkContent[] | undefined;
  readonly reply_message?: VkContent | undefined;
}
const plainContent = fields(CONTENT);
const nestedContent = fields({ ...CONTENT, fwd_messages: listOf(content), reply_message: content });

function content(value: unknown): VkContent | undefined {
  return nestedContent(value);
}

/** A button's payload is a text with JSON, or the object itself. */
const json: Reader<string> = (value) =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : text(value);

const message = fields({
  ...CONTENT,
  peer_id: integerText,
  date: number,
  update_time: number,
  out: number,
  random_id: number,
  admin_author_id: integerText,
  payload: json,
  action: fields({ type: text, text }),
  reply_message: content,
  fwd_messages: listOf(content),
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
  cmid: integerText,
  reacted_id: integerText,
  reaction_id: number,
  state: text,
});

const event = fields({ type: text, event_id: text, group_id: integerText, secret: text });

export type VkMessage = Read<typeof message>;

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
