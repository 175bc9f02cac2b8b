import { type Static, type TSchema, Type } from "typebox";
import { CHAT_TYPES, TIERS } from "../transport/definition.ts";
import { creationSource, MESSAGE_STATUSES, MESSAGE_TYPES, templateItem } from "./v3-shapes.ts";

// Items of `data` in the webhooks of v2. The payload builders are typed by these shapes, and OpenAPI shows them.

const text = (description: string) => Type.String({ description });
const maybe = <T extends TSchema>(shape: T) => Type.Optional(shape);
const orNull = (description: string) => Type.Unsafe<string | null>({ type: ["string", "null"], description });
/** An object, or null where there is none. */
function objectOrNull<T extends TSchema>(shape: T, description: string) {
  return Type.Union([shape, Type.Null()], { description });
}

const chatType = Type.Enum([...CHAT_TYPES], { description: "Kind of chat" });
const chat = { chat_type: chatType, chat_id: text("The chat's id in the messenger") };
const channelId = { channel_id: text("Channel") };

const recipient = Type.Object(
  {
    chat_id: text("The chat's id in the messenger"),
    chat_type: chatType,
    name: text("Name in the messenger; of a group, its title"),
    username: orNull("Username without @"),
    phone: orNull("International, digits only"),
  },
  { description: "The person or group of the chat" },
);

const sender = Type.Object(
  {
    id: text("Id in the messenger"),
    name: text("Name in the messenger"),
    chat_type: chatType,
    chat_id: text("Id of the private chat with this person"),
    phone: orNull("International, digits only"),
  },
  { description: "Who wrote; in groups only" },
);

const attachment = Type.Object({
  url: text("Link to the file"),
  name: orNull("File name"),
  mimetype: orNull("MIME type"),
  size: Type.Unsafe<number | null>({ type: ["integer", "null"], description: "Bytes" }),
});

const interactive = Type.Array(
  Type.Object({
    type: text("pressed, text, callback, link or message"),
    text: text("Label"),
    payload: maybe(text("What a press sends back")),
    url: maybe(text("What a press opens")),
  }),
  { description: "Buttons, or the pressed one" },
);

const quotedMessage = Type.Object(
  {
    message_id: maybe(text("The quoted message; absent when the service never had it")),
    ...channelId,
    ...chat,
    date_time: maybe(Type.String({ format: "date-time", description: "When it was sent" })),
    type: Type.Enum([...MESSAGE_TYPES], { description: "Kind of content" }),
    status: maybe(Type.Enum([...MESSAGE_STATUSES], { description: "Status of the quoted message" })),
    text: maybe(text("Text")),
    content_uri: maybe(text("Link to the file")),
    author_name: maybe(text("Who wrote it")),
    is_echo: maybe(Type.Boolean({ description: "true for an outgoing message" })),
  },
  { description: "The message answered to" },
);

/** `message.add`, `message.edit` and `message.delete` */
export const messageItem = Type.Object({
  message_id: text("Id of the message"),
  ...channelId,
  direction: Type.Enum(["inbound", "outbound"], { description: "inbound: written by the customer" }),
  timestamp: Type.Integer({ description: "When it was sent, in milliseconds" }),
  type: Type.Enum([...MESSAGE_TYPES], { description: "Kind of content" }),
  status: Type.Enum([...MESSAGE_STATUSES], { description: "Status of the message" }),
  crm_user_id: orNull("Employee who wrote it, as the CRM names them"),
  recipient,
  text: orNull("Text, or what stands under a file"),
  attachment: objectOrNull(attachment, "The file"),
  interactive: maybe(interactive),
  quoted_message: maybe(quotedMessage),
  sender: maybe(sender),
  is_edited: maybe(Type.Literal(true, { description: "The message was changed" })),
  is_deleted: maybe(Type.Literal(true, { description: "The message was deleted" })),
  old_info: maybe(
    Type.Object(
      {
        old_text: orNull("Text before"),
        old_author_id: orNull("Employee who had written"),
        old_author_name: orNull("Name of that employee"),
      },
      { description: "What an edit or deletion replaced" },
    ),
  ),
});
export type MessageItem = Static<typeof messageItem>;

