import type { ChatType } from "../../core/transport/definition.ts";
import type { Contact, InboundMessage, MessageRef, TransportEvent } from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign/foreign-date.ts";
import { required } from "../kit/json.ts";
import { referralFrom, startText } from "../kit/referral.ts";
import { pressedIn, quotedBody, toBodies } from "./body.ts";
import type { InboundContext } from "./context.ts";
import { fromGroupUpdate } from "./group-updates.ts";
import { chatTypeOf, dialogId, nameOf } from "./names.ts";
import type { MaxAttachment, MaxBody, MaxMessage, MaxUpdate, MaxUser } from "./update.ts";

/** The update types to subscribe to (dev.max.ru, "Update"). */
export const UPDATE_TYPES = [
  "message_created",
  "message_callback",
  "message_edited",
  "message_removed",
  "bot_started",
  "bot_stopped",
  "dialog_removed",
  "bot_added",
  "bot_removed",
  "user_added",
  "user_removed",
  "chat_title_changed",
] as const;

/** The largest number of attachments in a message (dev.max.ru, "POST /messages"). */
const MAX_ATTACHMENTS = 12;

/** Maps an update, in order. Unknown types map to nothing. Throws `Unreadable`. */
export function toEvents(update: MaxUpdate, context: InboundContext): TransportEvent[] {
  switch (update.update_type) {
    case "message_created":
      return fromMessage(required(update.message, "message"), context);
    case "message_edited":
      return fromEdited(required(update.message, "message"), update, context);
    case "message_removed":
      return fromRemoved(update, context);
    case "message_callback":
      return fromPress(update, context);
    case "bot_started":
      return fromStart(update, context);
    default:
      return fromGroupUpdate(update, context);
  }
}

interface Place {
  readonly chatType: ChatType;
  readonly chatId: string;
}

/** Returns null for a channel. */
function placeOf({ recipient }: MaxMessage): Place | null {
  const chatId = required(recipient?.chat_id, "message.recipient.chat_id");
  const chatType = chatTypeOf(chatId, recipient?.chat_type);
  return chatType && { chatType, chatId };
}

function isOwn({ sender }: MaxMessage, { self }: InboundContext): boolean {
  return sender?.user_id === self.id;
}

/** Maps an album to one message per file; all but the first have derived ids. */
function fromMessage(message: MaxMessage, context: InboundContext): TransportEvent[] {
  const place = placeOf(message);
  const mid = midOf(message);
  if (place === null || isOwn(message, context)) return [];
  const common = {
    ...place,
    direction: "in" as const,
    sentAt: dateFromUnix(message.timestamp, context.now),
    ...peopleOf(place, message.sender ?? {}, context),
  };
  const phone = place.chatType === "max" ? ownPhone(message) : undefined;
  if (phone !== undefined) common.contact = { ...common.contact, phone };
  const pressed = pressedIn(message.body ?? {});
  const quoted = quotedOf(message);
  const first = { ...(pressed && { pressed }), ...(quoted && { quoted }) };
  return toBodies(contentOf(message)).map((body, index) => ({
    kind: "message",
    message: { ...common, externalId: partId(mid, index), body, ...(index === 0 && first) },
  }));
}

/** A message that only forwards another one may have no body of its own (dev.max.ru, "Message"). */
function midOf({ body, link, timestamp }: MaxMessage): string {
  const forwarded = link?.message?.mid;
  const derived = forwarded === undefined ? undefined : `forward:${forwarded}:${timestamp ?? ""}`;
  return required(body?.mid ?? derived, "message.body.mid");
}

/** What a message says itself; what it replies to is its quotation. */
export function contentOf({ body = {}, link }: MaxMessage): MaxBody {
  return link === undefined || link.type === "reply" ? body : { ...body, link };
}

function partId(mid: string, index: number): string {
  return index === 0 ? mid : `${mid}#${index + 1}`;
}

/**
 * An edit of every file, because MAX does not say which one changed; core publishes those that did. Files that the edit
 * added are new messages; the others were stored under these ids. An edit without content is none.
 */
function fromEdited(message: MaxMessage, update: MaxUpdate, context: InboundContext): TransportEvent[] {
  const at = dateFromUnix(update.timestamp, context.now);
  return fromMessage(message, context).flatMap((event, index): TransportEvent[] => {
    if (event.kind !== "message") return [];
    const { chatType, chatId, externalId, body } = event.message;
    const edited = { kind: "edited" as const, ref: { chatType, chatId, externalId }, body, at };
    return index === 0 ? [edited] : [event, edited];
  });
}

