import { type Static, type TSchema, Type } from "typebox";
import { CHAT_TYPES, TIERS } from "../transport/definition.ts";
import { RESTRICTION_KINDS } from "../transport/errors.ts";
import { MESSAGE_TYPES, messageExtras, REPORTED_STATUSES, sender } from "../transport/message.ts";

// Items of the webhooks of v3. These shapes type the payload builders and are part of the OpenAPI document.

const text = (description: string) => Type.String({ description });
/** Our id. */
const id = (description: string) => Type.String({ format: "uuid", description });
const maybe = <T extends TSchema>(shape: T) => Type.Optional(shape);
const flag = (description: string) => Type.Boolean({ description });

const interactiveItem = Type.Object(
  {
    type: Type.String({
      description:
        "pressed: the button that the customer pressed. In an outgoing message: text, callback, link or message. Others: the kind of a structured answer, such as a form",
    }),
    text: maybe(text("Label of the button")),
    payload: maybe(text("The data sent back when the button is pressed; of an answer, its JSON")),
    url: maybe(text("The address that the button opens")),
  },
  { title: "Interactive", description: "A button, or a structured answer" },
);

const messageError = Type.Object(
  { error: text("Code, such as BAD_CONTACT"), description: text("Description of the error") },
  { title: "MessageError", description: "The error; only with the status error" },
);

const contact = Type.Object(
  {
    name: text("Name in the messenger; of a group, its title"),
    avatarUri: maybe(text("Link to the picture, once it is known")),
    username: maybe(text("Username without @, if the messenger reports it")),
    phone: maybe(text("International, digits only, if the messenger reports it")),
    avitoProfileId: maybe(text("avito only: the buyer, who may have several chats")),
  },
  { title: "MessageContact", description: "The person or group of the chat" },
);

const oldInfo = Type.Object(
  {
    oldText: maybe(text("Text before")),
    oldAuthorId: maybe(text("The previous author: the employee's id in the CRM")),
    oldAuthorName: maybe(text("The previous author's name")),
    oldContentUri: maybe(text("Link to the file before, if an edit replaced it")),
  },
  { title: "OldInfo", description: "What an edit or deletion replaced" },
);

const chat = {
  channelId: id("Channel"),
  chatType: Type.Enum([...CHAT_TYPES], { description: "Kind of chat" }),
  chatId: text("The chat's id in the messenger"),
};
const dateTime = Type.String({
  format: "date-time",
  description: "Time of sending by the messenger's clock: UTC, yyyy-mm-ddThh:mm:ss.mmmZ",
});
const type = Type.Enum([...MESSAGE_TYPES], { description: "Kind of content" });
const status = Type.Enum([...REPORTED_STATUSES], { description: "inbound: written by the customer" });
const content = {
  text: maybe(text("The text, or the caption of a file")),
  contentUri: maybe(text("Link to the file")),
  authorName: maybe(text("Name of the author; of outgoing messages only")),
};

const { post, ...extras } = messageExtras;
/** Fields of a message only if they apply to it. */
export const details = {
  error: maybe(messageError),
  authorId: maybe(text("Employee who wrote it, as the CRM names them")),
  sentFromApp: maybe(Type.Literal(true, { description: "Written on the service's own chat page" })),
  sender: maybe(sender),
  instPost: post,
  ...extras,
  interactive: maybe(
    Type.Array(interactiveItem, { description: "Buttons, the pressed one, or structured answers" }),
  ),
  isEdited: maybe(Type.Literal(true, { description: "The message was changed" })),
  isDeleted: maybe(Type.Literal(true, { description: "The message was deleted" })),
  oldInfo: maybe(oldInfo),
};

export const quotedItem = Type.Object(
  {
    messageId: maybe(id("Id of the quoted message; absent if the service never stored it")),
    ...chat,
    dateTime: maybe(dateTime),
    type,
    status: maybe(status),
    ...content,
    isEcho: maybe(flag("true for an outgoing message; absent if unknown")),
    contact: maybe(contact),
    ...details,
  },
  { title: "QuotedMessage", description: "The quoted message" },
);

/** "Message webhook item" of the interface. */
export const messageItem = Type.Object(
  {
    messageId: id("Id of the message"),
    ...chat,
    dateTime,
    type,
    status,
    ...content,
    isEcho: flag("true for every outgoing message, its edits and deletions; false for the customer's"),
    contact,
    ...details,
    quotedMessage: maybe(quotedItem),
  },
  { title: "Message" },
);
export type MessageItem = Static<typeof messageItem>;

