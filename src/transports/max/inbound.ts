import type { ChatType } from "../../core/transport/definition.ts";
import type {
  Contact,
  InboundMessage,
  MemberChange,
  MessageRef,
  TransportEvent,
} from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign/foreign-date.ts";
import { required } from "../kit/json.ts";
import { CONTROL, toBodies } from "./inbound/body.ts";
import { fileToken } from "./inbound/file-token.ts";
import type { MaxAttachment, MaxMessage } from "./inbound/update.ts";
import { dialogId } from "./people/ids.ts";

/** The maximum number of attachments in a message, as far as is known. */
const MAX_ATTACHMENTS = 10;

export interface Person {
  readonly name: string;
  readonly phone?: string;
  readonly avatarUrl?: string;
}

/** What is known about the account and the people who write to it. */
export interface InboundContext {
  readonly self: string;
  readonly now: Date;
  /** Null for channels, where nobody can write to the account. */
  readonly chatTypeOf: (chatId: string) => ChatType | null;
  /** The title of a group; "" if it is unknown. */
  readonly titleOf: (chatId: string) => string;
  readonly personOf: (userId: string) => Person;
  /** The id of our message with this `cid`, if this channel sent it. */
  readonly sentAs: (cid: string) => string | undefined;
  /** Whether the text is what this channel has just changed the message to. */
  readonly isOwnEdit: (messageId: string, text: string) => boolean;
  /** Whether a changed message was missed, so that it must be emitted, too. */
  readonly isMissed: (message: MaxMessage) => boolean;
}

/** Maps a new or changed message, in order. Throws `Unreadable`. */
export function fromMessage(
  chatId: string | undefined,
  message: MaxMessage | undefined,
  context: InboundContext,
): TransportEvent[] {
  const chat = required(chatId, "chat id");
  const about = required(message, "message");
  const externalId = required(about.id, "message id");
  const chatType = context.chatTypeOf(chat);
  if (chatType === null) return [];
  const ref: MessageRef = { chatType, chatId: chat, externalId };
  if (about.status === "REMOVED") return removed(ref, dateFromUnix(about.updateTime, context.now));
  const control = (about.attaches ?? []).find(({ _type }) => _type === CONTROL);
  if (control !== undefined) return fromControl(ref, about, { control, context });
  if (about.status !== "EDITED") return fromContent(ref, about, context);
  const body = toBodies(contentOf(about), { chatId: chat, messageId: externalId })[0];
  const at = dateFromUnix(about.updateTime, context.now);
  const isOurs = body.type === "text" && context.isOwnEdit(externalId, body.text);
  return [
    ...(context.isMissed(about) ? fromContent(ref, about, context) : []),
    ...(isOurs ? [] : [{ kind: "edited" as const, ref, body, at }]),
  ];
}

/** Maps an album to one message per file; all but the first have derived ids. */
function fromContent(ref: MessageRef, message: MaxMessage, context: InboundContext): TransportEvent[] {
  const { self, now } = context;
  const isOwn = message.sender === self;
  const sentAt = dateFromUnix(message.time, now);
  const messageId = isOwn && message.cid !== undefined ? context.sentAs(message.cid) : undefined;
  if (messageId !== undefined)
    return [{ kind: "receipt", ref: { ...ref, messageId }, status: "sent", at: sentAt }];
  const common = { ...ref, direction: isOwn ? ("echo" as const) : ("in" as const), sentAt };
  const people = peopleOf(ref, message, context);
  const phone = ref.chatType === "max" && !isOwn ? ownPhone(message) : undefined;
  const contact = { ...people.contact, ...(phone !== undefined && { phone }) };
  const quoted = quotedOf(ref, message, context);
  const bodies = toBodies(contentOf(message), { chatId: ref.chatId, messageId: ref.externalId });
  return bodies.map((body, index) => ({
    kind: "message",
    message: {
      ...common,
      ...people,
      contact,
      externalId: partId(ref.externalId, index),
      body,
      ...(quoted && index === 0 && { quoted }),
    },
  }));
}

/** The number that people tell by sharing their own contact. */
function ownPhone({ sender, attaches }: MaxMessage): string | undefined {
  const own = attaches?.find(
    ({ _type, contactId }) => _type === "CONTACT" && sender !== undefined && contactId === sender,
  );
  return own?.phone?.replace(/\D/g, "") || undefined;
}

