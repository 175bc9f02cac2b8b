import { type TSchema, Type } from "typebox";
import { type Shape, typed } from "../../platform/foreign/schema.ts";
import { CHAT_TYPES, MEDIA_KINDS } from "./definition.ts";
import { address, cutTo, link, name, title, words } from "./text-schema.ts";

// The one description of a message. From these schemas derive the types that connectors use (`events.ts`), the check of
// their events (`event-shape.ts`) and its limits (`bounded-event.ts`), what is stored in `messages.content`, both webhooks' items, the chat page's messages
// and their parts of the OpenAPI documents. Descriptions are part of these documents.

/** Values of `type`. */
export const MESSAGE_TYPES = [
  "text",
  ...MEDIA_KINDS,
  "vcard",
  "geo",
  "wapi_template",
  "unsupported",
  "missing_call",
  "unknown",
] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

/** Values of `status` in webhooks. */
export const REPORTED_STATUSES = ["inbound", "sent", "delivered", "read", "error"] as const;
/** All values; `queued` until the messenger has accepted an outgoing message. */
export const MESSAGE_STATUSES = ["queued", ...REPORTED_STATUSES] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** A receiver learns of a message only once it is sent, so for a receiver it is never queued. Pure. */
export function reportedStatus(status: MessageStatus): (typeof REPORTED_STATUSES)[number] {
  return status === "queued" ? "sent" : status;
}

const maybe = <T extends TSchema>(shape: T) => Type.Optional(shape);
/** A text that is not empty. Indexes take no longer ones. */
export const id = Type.String({ minLength: 1, maxLength: 2_000 });
/** Years that databases and JSON write with four digits. */
export const date = typed<Date>({ type: "date" });
export const chatType = Type.Enum([...CHAT_TYPES], { description: "Kind of chat" });

export const messageRef = { chatType, chatId: id, externalId: id };

export const fileRef = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 64 * 1024 }),
  name: maybe(name()),
  mimeType: maybe(name()),
  /** Bytes. */
  size: maybe(Type.Integer({ minimum: 0 })),
});

export const contact = Type.Object({
  name: name(),
  username: maybe(name()),
  /** International, digits only. */
  phone: maybe(name()),
  avatar: maybe(fileRef),
  /** Id of the person's profile, if the chat has its own id and one person may have several chats. */
  profileId: maybe(name()),
});

export const sender = Type.Object(
  { id: Type.String({ description: "Id in the messenger" }), name: name("Name in the messenger") },
  { title: "Sender", description: "The sender; in groups only" },
);

export const messageBody = Type.Union([
  Type.Object({ type: Type.Literal("text"), text: words() }),
  Type.Object({
    type: Type.Literal("media"),
    media: Type.Enum([...MEDIA_KINDS]),
    file: fileRef,
    text: words(),
  }),
  Type.Object({
    type: Type.Literal("geo"),
    latitude: Type.Number(),
    longitude: Type.Number(),
    text: words(),
  }),
  Type.Object({ type: Type.Literal("vcard"), vcard: words() }),
  Type.Object({ type: Type.Literal("missing_call") }),
  Type.Object({
    type: Type.Literal("unsupported"),
    /** Names the kind for people, for example "poll". */
    what: title(),
    /** What a person can read of it: a poll's question and options, a product's title. */
    text: maybe(words()),
    /**
     * The content may still arrive; a later message with the same id then takes this one's place, and is published as an
     * edit of it.
     */
    isAwaited: maybe(Type.Literal(true)),
  }),
]);

/** With further details from its messenger. */
interface Post {
  readonly id: string;
  readonly src: string;
  readonly author: string;
  readonly description: string;
  readonly [more: string]: string | number;
}
/** Any other field. */
const MORE = cutTo("address", {});
const post = typed<Post>(
  Type.Object(
    {
      id: Type.String({ description: "Id of the post" }),
      src: address("Address of the post"),
      author: address("The author of the post"),
      description: words("Its text"),
    },
    { title: "Post", description: "The post that the message is a comment on", additionalProperties: MORE },
  ),
);

const advert = Type.Object(
  {
    id: Type.String({ description: "Id of the listing" }),
    title: maybe(name("Its title")),
    url: maybe(link("Its address")),
    /** With its currency. */
    price: maybe(name("Its price, as the messenger shows it")),
  },
  { title: "Advert", description: "avito only: the listing that the chat is about" },
);

