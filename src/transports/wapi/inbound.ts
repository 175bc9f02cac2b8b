import type {
  Contact,
  InboundMessage,
  MessageRef,
  SentRef,
  TransportEvent,
} from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign/foreign-date.ts";
import { isUuid } from "../../platform/ids.ts";
import { messageOf } from "../../platform/message-of.ts";
import {
  isJson,
  itemsIn,
  type Json,
  numberIn,
  objectIn,
  objectsIn,
  required,
  textIn,
  Unreadable,
} from "../kit/json.ts";
import { referralFrom, startText } from "../kit/referral.ts";
import { restrictionOf, toFailure } from "./errors.ts";
import { isMedia, type MessageContent, readContent } from "./inbound/body.ts";
import { LISTS, NUMBER_CHANGES } from "./inbound/unknown.ts";

/** The events of a change, and its unreadable items. */
export interface ReadItems {
  readonly events: readonly TransportEvent[];
  readonly unread: readonly UnreadItem[];
}
export interface UnreadItem {
  /** The change's value with this item only. */
  readonly value: Json;
  readonly reason: string;
}

/**
 * Maps a change for one number: messages, echoes of messages written on the owner's phone, changed user ids, or
 * calls. Events are in order; unknown types map to nothing. Pure; never throws.
 */
export function readItems(value: Json): ReadItems {
  const contacts = objectsIn(value, "contacts");
  const readers: readonly (readonly [string, (item: Json) => TransportEvent[]])[] = [
    ["messages", (item) => fromMessage(item, contacts, "in")],
    ["message_echoes", (item) => fromMessage(item, contacts, "echo")],
    ["statuses", (item) => fromStatus(item, contacts)],
    ["user_id_update", fromNewId],
    ["calls", (item) => fromCall(item, contacts)],
  ];
  const read = readers.map(([key, reader]) => readList(value, key, reader));
  return { events: read.flatMap(({ events }) => events), unread: read.flatMap(({ unread }) => unread) };
}

function readList(value: Json, key: string, read: (item: Json) => TransportEvent[]): ReadItems {
  const events: TransportEvent[] = [];
  const unread: UnreadItem[] = [];
  const others = Object.fromEntries(Object.entries(value).filter(([name]) => !LISTS.includes(name)));
  try {
    for (const item of itemsIn(value, key)) {
      try {
        events.push(...read(required(isJson(item) ? item : undefined, `object in ${key}`)));
      } catch (error) {
        unread.push({ value: { ...others, [key]: [item] }, reason: messageOf(error) });
      }
    }
  } catch (error) {
    unread.push({ value: { ...others, [key]: value[key] }, reason: messageOf(error) });
  }
  return { events, unread };
}

type Direction = InboundMessage["direction"];

function fromMessage(message: Json, contacts: readonly Json[], direction: Direction): TransportEvent[] {
  // The transport does not support groups.
  if (textIn(message, "group_id") !== undefined) return [];
  if (isNotice(message)) return [];
  const person = personOf(message, contacts, direction);
  const externalId = required(textIn(message, "id"), "id of the message");
  const ref = { chatType: "whatsapp", chatId: person.chatId } as const;
  const at = dateOf(message);
  switch (textIn(message, "type")) {
    case "system":
      return movedBy(required(objectIn(message, "system"), "system message"), ref);
    case "edit":
      return editedBy(objectIn(message, "edit"), ref, at);
    case "reaction":
      return reactedBy(required(objectIn(message, "reaction"), "reaction"), { person, direction, at });
    case "revoke": {
      const original = required(
        textIn(objectIn(message, "revoke"), "original_message_id"),
        "original_message_id",
      );
      return [{ kind: "deleted", ref: { ...ref, externalId: original }, at }];
    }
  }
  const referral = referralOf(message);
  const content = readContent(message) ?? openingBy(referral);
  if (content === null) return direction === "in" ? [activity(person, at)] : [];
  const quotedId = textIn(objectIn(message, "context"), "id");
  return [
    {
      kind: "message",
      message: {
        ...ref,
        externalId,
        ...formerOf(person),
        direction,
        sentAt: at,
        contact: { ...person.contact, ...ownNumberIn(message, person) },
        ...content,
        ...referral,
        ...(quotedId === undefined ? {} : { quoted: { externalId: quotedId } }),
      },
    },
  ];
}

const SOURCES = ["ad", "post", "product", "link"] as const;

/** A chat that was opened without words. */
function openingBy({ referral }: Pick<InboundMessage, "referral">): MessageContent | null {
  return referral === undefined ? null : { body: { type: "text", text: startText(referral.ref) } };
}

