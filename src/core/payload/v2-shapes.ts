import { type Static, type TSchema, Type } from "typebox";
import { snakeShape, snakeShapes } from "../../platform/foreign/schema.ts";
import { STATUSES } from "../channel-status.ts";
import { CHAT_TYPES, TIERS } from "../transport/definition.ts";
import { PASSKEY_PROBLEMS } from "../transport/login.ts";
import { MESSAGE_TYPES, REPORTED_STATUSES } from "../transport/message.ts";
import {
  creationSource,
  quotedItem,
  reaction,
  restrictions,
  templateItem,
  details as v3Details,
} from "./v3-shapes.ts";

// Items of `data` in the webhooks of v2. These shapes type the payload builders and are part of the OpenAPI document.

const text = (description: string) => Type.String({ description });
/** Our id. */
const id = (description: string) => Type.String({ format: "uuid", description });
const maybe = <T extends TSchema>(shape: T) => Type.Optional(shape);
const idOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], format: "uuid", description });
const orNull = (description: string) => Type.Unsafe<string | null>({ type: ["string", "null"], description });
/** An object, or null if there is none. */
function objectOrNull<T extends TSchema>(shape: T, description: string) {
  return Type.Union([shape, Type.Null()], { description });
}

const chatType = Type.Enum([...CHAT_TYPES], { description: "Kind of chat" });
const chat = { chat_type: chatType, chat_id: text("The chat's id in the messenger") };
const channelId = { channel_id: id("Channel") };

const recipient = Type.Object(
  {
    chat_id: text("The chat's id in the messenger"),
    chat_type: chatType,
    name: text("Name in the messenger; of a group, its title"),
    username: orNull("Username without @"),
    phone: orNull("International, digits only"),
  },
  { title: "Recipient", description: "The person or group of the chat" },
);

const sender = Type.Object(
  {
    id: text("Id in the messenger"),
    name: text("Name in the messenger"),
    chat_type: chatType,
    chat_id: text("Id of the private chat with this person"),
    phone: orNull("International, digits only"),
  },
  { title: "GroupSender", description: "The sender; in groups only" },
);

const attachment = Type.Object(
  {
    url: text("Link to the file"),
    name: orNull("File name"),
    mimetype: orNull("MIME type"),
    size: Type.Unsafe<number | null>({ type: ["integer", "null"], description: "Bytes" }),
  },
  { title: "Attachment" },
);

// The rest is that of v3 in snake_case.
const { authorId: _author, sender: _sender, oldInfo: _old, ...shared } = v3Details;

/** `message.add`, `message.edit` and `message.delete` */
export const messageItem = Type.Object(
  {
    message_id: id("Id of the message"),
    ...channelId,
    direction: Type.Enum(["inbound", "outbound"], { description: "inbound: written by the customer" }),
    timestamp: Type.Integer({ description: "When it was sent, in milliseconds" }),
    type: Type.Enum([...MESSAGE_TYPES], { description: "Kind of content" }),
    status: Type.Enum([...REPORTED_STATUSES], { description: "Status of the message" }),
    crm_user_id: orNull("Employee who wrote it, as the CRM names them"),
    author_name: maybe(text("Name of the author; of outgoing messages only")),
    recipient,
    text: orNull("The text, or the caption of a file"),
    attachment: objectOrNull(attachment, "The file"),
    ...snakeShapes(shared),
    quoted_message: maybe(snakeShape(quotedItem)),
    sender: maybe(sender),
    old_info: maybe(
      Type.Object(
        {
          old_text: orNull("Text before"),
          old_author_id: orNull("The previous author"),
          old_author_name: orNull("The previous author's name"),
          old_content_uri: maybe(text("Link to the file before, if an edit replaced it")),
        },
        { description: "What an edit or deletion replaced" },
      ),
    ),
  },
  { title: "Message" },
);
export type MessageItem = Static<typeof messageItem>;

/** `message.status_update` */
export const statusItem = Type.Object(
  {
    message_id: id("Id of the message"),
    request_id: idOrNull(
      "The id in the response to the send request; null if the message was not sent through the interface",
    ),
    ...channelId,
    status: Type.Enum(["sent", "delivered", "read", "error", "edited"], { description: "The new status" }),
    reason: orNull("Code of the error, with the status error"),
    description: maybe(text("Description of the error; only with the status error")),
  },
  { title: "MessageStatus" },
);
export type StatusItem = Static<typeof statusItem>;

/** `message.reaction` */
export const reactionItem = Type.Object(
  {
    message_id: id("Id of the message"),
    ...channelId,
    recipient,
    ...reaction,
    timestamp: Type.Integer({ description: "Time of the reaction, in milliseconds" }),
  },
  { title: "Reaction" },
);