const referral = Type.Object(
  {
    source: Type.Enum(["ad", "post", "product", "link", "unknown"], {
      description: "What the customer opened the chat from",
    }),
    sourceId: maybe(name("Its id in the messenger")),
    sourceUrl: maybe(link("Its address")),
    headline: maybe(name("Its title")),
    body: maybe(words("Its text")),
    ref: maybe(words("The parameter of the link or advertisement")),
    clickId: maybe(name("Id of the click, for reports of conversions")),
  },
  { title: "Referral", description: "Where the message came from" },
);

/**
 * Optional fields of a message that pass unchanged from its connector to webhooks and pages. A new one is a line here, the
 * connectors that know it, and a line in `web/chat/bubbles/body.tsx`.
 */
export const messageExtras = {
  /**
   * The post that this is a comment on. Comments are messages of the chat with their author, with the comment's own id;
   * `quoted` is the comment that they reply to. They do not open `Capabilities.replyWindow`.
   */
  post: maybe(post),
  /** The listing that the chat is about, on marketplaces. */
  advert: maybe(advert),
  /** `ref` is the payload of a link to a bot. */
  referral: maybe(referral),
  /** A notice of the messenger itself. It does not count as unanswered and creates no contact or deal. */
  isSystem: maybe(
    Type.Literal(true, { description: "A notice of the messenger itself, not the customer's words" }),
  ),
  /** Imported after the channel was linked. As `isSystem`; it is not reported to webhooks either. */
  isHistory: maybe(Type.Literal(true, { description: "Written before the channel was linked" })),
};
export const messageExtrasShape = Type.Object(messageExtras);
/** The fields that this message has. */
export type MessageExtras = Shape<typeof messageExtrasShape>;

/** Fields of a message that webhooks and pages show as `interactive`. */
const messageInputs = {
  /** A button of ours that was pressed, with its payload. */
  pressed: maybe(Type.Object({ text: words(), payload: maybe(words()) })),
  /**
   * Structured answers: a form, an order, data of a mini-app. `type` names the kind, `payload` is its JSON as text. The
   * body has a readable line for each field.
   */
  answers: maybe(Type.Array(Type.Object({ type: title(), payload: words() }))),
};
const messageInputsShape = Type.Object(messageInputs);
export type MessageInputs = Shape<typeof messageInputsShape>;

const quoted = Type.Object({
  externalId: id,
  body: maybe(messageBody),
  /** What the reply is about, if that is only a part of the quoted text. Shown instead of the whole, also if we stored it. */
  part: maybe(words()),
  /** The author's name. */
  authorName: maybe(name()),
  /** Where a browser shows what is quoted; it may be valid for a time only, as that of a story is. */
  link: maybe(link()),
});

export const inboundMessage = Type.Object({
  ...messageRef,
  /** Another id of this chat in the messenger, under which it may be stored. */
  formerChatId: maybe(id),
  /** `echo`: written by the channel's owner elsewhere, for example on the phone. */
  direction: Type.Enum(["in", "echo"]),
  /** The messenger's time of sending. */
  sentAt: date,
  /** The chat's name and the person's identifiers, as far as the messenger provides them. */
  contact,
  /** The author, in a group. */
  sender: maybe(Type.Object({ id, name: name() })),
  body: messageBody,
  ...messageInputs,
  ...messageExtras,
  /**
   * The quoted message; `body` is used if we never stored it. A reply to a story of the channel's owner quotes the story
   * by its id.
   */
  quoted: maybe(quoted),
});

const EXTRAS = Object.keys(messageExtras) as readonly (keyof MessageExtras)[];
const KEPT = [...EXTRAS, ...(Object.keys(messageInputs) as readonly (keyof MessageInputs)[])] as const;

/** The extras of a message, from the message or its stored content. Pure. */
export function extrasOf(of: MessageExtras): MessageExtras {
  return picked(of, EXTRAS);
}

/** The extras and inputs of a message, as they are stored. Pure. */
export function keptFieldsOf(message: MessageExtras & MessageInputs): MessageExtras & MessageInputs {
  return picked(message, KEPT);
}

function picked<T extends object, K extends keyof T>(of: T, names: readonly K[]): Pick<T, K> {
  const found: Partial<T> = {};
  for (const name of names) if (of[name] !== undefined) found[name] = of[name];
  return found as Pick<T, K>;
}