/** A forwarded message is in the link; text added by the forwarder comes before it. */
function contentOf(message: MaxMessage): MaxMessage {
  const { link } = message;
  if (link?.type !== "FORWARD" || link.message === undefined) return message;
  const text = [message.text, link.message.text].filter((words) => words !== undefined).join("\n");
  return { ...link.message, text: text === "" ? undefined : text };
}

function partId(messageId: string, index: number): string {
  return index === 0 ? messageId : `${messageId}#${index + 1}`;
}

/** MAX does not say how many files the message had, so every possible part is removed. */
export function removed(ref: MessageRef, at: Date): TransportEvent[] {
  return Array.from({ length: MAX_ATTACHMENTS }, (_, index) => ({
    kind: "deleted",
    ref: { ...ref, externalId: partId(ref.externalId, index) },
    at,
  }));
}

function peopleOf(
  { chatType, chatId }: MessageRef,
  { sender }: MaxMessage,
  context: InboundContext,
): Pick<InboundMessage, "contact" | "sender"> {
  const { self, personOf } = context;
  if (chatType === "max") return { contact: contactOf(personOf(dialogId(self, chatId))) };
  const writer =
    sender === undefined ? {} : { sender: { id: idIn(self, sender), name: nameOf(sender, context) } };
  return { contact: { name: context.titleOf(chatId) }, ...writer };
}

/**
 * Group members are identified by their dialog with the account, which can be written to; the account by its own id.
 */
function idIn(self: string, userId: string): string {
  return userId === self ? self : dialogId(self, userId);
}

function nameOf(userId: string, { personOf }: InboundContext): string {
  return personOf(userId).name || userId;
}

function contactOf({ name, phone, avatarUrl }: Person): Contact {
  return {
    name,
    ...(phone !== undefined && { phone }),
    ...(avatarUrl !== undefined && { avatar: { token: fileToken({ kind: "picture", url: avatarUrl }) } }),
  };
}

function quotedOf(
  { chatId }: MessageRef,
  { link }: MaxMessage,
  context: InboundContext,
): InboundMessage["quoted"] {
  const externalId = link?.message?.id ?? link?.messageId;
  if (link?.type !== "REPLY" || externalId === undefined) return undefined;
  if (link.message === undefined) return { externalId };
  const { sender } = link.message;
  const author = sender === undefined ? "" : context.personOf(sender).name;
  return {
    externalId,
    body: toBodies(link.message, { chatId, messageId: externalId })[0],
    ...(author !== "" && { authorName: author }),
  };
}

interface Control {
  readonly control: MaxAttachment;
  readonly context: InboundContext;
}

/** MAX's names for group changes; not confirmed by MAX. */
const CHANGES: Readonly<Record<string, MemberChange["change"]>> = {
  new: "added",
  add: "added",
  joinByLink: "added",
  remove: "removed",
  leave: "left",
};

function fromControl(ref: MessageRef, message: MaxMessage, { control, context }: Control): TransportEvent[] {
  if (ref.chatType !== "maxgroup") return [];
  const { event = "", title, userId, userIds = [], baseUrl, url } = control;
  const { self, titleOf } = context;
  const person = (id: string) => ({ id: idIn(self, id), name: nameOf(id, context) });
  const by = message.sender === undefined ? {} : { by: person(message.sender) };
  const about = { ref, at: dateFromUnix(message.time, context.now), ...by };
  if (event === "title" && title !== undefined) return [{ kind: "group", ...about, title }];
  if (event === "icon") {
    const address = baseUrl ?? url;
    const picture = address === undefined ? null : { token: fileToken({ kind: "picture", url: address }) };
    return [{ kind: "group", ...about, picture }];
  }
  const change = Object.hasOwn(CHANGES, event) ? CHANGES[event] : undefined;
  if (change === undefined) return [];
  const named = userId === undefined ? userIds : [...userIds, userId];
  // A member who joins or leaves is only named as the sender.
  const whom = named.length === 0 && message.sender !== undefined ? [message.sender] : named;
  // Malformed ids may name a person twice.
  const people = new Map(whom.map(person).map((each) => [each.id, each]));
  const members = [...people.values()].map((each) => ({ change, person: each }));
  return members.length === 0
    ? []
    : [{ kind: "members", ...about, title: title ?? titleOf(ref.chatId), members }];
}