/** `channel.create`, `channel.delete` and `channel.status_update` */
export const channelItem = Type.Object(
  {
    ...channelId,
    transport: text("Kind of channel"),
    status: Type.Enum([...STATUSES], { description: "Status of the channel" }),
    reason: orNull("The reason for this status"),
    name: text("Name of the channel"),
    phone: text("Phone number of the channel; of a bot, its username"),
    username: text("Username of the channel"),
    restrictions: maybe(restrictions),
    password_hint: maybe(text("The password hint that the account's owner has set; with wait_for_password")),
    compare_code: maybe(text("The code to compare with the one on the phone; with wait_for_code")),
    passkey_problem: maybe(
      Type.Enum([...PASSKEY_PROBLEMS], { description: "Why the linking with a passkey failed; with qr" }),
    ),
  },
  { title: "ChannelUpdate" },
);
export type ChannelItem = Static<typeof channelItem>;

/** `channel.qr_update` */
export const qrItem = Type.Object(
  {
    ...channelId,
    platform: text("Kind of channel"),
    qr_code: text("The QR code to scan: a PNG as a data: URI"),
  },
  { title: "ChannelQr" },
);

/** `channel.waba_tier_update` */
export const tierItem = Type.Object(
  {
    ...channelId,
    tier: Type.Unsafe<string | null>({
      type: ["string", "null"],
      enum: [...TIERS, null],
      description: "How many conversations it may start",
    }),
  },
  { title: "ChannelTier" },
);

/** `channel.history` */
export const historyItem = Type.Object(
  {
    ...channelId,
    transport: text("Kind of channel"),
    status: Type.Enum(["running", "done"], { description: "Whether the import goes on" }),
    progress: Type.Unsafe<number | null>({
      type: ["integer", "null"],
      description: "Percent; null if the messenger does not tell how much there is",
    }),
    messages: Type.Integer({ description: "Messages imported so far" }),
    is_cut: Type.Boolean({ description: "Whether it ended early, because the account's quota is used up" }),
    since: Type.Integer({ description: "Time of the oldest messages to import, in milliseconds" }),
    until: Type.Integer({ description: "When the channel was linked, in milliseconds" }),
    timestamp: Type.Integer({ description: "When this was counted, in milliseconds" }),
  },
  { title: "ChannelHistory" },
);

/** A phone number that was looked up. */
export const checkedPhone = Type.Object({
  phone: text("The number: international, digits only"),
  exists: Type.Unsafe<boolean | null>({
    type: ["boolean", "null"],
    description: "Whether the messenger has an account with it; null if the messenger does not tell",
  }),
  chat_type: chatType,
  chat_id: orNull("The person's chat id; null if there is none or it is unknown"),
  username: orNull("Username without @, if known"),
});

/** `phones.checked` */
export const phonesItem = Type.Object({
  check_id: text("Id of the request"),
  ...channelId,
  transport: text("Kind of channel"),
  phones: Type.Array(checkedPhone, { description: "The results" }),
  waiting: Type.Integer({
    description: "How many numbers of the request are still to be looked up; 0: this is the end",
  }),
  timestamp: Type.Integer({ description: "When they were looked up, in milliseconds" }),
});

/** `waba_template.status_update` */
export const templateEventItem = Type.Object(
  {
    template_id: text("Id of the template"),
    ...channelId,
    name: text("Name of the template"),
    status: templateItem.properties.status,
  },
  { title: "TemplateStatus" },
);

/** `messages_dump.status_update` */
export const exportItem = Type.Object(
  {
    export_id: id("Id of the export"),
    status: Type.Enum(["pending", "processing", "done", "webhook_failed"], {
      description: "Status of the export",
    }),
    url: orNull("Link to the CSV file"),
  },
  { title: "ExportStatus" },
);

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
  changed_by: objectOrNull(
    Type.Object(person, { title: "Person" }),
    "Who did it; null if the messenger does not report it",
  ),
};

/** `group_chat.update` */
export const groupItem = Type.Object(
  {
    ...group,
    changes: Type.Array(Type.Enum(["name", "avatar"]), { description: "What changed" }),
    name: text("Title"),
    old_name: orNull("Title before"),
    avatar_uri: orNull("Link to the picture"),
  },
  { title: "GroupUpdate" },
);
export type GroupItem = Static<typeof groupItem>;

/** `group_chat.memberships_update` */
export const membersItem = Type.Object(
  {
    ...group,
    name: text("Title"),
    avatar_uri: orNull("Link to the picture"),
    members: Type.Array(
      Type.Object(
        {
          action: Type.Enum(["added", "removed", "left", "promoted", "demoted"], {
            description: "What happened to this person",
          }),
          ...person,
        },
        { title: "MembershipChange" },
      ),
      { description: "Members who joined, left or changed their role" },
    ),
  },
  { title: "GroupMembershipsUpdate" },
);
export type MembersItem = Static<typeof membersItem>;

/** `crm_entities.contact_add` */
export const contactAddItem = Type.Object(
  {
    responsible_user_id: text("The responsible employee"),
    name: text("Name of the client"),
    contact_data: Type.Array(Type.Object(chat), { description: "Chats of the contact" }),
    recipient,
    source: creationSource,
  },
  { title: "ContactCreation" },
);

/** `crm_entities.deal_add` */
export const dealAddItem = Type.Object(
  {
    responsible_user_id: text("The responsible employee"),
    contacts: Type.Array(Type.String(), { description: "Ids of the deal's contacts" }),
    source: creationSource,
  },
  { title: "DealCreation" },
);