/** An advertisement or post with a button to WhatsApp, or a product of the catalogue. */
function referralOf(message: Json): Pick<InboundMessage, "referral"> {
  const referral = objectIn(message, "referral");
  const product = objectIn(objectIn(message, "context"), "referred_product");
  if (referral === undefined)
    return referralFrom("product", { sourceId: textIn(product, "product_retailer_id") });
  const type = textIn(referral, "source_type");
  return referralFrom(SOURCES.find((each) => each === type) ?? "unknown", {
    sourceId: textIn(referral, "source_id"),
    sourceUrl: textIn(referral, "source_url"),
    headline: textIn(referral, "headline"),
    body: textIn(referral, "body"),
    ref: textIn(referral, "ref"),
    clickId: textIn(referral, "ctwa_clid"),
  });
}

/**
 * An inbound call opens the 24-hour window, whether or not it is answered. One that nobody answered is a missed call
 * (page "Calls webhook": `status` of `terminate`).
 */
function fromCall(call: Json, contacts: readonly Json[]): TransportEvent[] {
  if (textIn(call, "direction") !== "USER_INITIATED") return [];
  const event = textIn(call, "event");
  if (event === "connect") return [activity(personOf(call, contacts, "in"), dateOf(call))];
  if (event !== "terminate" || wasAnswered(call)) return [];
  const { chatId, contact, ...former } = personOf(call, contacts, "in");
  const externalId = required(textIn(call, "id"), "id of the call");
  const ref = { chatType: "whatsapp", chatId, externalId, ...former } as const;
  const body = { type: "missing_call" } as const;
  return [{ kind: "message", message: { ...ref, direction: "in", sentAt: dateOf(call), contact, body } }];
}

/** `status` is a text or a list of one. Only answered calls have a duration. */
function wasAnswered(call: Json): boolean {
  const status = [call["status"]].flat();
  return status.includes("COMPLETED") || (numberIn(call, "duration") ?? 0) > 0;
}

function activity(person: Person, at: Date): TransportEvent {
  return { kind: "activity", chatType: "whatsapp", chatId: person.chatId, ...formerOf(person), at };
}

function formerOf({ formerChatId }: Person): Pick<Person, "formerChatId"> {
  return formerChatId === undefined ? {} : { formerChatId };
}

interface Person {
  readonly chatId: string;
  readonly formerChatId?: string;
  readonly contact: Contact;
}

/** A change may have a thousand messages with a contact each. */
const indexes = new WeakMap<readonly Json[], ReadonlyMap<string, Json>>();

/** The contacts of a change by `wa_id` and `user_id`; the first of equal ones counts. */
function indexOf(contacts: readonly Json[]): ReadonlyMap<string, Json> {
  const found = indexes.get(contacts);
  if (found !== undefined) return found;
  const index = new Map(
    contacts.toReversed().flatMap((contact) =>
      ["wa_id", "user_id"].flatMap((key) => {
        const id = textIn(contact, key);
        return id === undefined ? [] : [[`${key} ${id}`, contact] as const];
      }),
    ),
  );
  indexes.set(contacts, index);
  return index;
}

/** Identifies a person by number or, if the number is hidden, by a user id that is specific to the business. */
function personOf(message: Json, contacts: readonly Json[], direction: Direction): Person {
  const end = direction === "in" ? "from" : "to";
  const named = textIn(message, end);
  const number = named !== undefined && isNumber(named) ? named : undefined;
  // A user id may also stand in the place of the number.
  const userId = textIn(message, `${end}_user_id`) ?? (number === undefined ? named : undefined);
  const known = indexOf(contacts);
  const contact =
    known.get(`wa_id ${number}`) ??
    known.get(`user_id ${userId}`) ??
    (contacts.length === 1 ? contacts[0] : undefined);
  const hiddenId = userId ?? textIn(contact, "user_id");
  const chatId = required(number ?? hiddenId ?? textIn(contact, "wa_id"), "person");
  const profile = objectIn(contact, "profile");
  const handle = textIn(profile, "username")?.replace(/^@/, "");
  // An echo without a name must not overwrite the stored name.
  const unnamed = direction === "in" ? chatId : "";
  const name = textIn(profile, "name") ?? handle ?? unnamed;
  return {
    chatId,
    ...(hiddenId === undefined || hiddenId === chatId ? {} : { formerChatId: hiddenId }),
    contact: {
      name,
      ...(handle === undefined ? {} : { username: handle }),
      ...(number === undefined ? {} : { phone: number }),
    },
  };
}

function isNumber(id: string): boolean {
  return /^\+?\d+$/.test(id);
}

/** Without an emoji the reaction is removed. A reaction of a person opens the 24-hour window. */
function reactedBy(
  reaction: Json,
  { person, direction, at }: { readonly person: Person; readonly direction: Direction; readonly at: Date },
): TransportEvent[] {
  const externalId = required(textIn(reaction, "message_id"), "message of the reaction");
  const ref = { chatType: "whatsapp", chatId: person.chatId, externalId } as const;
  const reacted = { kind: "reaction", ref, emoji: textIn(reaction, "emoji") ?? null, at } as const;
  if (direction === "echo") return [reacted];
  const by = { id: person.chatId, name: person.contact.name || person.chatId };
  return [activity(person, at), { ...reacted, by }];
}