/** `message.status_update` */
export const statusItem = Type.Object({
  message_id: text("Id of the message"),
  request_id: orNull("What sending it was answered with; null when it was not sent through the interface"),
  ...channelId,
  status: Type.Enum(["sent", "delivered", "read", "error", "edited"], { description: "The new status" }),
  reason: orNull("Code of the error, with the status error"),
});
export type StatusItem = Static<typeof statusItem>;

/** `channel.create`, `channel.delete` and `channel.status_update` */
export const channelItem = Type.Object({
  ...channelId,
  transport: text("Kind of channel"),
  status: Type.Enum(["active", "init", "disabled"], { description: "Status of the channel" }),
  reason: orNull("Why it has this status"),
  name: text("Name of the channel"),
  phone: text("Phone number of the channel; of a bot, its username"),
  username: text("Username of the channel"),
  password_hint: maybe(
    text("What the account's owner wrote down to remember the password by, with wait_for_password"),
  ),
});
export type ChannelItem = Static<typeof channelItem>;

/** `channel.qr_update` */
export const qrItem = Type.Object({
  ...channelId,
  platform: text("Kind of channel"),
  qr_code: text("The QR code to scan: a PNG as a data: URI"),
});

/** `channel.waba_tier_update` */
export const tierItem = Type.Object({
  ...channelId,
  tier: Type.Unsafe<string | null>({
    type: ["string", "null"],
    enum: [...TIERS, null],
    description: "How many conversations it may start",
  }),
});

/** `waba_template.status_update` */
export const templateEventItem = Type.Object({
  template_id: text("Id of the template"),
  ...channelId,
  name: text("Name of the template"),
  status: templateItem.properties.status,
});

/** `messages_dump.status_update` */
export const exportItem = Type.Object({
  export_id: text("Id of the export"),
  status: Type.Enum(["pending", "processing", "done", "webhook_failed"], { description: "How far it is" }),
  url: orNull("Link to the CSV file"),
});

const person = {
  id: text("Id in the messenger"),
  name: text("Name in the messenger"),
  username: orNull("Username without @"),
  phone: orNull("International, digits only"),
};
const group = {
  ...channelId,
  ...chat,
  timestamp: Type.Integer({ description: "When it happened, in milliseconds" }),
  changed_by: objectOrNull(Type.Object(person), "Who did it; null where the messenger does not say"),
};

/** `group_chat.update` */
export const groupItem = Type.Object({
  ...group,
  changes: Type.Array(Type.Enum(["name", "avatar"]), { description: "What changed" }),
  name: text("Title"),
  old_name: orNull("Title before"),
  avatar_uri: orNull("Link to the picture"),
});
export type GroupItem = Static<typeof groupItem>;

/** `group_chat.memberships_update` */
export const membersItem = Type.Object({
  ...group,
  name: text("Title"),
  avatar_uri: orNull("Link to the picture"),
  members: Type.Array(
    Type.Object({
      action: Type.Enum(["added", "removed", "left", "promoted", "demoted"], {
        description: "What happened to this person",
      }),
      ...person,
    }),
    { description: "Who came, left, or changed role" },
  ),
});
export type MembersItem = Static<typeof membersItem>;

/** `crm_entities.contact_add` */
export const contactAddItem = Type.Object({
  responsible_user_id: text("Employee who is to be responsible"),
  name: text("Name of the client"),
  contact_data: Type.Array(Type.Object(chat), { description: "Chats of the contact" }),
  recipient,
  source: creationSource,
});

/** `crm_entities.deal_add` */
export const dealAddItem = Type.Object({
  responsible_user_id: text("Employee who is to be responsible"),
  contacts: Type.Array(Type.String(), { description: "Ids of the deal's contacts" }),
  source: creationSource,
});
