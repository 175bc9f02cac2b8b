import type { CallbackQuery, Chat, Message, Update, User } from "@grammyjs/types";
import type { ChatType } from "../../core/transport/definition.ts";
import type { Contact, InboundMessage, MessageBody, TransportEvent } from "../../core/transport/events.ts";
import { toBody } from "./body.ts";
import { fromGroupNote, fromMembership } from "./group-news.ts";
import { chatTypeOf, fromUnix, nameOf, refOf } from "./names.ts";
import { isServiceMessage } from "./service-messages.ts";

/** The kinds of updates that Telegram is asked for (Bot API, `Update`). */
export const ALLOWED_UPDATES = [
  "message",
  "edited_message",
  "callback_query",
  "my_chat_member",
  "chat_member",
] as const;

export interface InboundContext {
  /** The bot's own user id: what it wrote itself is no news. */
  readonly botId: string;
  /** Stands for the time of a press, which Telegram does not tell. */
  readonly now: Date;
}

/** What an update tells, in order. Never fails for kinds it does not know. */
export function toEvents(update: Update, context: InboundContext): TransportEvent[] {
  if (update.message) return fromMessage(update.message, context);
  if (update.edited_message) return fromEdited(update.edited_message, context);
  if (update.callback_query) return fromPress(update.callback_query, context);
  const membership = update.my_chat_member ?? update.chat_member;
  if (membership) return fromMembership(membership);
  return [];
}

function fromMessage(message: Message, context: InboundContext): TransportEvent[] {
  const chatType = chatTypeOf(message.chat);
  if (chatType === null) return [];
  if (message.migrate_to_chat_id !== undefined) {
    const newChatId = String(message.migrate_to_chat_id);
    return [{ kind: "moved", chatType, chatId: String(message.chat.id), newChatId }];
  }
  // Both groups tell of it, and updates of different chats may overtake each other.
  if (message.migrate_from_chat_id !== undefined) {
    const chatId = String(message.migrate_from_chat_id);
    return [{ kind: "moved", chatType, chatId, newChatId: String(message.chat.id) }];
  }
  const news = fromGroupNote(message);
  if (news !== null) return news;
  const body = writtenBody(message, context);
  if (body === null) return [];
  const quoted = quotedOf(message);
  return [
    {
      kind: "message",
      message: {
        ...refOf(message, chatType),
        direction: "in",
        sentAt: fromUnix(message.date),
        contact: contactOf(message.chat, message.from, message),
        ...senderOf(message, chatType),
        body,
        ...(quoted && { quoted }),
      },
    },
  ];
}

/** A live location changes its place every few seconds; that is not an edit. */
function fromEdited(message: Message, context: InboundContext): TransportEvent[] {
  const chatType = chatTypeOf(message.chat);
  const body = writtenBody(message, context);
  if (chatType === null || body === null || body.type === "geo") return [];
  const at = fromUnix(message.edit_date ?? message.date);
  return [{ kind: "edited", ref: refOf(message, chatType), body, at }];
}

/** A press is a message with the button's label, since people see a label, and programs read the payload. */
function fromPress(press: CallbackQuery, { now }: InboundContext): TransportEvent[] {
  const { message, data, from } = press;
  const chatType = message ? chatTypeOf(message.chat) : null;
  if (!message || data === undefined || chatType === null) return [];
  const text = labelOf(message.reply_markup?.inline_keyboard, data) ?? data;
  const body = isAccessible(message) ? toBody(message) : null;
  return [
    {
      kind: "message",
      message: {
        ...refOf(message, chatType),
        externalId: `callback:${press.id}`,
        direction: "in",
        sentAt: now,
        contact: contactOf(message.chat, from),
        ...(chatType === "telegroup" && { sender: { id: String(from.id), name: nameOf(from) } }),
        body: { type: "text", text },
        pressed: { text, payload: data },
        quoted: { externalId: String(message.message_id), ...(body && { body }) },
      },
    },
  ];
}

type Buttons = readonly (readonly object[])[];

function labelOf(rows: Buttons | undefined, data: string): string | undefined {
  const button = rows?.flat().find((each) => "callback_data" in each && each.callback_data === data);
  return button && "text" in button && typeof button.text === "string" ? button.text : undefined;
}

/** Telegram gives a deleted or very old message the date 0 and no content. */
function isAccessible(message: { readonly date: number }): boolean {
  return message.date !== 0;
}

/** Null for notes about the chat, for our own messages, and for service messages. */
function writtenBody(message: Message, { botId }: InboundContext): MessageBody | null {
  if (String(message.from?.id) === botId || isServiceMessage(message)) return null;
  return toBody(message) ?? { type: "unsupported", what: "message" };
}

function contactOf(chat: Chat, from: User | undefined, message?: Message): Contact {
  if (chat.type !== "private") return { name: chat.title, ...(chat.username && { username: chat.username }) };
  const person = from ?? chat;
  const username = person.username ?? chat.username;
  const phone = message && ownPhone(message);
  return {
    name: nameOf(person),
    ...(username && { username }),
    ...(phone && { phone }),
    avatar: { token: `${AVATAR_PREFIX}${chat.id}` },
  };
}

/** Begins the token of a person's picture; ids of files have no colon. */
export const AVATAR_PREFIX = "avatar:";

/** A number is known only when a person shares their own contact. */
function ownPhone({ contact, from }: Message): string | undefined {
  if (!contact || contact.user_id === undefined || contact.user_id !== from?.id) return undefined;
  return contact.phone_number.replace(/\D/g, "") || undefined;
}

/** Anonymous admins and linked channels write as a chat; `from` is then a stand-in. */
function senderOf({ from, sender_chat }: Message, chatType: ChatType): Pick<InboundMessage, "sender"> {
  if (chatType !== "telegroup") return {};
  const sender = sender_chat ?? from;
  return sender ? { sender: { id: String(sender.id), name: nameOf(sender) } } : {};
}

function quotedOf(message: Message): InboundMessage["quoted"] {
  const { reply_to_message: reply, external_reply: external, reply_to_story: story, quote } = message;
  const quoteBody: MessageBody | null = quote ? { type: "text", text: quote.text } : null;
  // Every message of a forum topic "replies" to the note that opened it.
  if (reply && !isServiceMessage(reply))
    return quotedMessage(String(reply.message_id), toBody(reply) ?? quoteBody);
  if (external) {
    const place = external.chat ? `${external.chat.id}:${external.message_id}` : String(message.message_id);
    return quotedMessage(`external:${place}`, toBody(external) ?? quoteBody);
  }
  if (story) return quotedMessage(`story:${story.chat.id}:${story.id}`, toBody({ story }));
  return undefined;
}

function quotedMessage(externalId: string, body: MessageBody | null): NonNullable<InboundMessage["quoted"]> {
  return { externalId, ...(body && { body }) };
}
