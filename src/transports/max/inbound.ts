import type { ChatType } from "../../core/transport/definition.ts";
import type {
  Contact,
  InboundMessage,
  MemberChange,
  MessageBody,
  MessageRef,
  TransportEvent,
} from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign/foreign-date.ts";
import { required } from "../kit/json.ts";
import { CONTROL, contentOf, toBodies } from "./inbound/body.ts";
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
  /** Whether the message was written after the account was linked. */
  readonly isSinceLink: (message: MaxMessage) => boolean;
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
  if (about.status === "EDITED") return fromEdited(ref, about, context);
  return fromContent(ref, about, context);
}

/**
 * An edit of every file, because MAX does not say which one changed; core publishes those that did. Files that the edit
 * added are new messages; the others were stored under these ids. An edit without content is none.
 */
function fromEdited(ref: MessageRef, message: MaxMessage, context: InboundContext): TransportEvent[] {
  const at = dateFromUnix(message.updateTime, context.now);
  const parts = partsOf(ref, message, context);
  const isOurs = context.isOwnEdit(ref.externalId, message.text ?? "");
  const edits = isOurs
    ? []
    : parts.map(({ externalId, body }) => ({
        kind: "edited" as const,
        ref: { ...ref, externalId },
        body,
        at,
      }));
  if (context.isMissed(message)) return [...fromContent(ref, message, context), ...edits];
  const added = isOurs || !context.isSinceLink(message) ? [] : parts.slice(1);
  return [...added.map((part) => ({ kind: "message" as const, message: part })), ...edits];
}

function fromContent(ref: MessageRef, message: MaxMessage, context: InboundContext): TransportEvent[] {
  const messageId = sentAs(message, context);
  if (messageId === undefined)
    return partsOf(ref, message, context).map((part) => ({ kind: "message", message: part }));
  const at = dateFromUnix(message.time, context.now);
  return [{ kind: "receipt", ref: { ...ref, messageId }, status: "sent", at }];
}

/** One message per file of an album; all but the first have derived ids. */
function partsOf(ref: MessageRef, message: MaxMessage, context: InboundContext): InboundMessage[] {
  const quoted = quotedOf(ref, message, context);
  return bodiesIn(ref, message, context).map((body, index) => ({
    ...messageOf(ref, message, { context, body }),
    externalId: partId(ref.externalId, index),
    ...(quoted && index === 0 && { quoted }),
  }));
}

interface Content {
  readonly context: InboundContext;
  readonly body: MessageBody;
}

function messageOf(ref: MessageRef, message: MaxMessage, { context, body }: Content): InboundMessage {
  const isOwn = message.sender === context.self;
  const people = peopleOf(ref, message, context);
  const phone = ref.chatType === "max" && !isOwn ? ownPhone(message) : undefined;
  return {
    ...ref,
    direction: isOwn ? "echo" : "in",
    sentAt: dateFromUnix(message.time, context.now),
    ...people,
    contact: { ...people.contact, ...(phone !== undefined && { phone }) },
    body,
    ...(isNotice(message) && { isSystem: true as const }),
  };
}

/** The `OutboundMessage.id` of a message that this channel sent. */
function sentAs({ sender, cid }: MaxMessage, context: InboundContext): string | undefined {
  return sender === context.self && cid !== undefined ? context.sentAs(cid) : undefined;
}

/** A call that the owner made and nobody answered was not missed by the owner. */
function bodiesIn(ref: MessageRef, message: MaxMessage, { self }: InboundContext): readonly MessageBody[] {
  const bodies = toBodies(contentOf(message), { chatId: ref.chatId, messageId: ref.externalId });
  return message.sender === self ? bodies.filter(({ type }) => type !== "missing_call") : bodies;
}

/** Written by MAX itself. */
function isNotice({ type }: MaxMessage): boolean {
  return type === "SYSTEM" || type === "SERVICE";
}

/** The number that people tell by sharing their own contact. */
function ownPhone({ sender, attaches }: MaxMessage): string | undefined {
  const own = attaches?.find(
    ({ _type, contactId }) => _type === "CONTACT" && sender !== undefined && contactId === sender,
  );
  const [, inCard = ""] = /^TEL[^:\r\n]*:([^\r\n]*)/im.exec(own?.vcfBody ?? "") ?? [];
  return own?.phone ?? (inCard.replace(/\D/g, "") || undefined);
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

/** A person who acts in a chat. */
export function personIn(
  userId: string,
  context: InboundContext,
): { readonly id: string; readonly name: string } {
  return { id: idIn(context.self, userId), name: nameOf(userId, context) };
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
  const [body] = toBodies(withoutButtons(link.message), { chatId, messageId: externalId });
  return {
    externalId,
    ...(body && { body }),
    ...(author !== "" && { authorName: author }),
  };
}

/** The quoted words without the buttons below them. */
function withoutButtons({ attaches = [], ...message }: MaxMessage): MaxMessage {
  return { ...message, attaches: attaches.filter(({ _type = "" }) => !_type.endsWith("_KEYBOARD")) };
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

/** The events that report a change of a group, or nothing that anybody wrote. */
const SILENT: ReadonlySet<string> = new Set(["pin", "unpin", "botStarted", "typing"]);

/** Whether MAX reported something by this event that the connector does not know. */
export function isUnknownControl({ _type, event = "", message, shortMessage }: MaxAttachment): boolean {
  if (_type !== CONTROL || (message ?? shortMessage) !== undefined) return false;
  return !(event === "title" || event === "icon" || Object.hasOwn(CHANGES, event) || SILENT.has(event));
}

function fromControl(ref: MessageRef, message: MaxMessage, given: Control): TransportEvent[] {
  const changes = ref.chatType === "maxgroup" ? fromGroupChange(ref, message, given) : [];
  const { control, context } = given;
  const words = control.message ?? control.shortMessage ?? message.text;
  if (changes.length > 0 || words === undefined) return changes;
  const body: MessageBody = { type: "text", text: words };
  return [{ kind: "message", message: { ...messageOf(ref, message, { context, body }), isSystem: true } }];
}

function fromGroupChange(
  ref: MessageRef,
  message: MaxMessage,
  { control, context }: Control,
): TransportEvent[] {
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