/** MAX does not say how many files the message had, so every possible part is removed. */
function fromRemoved(update: MaxUpdate, { now }: InboundContext): TransportEvent[] {
  const mid = required(update.message_id, "message_id");
  const chatId = required(update.chat_id, "chat_id");
  const chatType = chatTypeOf(chatId);
  if (chatType === null) return [];
  const at = dateFromUnix(update.timestamp, now);
  return Array.from({ length: MAX_ATTACHMENTS }, (_, index) => {
    const ref: MessageRef = { chatType, chatId, externalId: partId(mid, index) };
    return { kind: "deleted", ref, at };
  });
}

/** Maps a button press to a message with the button's label as text and its payload. */
function fromPress({ callback, message }: MaxUpdate, context: InboundContext): TransportEvent[] {
  const id = required(callback?.callback_id, "callback.callback_id");
  const person = callback?.user ?? {};
  const place = placeOfPress(message, person, context);
  if (place === null) return [];
  const payload = callback?.payload ?? "";
  const text = labelOf(message?.body?.attachments, payload) ?? payload;
  return [
    {
      kind: "message",
      message: {
        ...place,
        externalId: `callback:${id}`,
        direction: "in",
        sentAt: dateFromUnix(callback?.timestamp, context.now),
        ...peopleOf(place, person, context),
        body: { type: "text", text },
        pressed: { text, payload },
        ...pressedMessage(message),
      },
    },
  ];
}

/** A press on a deleted message names no chat; it belongs to the dialog with the person. */
function placeOfPress(
  message: MaxMessage | undefined,
  person: MaxUser,
  context: InboundContext,
): Place | null {
  if (message?.recipient?.chat_id !== undefined) return placeOf(message);
  const userId = required(person.user_id, "chat and no user");
  return { chatType: "max", chatId: dialogId(context.self.id, userId) };
}

function pressedMessage(message: MaxMessage | undefined): Pick<InboundMessage, "quoted"> {
  const { body } = message ?? {};
  return body?.mid === undefined ? {} : { quoted: quoteOf(body.mid, body) };
}

/** The label of the button with this payload. Buttons of other types have none, or one that is not reported. */
export function labelOf(
  attachments: readonly MaxAttachment[] | undefined,
  payload: string,
): string | undefined {
  const buttons = (attachments ?? []).flatMap((each) => each.payload?.buttons?.flat() ?? []);
  const callbacks = buttons.filter(({ type }) => type === undefined || type === "callback");
  return callbacks.find((button) => (button.payload ?? "") === payload)?.text;
}

/**
 * Pressing Start opens the dialog. Emitted like Telegram's `/start`, with the payload of the link that was opened.
 */
function fromStart(update: MaxUpdate, context: InboundContext): TransportEvent[] {
  const { user = {}, payload, timestamp } = update;
  const place: Place = { chatType: "max", chatId: required(update.chat_id, "chat_id") };
  return [
    {
      kind: "message",
      message: {
        ...place,
        externalId: `start:${timestamp ?? ""}`,
        direction: "in",
        sentAt: dateFromUnix(timestamp, context.now),
        ...peopleOf(place, user, context),
        body: { type: "text", text: startText(payload) },
        ...referralFrom("link", { ref: payload }),
      },
    },
  ];
}

function peopleOf(
  { chatType, chatId }: Place,
  person: MaxUser,
  { titleOf }: InboundContext,
): Pick<InboundMessage, "contact" | "sender"> {
  if (chatType === "max") return { contact: contactOf(person) };
  const sender = person.user_id === undefined ? {} : { sender: { id: person.user_id, name: nameOf(person) } };
  return { contact: { name: titleOf(chatId) }, ...sender };
}

/** A phone number is known only if people share their own contact; a forwarded one is not theirs. */
function ownPhone({ sender, body }: MaxMessage): string | undefined {
  const own = body?.attachments?.find(
    ({ type, payload }) =>
      type === "contact" && sender?.user_id !== undefined && payload?.max_info?.user_id === sender.user_id,
  );
  const [, number = ""] = /^TEL[^:\r\n]*:([^\r\n]*)/im.exec(own?.payload?.vcf_info ?? "") ?? [];
  return number.replace(/\D/g, "") || undefined;
}

function contactOf(person: MaxUser): Contact {
  const { username, full_avatar_url, avatar_url } = person;
  const picture = full_avatar_url ?? avatar_url;
  return {
    name: nameOf(person),
    ...(username !== undefined && { username }),
    ...(picture !== undefined && { avatar: { token: `url:${picture}` } }),
  };
}

function quotedOf({ link }: MaxMessage): InboundMessage["quoted"] {
  if (link?.type !== "reply" || link.message?.mid === undefined) return undefined;
  return quoteOf(link.message.mid, link.message);
}

function quoteOf(externalId: string, content: MaxBody): NonNullable<InboundMessage["quoted"]> {
  const body = quotedBody(content);
  return { externalId, ...(body && { body }) };
}
