import type { ChatType } from "../../core/transport/definition.ts";
import type {
  Contact,
  InboundMessage,
  MessageBody,
  MessageRef,
  TransportEvent,
} from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign/foreign-date.ts";
import { required } from "../kit/json.ts";
import { referralFrom } from "../kit/referral.ts";
import { wordsIn } from "../kit/words.ts";
import { toBodies, toBody, withButtons } from "./body.ts";
import type { TgChat, TgUser } from "./content.ts";
import { fromMembership, fromServiceMessage } from "./group-updates.ts";
import { chatTypeOf, knownName, nameOf, refOf } from "./names.ts";
import { noticeOf } from "./notices.ts";
import { quotedOf } from "./quoted.ts";
import { isServiceMessage } from "./service-messages.ts";
import type { TgMessage, TgPress, TgReaction, TgUpdate } from "./update.ts";

/** The update types to request (Bot API, `Update`). */
export const ALLOWED_UPDATES = [
  "message",
  "edited_message",
  "callback_query",
  "message_reaction",
  "my_chat_member",
  "chat_member",
] as const;

export interface InboundContext {
  /** The bot's own user id; its own messages are ignored. */
  readonly botId: string;
  /** Used for the time of a button press, which Telegram does not report. */
  readonly now: Date;
}

/** Maps an update, in order; unknown types map to nothing. Throws `Unreadable`. */
export function toEvents(update: TgUpdate, context: InboundContext): TransportEvent[] {
  if (update.message) return fromMessage(update.message, context);
  if (update.edited_message) return fromEdited(update.edited_message, context);
  if (update.callback_query) return fromPress(update.callback_query, context);
  if (update.message_reaction) return fromReaction(update.message_reaction, context);
  const membership = update.my_chat_member ?? update.chat_member;
  return membership ? fromMembership(membership, update.id) : [];
}

function fromMessage(message: TgMessage, context: InboundContext): TransportEvent[] {
  const chatType = chatTypeOf(message.chat);
  if (chatType === null) return [];
  const move = moveOf(message, chatType);
  if (move !== null) return [move];
  const news = fromServiceMessage(message);
  if (news !== null) return news;
  if (message.from?.id === context.botId) return [];
  const { bodies, ...more } = noticeOf(message) ?? { bodies: writtenBodies(message) };
  const quoted = quotedOf(message);
  const ref = refOf(message, chatType);
  const common = {
    direction: message.isByChannel === true ? ("echo" as const) : ("in" as const),
    sentAt: dateFromUnix(message.date, context.now),
    contact: contactOf(message, message.isByChannel === true ? undefined : message.from),
    ...senderOf(message, chatType),
  };
  return bodies.map((body, index) => ({
    kind: "message",
    message: {
      ...partRef(ref, index),
      ...common,
      body,
      ...(index === 0 && { ...more, ...(quoted && { quoted }), ...referralOf(message) }),
    },
  }));
}

/** A message with several files is several messages; all but the first have derived ids. */
function partRef(ref: MessageRef, index: number): MessageRef {
  return index === 0 ? ref : { ...ref, externalId: `${ref.externalId}#${index + 1}` };
}

/** A person who opens the bot by a link sends `/start` with the link's parameter (core.telegram.org/bots/features). */
function referralOf({ text = "" }: TgMessage): Pick<InboundMessage, "referral"> {
  return referralFrom("link", { ref: /^\/start(?:@\w+)? ([\w-]{1,64})$/.exec(text)?.[1] });
}

/**
 * Maps a migration to a supergroup. Both chats report it, because updates of different chats may arrive in any order.
 */
function moveOf(message: TgMessage, chatType: ChatType): TransportEvent | null {
  const { note, chat } = message;
  const own = (): string => required(chat?.id, "chat id");
  if (message.migrate_to_chat_id) {
    const newChatId = required(note.migrate_to_chat_id, "readable migrate_to_chat_id");
    return { kind: "moved", chatType, chatId: own(), newChatId };
  }
  if (!message.migrate_from_chat_id) return null;
  const chatId = required(note.migrate_from_chat_id, "readable migrate_from_chat_id");
  return { kind: "moved", chatType, chatId, newChatId: own() };
}

/**
 * Ignores updates of a live location, which arrive every few seconds and are not edits, and edits of a message without
 * content. For an edit that only concerns the buttons, Telegram reports no time.
 */
function fromEdited(message: TgMessage, { botId, now }: InboundContext): TransportEvent[] {
  const chatType = chatTypeOf(message.chat);
  if (chatType === null || message.from?.id === botId || isServiceMessage(message)) return [];
  if (message.reply_markup !== undefined && message.edit_date === undefined) return [];
  const ref = refOf(message, chatType);
  const at = dateFromUnix(message.edit_date ?? message.date, now);
  return writtenBodies(message)
    .filter(({ type }) => type !== "geo")
    .map((body, index) => ({ kind: "edited", ref: partRef(ref, index), body, at }));
}

