import type {
  Contact,
  InboundMessage,
  MessageRef,
  SentRef,
  TransportEvent,
} from "../../core/transport/events.ts";
import { isUuid } from "../../platform/ids.ts";
import { pressOf, toBody } from "./body.ts";
import { toFailure } from "./errors.ts";
import { type Json, numberIn, objectIn, objectsIn, textIn } from "./json.ts";

/**
 * What a change of the field `messages`, of the echoes of what the owner wrote on the phone, of people's ids, or of calls
 * tells of one number: its events in order. Never fails for kinds that it does not know. Pure.
 */
export function toEvents(value: Json): TransportEvent[] {
  const contacts = objectsIn(value, "contacts");
  return [
    ...objectsIn(value, "messages").flatMap((message) => fromMessage(message, contacts, "in")),
    ...objectsIn(value, "message_echoes").flatMap((message) => fromMessage(message, contacts, "echo")),
    ...objectsIn(value, "statuses").flatMap((status) => fromStatus(status, contacts)),
    ...objectsIn(value, "user_id_update").flatMap(fromNewId),
    ...objectsIn(value, "calls").flatMap((call) => fromCall(call, contacts)),
  ];
}

type Direction = InboundMessage["direction"];

function fromMessage(message: Json, contacts: readonly Json[], direction: Direction): TransportEvent[] {
  const person = personOf(message, contacts, direction);
  const externalId = textIn(message, "id");
  // Groups are not part of the transport.
  if (person === null || externalId === undefined || "group_id" in message) return [];
  const ref = { chatType: "whatsapp", chatId: person.chatId } as const;
  const at = dateOf(message);
  switch (textIn(message, "type")) {
    case "system":
      return movedBy(objectIn(message, "system"), ref);
    case "edit":
      return editedBy(objectIn(message, "edit"), ref, at);
    case "revoke": {
      const original = textIn(objectIn(message, "revoke"), "original_message_id");
      return original === undefined ? [] : [{ kind: "deleted", ref: { ...ref, externalId: original }, at }];
    }
  }
  const body = toBody(message);
  if (body === null) return direction === "in" ? [heard(person, at)] : [];
  const pressed = pressOf(message);
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
        contact: person.contact,
        body,
        ...(pressed === null ? {} : { pressed }),
        ...(quotedId === undefined ? {} : { quoted: { externalId: quotedId } }),
      },
    },
  ];
}

/** A call of a person opens the window of 24 hours, whether it is answered or not; who answers it is not told. */
function fromCall(call: Json, contacts: readonly Json[]): TransportEvent[] {
  const person = personOf(call, contacts, "in");
  const isTheirs = textIn(call, "direction") === "USER_INITIATED" && textIn(call, "event") === "connect";
  return person !== null && isTheirs ? [heard(person, dateOf(call))] : [];
}

function heard(person: Person, at: Date): TransportEvent {
  return { kind: "heard", chatType: "whatsapp", chatId: person.chatId, ...formerOf(person), at };
}

function formerOf({ formerChatId }: Person): Pick<Person, "formerChatId"> {
  return formerChatId === undefined ? {} : { formerChatId };
}

interface Person {
  readonly chatId: string;
  readonly formerChatId?: string;
  readonly contact: Contact;
}

/** A number where there is one, else the id by which the business knows somebody who hides it. */
function personOf(message: Json, contacts: readonly Json[], direction: Direction): Person | null {
  const end = direction === "in" ? "from" : "to";
  const number = textIn(message, end);
  const userId = textIn(message, `${end}_user_id`);
  const contact =
    contacts.find(
      (each) =>
        (number !== undefined && textIn(each, "wa_id") === number) ||
        (userId !== undefined && textIn(each, "user_id") === userId),
    ) ?? (contacts.length === 1 ? contacts[0] : undefined);
  const hiddenId = userId ?? textIn(contact, "user_id");
  const chatId = number ?? hiddenId;
  if (chatId === undefined) return null;
  const profile = objectIn(contact, "profile");
  const handle = textIn(profile, "username")?.replace(/^@/, "");
  const username = number === undefined ? handle : undefined;
  // An echo that names nobody must not take the name away that the person has given.
  const unnamed = direction === "in" ? chatId : "";
  const name = textIn(profile, "name") ?? handle ?? unnamed;
  return {
    chatId,
    ...(hiddenId === undefined || hiddenId === chatId ? {} : { formerChatId: hiddenId }),
    contact: { name, ...(username === undefined ? {} : { username }) },
  };
}

/** Somebody took another number. */
function movedBy(
  system: Json | undefined,
  { chatType, chatId }: Omit<MessageRef, "externalId">,
): TransportEvent[] {
  const newChatId = textIn(system, "wa_id") ?? textIn(system, "new_wa_id");
  const hasMoved = newChatId !== undefined && newChatId !== chatId;
  return hasMoved ? [{ kind: "moved", chatType, chatId, newChatId }] : [];
}

/** The id of somebody who hides the number is another one from now on. */
function fromNewId(update: Json): TransportEvent[] {
  const ids = objectIn(update, "user_id");
  const chatId = textIn(ids, "previous");
  const newChatId = textIn(update, "wa_id") ?? textIn(ids, "current");
  if (chatId === undefined || newChatId === undefined || chatId === newChatId) return [];
  return [{ kind: "moved", chatType: "whatsapp", chatId, newChatId }];
}

function editedBy(edit: Json | undefined, ref: Omit<MessageRef, "externalId">, at: Date): TransportEvent[] {
  const original = textIn(edit, "original_message_id");
  const body = toBody(objectIn(edit, "message") ?? {});
  if (original === undefined || body === null || body.type === "unsupported") return [];
  return [{ kind: "edited", ref: { ...ref, externalId: original }, body, at }];
}

/** Other statuses, such as `played` and `deleted`, tell nothing that the interface has. */
function fromStatus(status: Json, contacts: readonly Json[]): TransportEvent[] {
  const ref = sentRef(status, contacts);
  const at = dateOf(status);
  const name = textIn(status, "status");
  if (ref === null) return [];
  if (name === "sent" || name === "delivered" || name === "read")
    return [{ kind: "receipt", ref, status: name, at }];
  if (name !== "failed") return [];
  return [{ kind: "failed", ref, error: toFailure(objectsIn(status, "errors")[0] ?? {}), at }];
}

function sentRef(status: Json, contacts: readonly Json[]): SentRef | null {
  const externalId = textIn(status, "id");
  const contact = contacts.length === 1 ? contacts[0] : undefined;
  const chatId =
    textIn(status, "recipient_id") ?? textIn(status, "recipient_user_id") ?? textIn(contact, "user_id");
  if (externalId === undefined || chatId === undefined) return null;
  const messageId = textIn(status, "biz_opaque_callback_data");
  const isOurs = messageId !== undefined && isUuid(messageId);
  return { chatType: "whatsapp", chatId, externalId, ...(isOurs ? { messageId } : {}) };
}

/** Unix seconds; what has no time happened now. */
function dateOf(item: Json): Date {
  const seconds = numberIn(item, "timestamp");
  return seconds === undefined ? new Date() : new Date(seconds * 1000);
}