/** "Status webhook item". */
export const statusItem = Type.Object(
  {
    messageId: id("Id of the message"),
    timestamp: Type.String({
      format: "date-time",
      description: "When the service learned of it; never earlier than the previous status",
    }),
    status: Type.Enum(["sent", "delivered", "read", "error", "edited"], {
      description: "edited: changed in the messenger itself",
    }),
    error: maybe(
      Type.Object(
        {
          error: text("Code, such as BAD_CONTACT"),
          description: text("Description of the error"),
          data: maybe(text("The messenger's error")),
        },
        { description: "Only with the status error" },
      ),
    ),
  },
  { title: "MessageStatus" },
);
export type StatusItem = Static<typeof statusItem>;

const orNull = (description: string) => Type.Unsafe<string | null>({ type: ["string", "null"], description });

/** Fields of a reaction in both versions. */
export const reaction = {
  emoji: orNull("The emoji; null: the reaction was removed. A person has one reaction to a message"),
  from: Type.Union(
    [
      Type.Object(
        { id: text("Id in the messenger"), name: text("Name in the messenger") },
        { title: "ReactionAuthor" },
      ),
      Type.Literal("us", { description: "The channel's own account" }),
    ],
    { description: "Who reacted" },
  ),
};

/** A reaction to a message. */
export const reactionItem = Type.Object(
  {
    messageId: id("Id of the message"),
    ...chat,
    ...reaction,
    timestamp: Type.String({ format: "date-time", description: "Time of the reaction" }),
  },
  { title: "Reaction" },
);

/** What the messenger does not allow the account of a channel; the same in both versions. */
export const restrictions = Type.Array(
  Type.Object(
    {
      kind: Type.Enum([...RESTRICTION_KINDS], {
        description:
          "new_chats: may not write to people first; replies: may not answer people; unanswered: no more messages to people who do not answer; spam: messages are refused as spam; volume: the limit of messages is reached; quality: a warning, people dislike its messages; block_announced: the messenger will block it",
      }),
      reason: text("A sentence for the owner of the channel, in English"),
      since: Type.String({ format: "date-time", description: "When the service learned of it" }),
      until: Type.Unsafe<string | null>({
        type: ["string", "null"],
        format: "date-time",
        description: "When it ends; null if the messenger does not say",
      }),
    },
    { title: "Restriction" },
  ),
  {
    description:
      "What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left",
  },
);

/** "Channel update item". */
export const channelItem = Type.Object(
  {
    channelId: id("Channel"),
    state: text("State of the channel, such as active, qr or phoneUnavailable"),
    tier: maybe(Type.Enum([...TIERS], { description: "Business channels only" })),
    qr: maybe(text("The QR code to scan, as a data: URI; with the state qr")),
    qridle: maybe(Type.Literal("qridle", { description: "With the state qridle: nobody scanned the code" })),
    restrictions: maybe(restrictions),
    timestamp: Type.Integer({ description: "When the status was set, in milliseconds" }),
  },
  { title: "ChannelUpdate" },
);
export type ChannelItem = Static<typeof channelItem>;

/** Template moderation update. */
export const templateItem = Type.Object(
  {
    templateGuid: text("Id of the template"),
    name: text("Name of the template"),
    status: Type.Enum(["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED"], {
      description: "Where its moderation stands",
    }),
  },
  { title: "TemplateStatus" },
);
export type TemplateItem = Static<typeof templateItem>;

export const creationSource = Type.Enum(["auto", "byUser"], {
  description: "auto: caused by a message; byUser: by an employee's button",
});

export const contactRequest = Type.Object(
  {
    responsibleUserId: text("The responsible employee"),
    name: text("Name of the client"),
    contactData: Type.Array(
      Type.Object({
        chatType: Type.Enum([...CHAT_TYPES], { description: "Kind of chat" }),
        chatId: text("The chat's id in the messenger"),
      }),
      { description: "Chats of the contact" },
    ),
    source: creationSource,
  },
  { title: "ContactCreation" },
);

export const dealRequest = Type.Object(
  {
    responsibleUserId: text("The responsible employee"),
    contacts: Type.Array(Type.String(), { description: "Ids of the deal's contacts" }),
    source: creationSource,
  },
  { title: "DealCreation" },
);