/**
 * The reactions that a person has now (Bot API, `MessageReactionUpdated`); a premium user may have several, and custom
 * ones have no emoji. In groups the bot must be an administrator to get them.
 */
function fromReaction(reaction: TgReaction, { now }: InboundContext): TransportEvent[] {
  const chatType = chatTypeOf(reaction.chat);
  if (chatType === null) return [];
  const ref = refOf(reaction, chatType);
  // An anonymous administrator reacts as the group.
  const who: TgChat | TgUser = reaction.user ?? reaction.actor_chat ?? reaction.chat ?? {};
  const id = who.id ?? ref.chatId;
  const emoji = reaction.new_reaction?.find((each) => each.emoji !== undefined)?.emoji ?? null;
  const by = { id, name: nameOf(who) || id };
  return [{ kind: "reaction", ref, emoji, by, at: dateFromUnix(reaction.date, now) }];
}

/** Maps a button press to a message with the button's label as text and its payload. */
function fromPress(press: TgPress, { now }: InboundContext): TransportEvent[] {
  const { message, data, from } = press;
  // Ignores buttons of games, and buttons of inline messages in chats that the bot is not in.
  if (press.inline_message_id !== undefined || press.game_short_name !== undefined) return [];
  const chatType = chatTypeOf(required(message, "message of the button").chat);
  if (!message || chatType === null) return [];
  const payload = required(data, "data of the button");
  const text = labelOf(message.reply_markup?.inline_keyboard, payload) ?? payload;
  const body = message.date === 0 ? undefined : toBody(message);
  return [
    {
      kind: "message",
      message: {
        ...refOf(message, chatType),
        externalId: `callback:${required(press.id, "callback query id")}`,
        direction: "in",
        sentAt: now,
        contact: contactOf(
          { chat: message.chat, direct_messages_topic: message.direct_messages_topic },
          from,
        ),
        ...senderOf({ from }, chatType),
        body: { type: "text", text },
        pressed: { text, payload },
        quoted: { externalId: required(message.message_id, "message id"), ...(body && { body }) },
      },
    },
  ];
}

type Buttons = NonNullable<NonNullable<TgMessage["reply_markup"]>["inline_keyboard"]>;

function labelOf(rows: Buttons | undefined, data: string): string | undefined {
  return rows?.flat().find(({ callback_data }) => callback_data === data)?.text;
}

/** None for service messages and messages without content. Unknown content is `unsupported`. */
function writtenBodies(message: TgMessage): readonly MessageBody[] {
  if (isServiceMessage(message) || !message.hasContent) return [];
  const bodies = withButtons(toBodies(message), message.reply_markup);
  if (bodies.length > 0) return bodies;
  const text = wordsIn(message.unknown);
  return [{ type: "unsupported", what: "message", ...(text !== null && { text }) }];
}

type Written = Pick<TgMessage, "chat" | "from" | "contact" | "sender_chat" | "direct_messages_topic">;

/** An empty name leaves the stored group title unchanged. */
function contactOf(message: Written, from: TgUser | undefined): Contact {
  const { chat } = message;
  if (chatTypeOf(chat) !== "telegram")
    return { name: chat?.title ?? "", ...(chat?.username && { username: chat.username }) };
  const person = from ?? chat;
  const username = person?.username ?? chat?.username;
  const phone = ownPhone(message);
  return {
    name: knownName(person) || knownName(chat),
    ...(username && { username }),
    ...(phone && { phone }),
    avatar: { token: `${AVATAR_PREFIX}${message.direct_messages_topic?.user?.id ?? chat?.id}` },
  };
}

/** Prefix of a picture's token; file ids contain no colon. */
export const AVATAR_PREFIX = "avatar:";

/** A phone number is known only if a person shares their own contact. */
function ownPhone({ contact, from }: Written): string | undefined {
  if (contact?.user_id === undefined || contact.user_id !== from?.id) return undefined;
  return contact.phone_number?.replace(/\D/g, "") || undefined;
}

/** Anonymous administrators and linked channels write as a chat; `from` is then a placeholder. */
function senderOf(
  { from, sender_chat }: Pick<Written, "from" | "sender_chat">,
  chatType: ChatType,
): Pick<InboundMessage, "sender"> {
  if (chatType !== "telegroup") return {};
  const sender: TgChat | TgUser | undefined = sender_chat?.id === undefined ? from : sender_chat;
  return sender?.id === undefined ? {} : { sender: { id: sender.id, name: nameOf(sender) } };
}