/** A system message that names nobody: a changed user id is also reported with the former one (`user_id_update`). */
function isNotice(message: Json): boolean {
  const isNamed = ["from", "from_user_id"].some((key) => textIn(message, key) !== undefined);
  const type = textIn(objectIn(message, "system"), "type");
  return !isNamed && type !== undefined && !NUMBER_CHANGES.has(type);
}

/** The number that a person gave at the business's request. */
function ownNumberIn(message: Json, { contact }: Person): Pick<Contact, "phone"> {
  if (contact.phone !== undefined || textIn(message, "origin")?.startsWith(CONTACT_REQUEST) !== true)
    return {};
  const [phone] = objectsIn(message, "contacts").flatMap((each) => objectsIn(each, "phones"));
  const digits = (textIn(phone, "wa_id") ?? textIn(phone, "phone") ?? "").replace(/\D/g, "");
  return digits === "" ? {} : { phone: digits };
}

/** The beginning of `origin` of the contact with which a person answers a request for their number. */
const CONTACT_REQUEST = "contact_request";

/**
 * The person changed their number, or their user id, which is the chat's only while the number is hidden. Other system
 * messages, such as that of a new security code, change nothing.
 */
function movedBy(system: Json, { chatType, chatId }: Omit<MessageRef, "externalId">): TransportEvent[] {
  const number = textIn(system, "wa_id") ?? textIn(system, "new_wa_id");
  const userId = isNumber(chatId) ? undefined : textIn(system, "user_id");
  const type = textIn(system, "type");
  const isNumberChange = type === undefined || NUMBER_CHANGES.has(type);
  const newChatId = isNumberChange ? required(number, "new number") : (number ?? userId);
  return newChatId === undefined || newChatId === chatId
    ? []
    : [{ kind: "moved", chatType, chatId, newChatId }];
}

/** The user id of a person with a hidden number has changed. */
function fromNewId(update: Json): TransportEvent[] {
  const ids = objectIn(update, "user_id");
  const chatId = required(textIn(ids, "previous"), "previous id");
  const newChatId = required(textIn(update, "wa_id") ?? textIn(ids, "current"), "current id");
  if (chatId === newChatId) return [];
  return [{ kind: "moved", chatType: "whatsapp", chatId, newChatId }];
}

/** An edit without content is none. */
function editedBy(edit: Json | undefined, ref: Omit<MessageRef, "externalId">, at: Date): TransportEvent[] {
  const externalId = required(textIn(edit, "original_message_id"), "original_message_id");
  const message = required(objectIn(edit, "message"), "edited message");
  const body = readContent(message)?.body;
  if (body === undefined) return [];
  const edited = { kind: "edited", ref: { ...ref, externalId }, at } as const;
  if (body.type !== "unsupported") return [{ ...edited, body }];
  if (body.text === undefined) return [];
  // Of a caption alone, without the file.
  if (isMedia(textIn(message, "type"))) return [{ ...edited, body: { type: "text", text: body.text } }];
  throw new Unreadable(`the edited message has unsupported content "${body.what}"`);
}

/** Other statuses, such as `played` and `deleted`, have no counterpart in the interface. */
function fromStatus(status: Json, contacts: readonly Json[]): TransportEvent[] {
  const ref = sentRef(status, contacts);
  const at = dateOf(status);
  const name = textIn(status, "status");
  if (name === "sent" || name === "delivered" || name === "read")
    return [{ kind: "receipt", ref, status: name, at }];
  if (name !== "failed") return [];
  const error = objectsIn(status, "errors")[0] ?? {};
  const found = restrictionOf({ code: numberIn(error, "code") ?? 0 }, at);
  const events: TransportEvent[] = [{ kind: "failed", ref, error: toFailure(error), at }];
  if (found === null) return events;
  const { kind: of, ...restriction } = found;
  return [...events, { kind: "restriction", of, restriction }];
}

function sentRef(status: Json, contacts: readonly Json[]): SentRef {
  const externalId = required(textIn(status, "id"), "id of the message");
  const contact = contacts.length === 1 ? contacts[0] : undefined;
  const chatId = required(
    textIn(status, "recipient_id") ?? textIn(status, "recipient_user_id") ?? textIn(contact, "user_id"),
    "recipient",
  );
  const messageId = textIn(status, "biz_opaque_callback_data");
  const isOurs = messageId !== undefined && isUuid(messageId);
  return { chatType: "whatsapp", chatId, externalId, ...(isOurs ? { messageId } : {}) };
}

/** Parses Unix seconds; an item without a time gets the current time. */
function dateOf(item: Json): Date {
  return dateFromUnix(item["timestamp"]);
}
