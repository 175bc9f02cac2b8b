import { randomUUID } from "node:crypto";
import type { PhoneNumber } from "./account/phone-number.ts";
import { newMessageId } from "./chat/message-id.ts";
import { type Person, userIdOf } from "./chat/person.ts";
import type { StoredMessage } from "./chat/stored-message.ts";
import { announce, contactOf, metadataOf, orderingKeyOf } from "./update/announce.ts";
import type { World } from "./world.ts";

/** The content of a message by a person or the phone's owner. */
export interface Words {
  readonly type: string;
  /** The object named like the type; undefined for types without one. */
  readonly value: unknown;
  /** The quoted message, or that it was forwarded. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Further fields of the message, for example `errors` or `referral`. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A written message, and the number of addresses it was reported to. */
export interface Written {
  readonly message: Readonly<Record<string, unknown>>;
  readonly callbacks: number;
}

/** A person writes to a number. Opens the 24-hour window. */
export function writeToNumber(world: World, number: PhoneNumber, person: Person, words: Words): Written {
  const conversation = number.conversationWith(person);
  const stored = store(world, person, words, "in");
  conversation.messages.put(stored);
  conversation.lastInboundMs = world.clock.nowMs();
  const message = shape(world, number, person, words, stored);
  const value = {
    messaging_product: "whatsapp",
    metadata: metadataOf(number),
    contacts: [contactOf(world, number, person)],
    messages: [message],
  };
  world.changed();
  const place = { waba: number.waba, number, orderingKey: orderingKeyOf(number, person) };
  return { message, callbacks: announce(world, place, { field: "messages", value }) };
}

function store(world: World, person: Person, words: Words, direction: "in" | "echo"): StoredMessage {
  const contextId = words.context?.["id"];
  return {
    id: newMessageId(person.phone, direction === "in" ? "in" : "out"),
    direction,
    type: words.type,
    timestamp: world.clock.now(),
    content: words.value,
    ...(typeof contextId === "string" && { contextId }),
    statuses: [],
  };
}

function shape(world: World, number: PhoneNumber, person: Person, words: Words, stored: StoredMessage) {
  return {
    ...(words.context && { context: words.context }),
    ...fromOf(world, number, person),
    id: stored.id,
    timestamp: String(stored.timestamp),
    type: words.type,
    ...(words.value !== undefined && { [words.type]: words.value }),
    ...words.extra,
  };
}

function fromOf(world: World, number: PhoneNumber, person: Person): object {
  return {
    ...(!person.hidesNumber && { from: person.phone }),
    ...(world.settings.userIds && { from_user_id: userIdOf(person, number.waba.businessId) }),
  };
}

/** An unanswered call of a person. It also opens the window. */
export function callNumber(world: World, number: PhoneNumber, person: Person): unknown {
  number.conversationWith(person).lastInboundMs = world.clock.nowMs();
  const timestamp = String(world.clock.now());
  const id = `wacid.${randomUUID()}`;
  const call = {
    id,
    ...fromOf(world, number, person),
    to: number.phone,
    timestamp,
    direction: "USER_INITIATED",
  };
  const tellOf = (more: object) =>
    announce(
      world,
      { waba: number.waba, number, orderingKey: orderingKeyOf(number, person) },
      {
        field: "calls",
        value: {
          messaging_product: "whatsapp",
          metadata: metadataOf(number),
          contacts: [contactOf(world, number, person)],
          calls: [{ ...call, ...more }],
        },
      },
    );
  const rings = tellOf({ event: "connect", session: { sdp_type: "offer", sdp: "v=0" } });
  world.changed();
  return { call_id: id, callbacks: rings + tellOf({ event: "terminate", status: "FAILED" }) };
}

/** The owner writes to a person in the phone's own app, which is reported to businesses on the API. */
export function echoToPerson(world: World, number: PhoneNumber, person: Person, words: Words): Written {
  const stored = store(world, person, words, "echo");
  number.conversationWith(person).messages.put(stored);
  const message = {
    ...(words.context && { context: words.context }),
    from: number.phone,
    ...(!person.hidesNumber && { to: person.phone }),
    ...(person.hidesNumber && { to_user_id: userIdOf(person, number.waba.businessId) }),
    id: stored.id,
    timestamp: String(stored.timestamp),
    type: words.type,
    ...(words.value !== undefined && { [words.type]: words.value }),
  };
  const value = {
    messaging_product: "whatsapp",
    metadata: metadataOf(number),
    message_echoes: [message],
  };
  world.changed();
  const place = { waba: number.waba, number, orderingKey: orderingKeyOf(number, person) };
  return { message, callbacks: announce(world, place, { field: "smb_message_echoes", value }) };
}

/** A person gets another number: a system message from the old one. */
export function changeNumber(world: World, number: PhoneNumber, person: Person, phone: string): Written {
  const body = `User ${person.name} changed from ${person.phone} to ${phone}`;
  const system = { body, wa_id: phone, type: "user_changed_number" };
  return tellSystem(world, number, person, system);
}

/** A person gets another business-scoped id, which is reported twice: as a system message and by `user_id_update`. */
export function changeUserId(world: World, number: PhoneNumber, person: Person): Written {
  const { businessId } = number.waba;
  const previous = userIdOf(person, businessId);
  person.idGeneration++;
  const current = userIdOf(person, businessId);
  const body = `User ${person.name} changed from ${previous} to ${current}`;
  const written = tellSystem(world, number, person, { body, user_id: current, type: "user_changed_user_id" });
  const update = {
    ...(!person.hidesNumber && { wa_id: person.phone }),
    detail: `User id for ${person.name} has been updated.`,
    user_id: { previous, current },
    timestamp: String(world.clock.now()),
  };
  const value = {
    messaging_product: "whatsapp",
    metadata: metadataOf(number),
    contacts: [contactOf(world, number, person)],
    user_id_update: [update],
  };
  const place = { waba: number.waba, number, orderingKey: orderingKeyOf(number, person) };
  return {
    ...written,
    callbacks: written.callbacks + announce(world, place, { field: "user_id_update", value }),
  };
}

/** System messages come without `contacts`. */
function tellSystem(
  world: World,
  number: PhoneNumber,
  person: Person,
  system: Readonly<Record<string, string>>,
) {
  const words = { type: "system", value: system };
  const message = shape(world, number, person, words, store(world, person, words, "in"));
  const value = { messaging_product: "whatsapp", metadata: metadataOf(number), messages: [message] };
  const place = { waba: number.waba, number, orderingKey: orderingKeyOf(number, person) };
  world.changed();
  return { message, callbacks: announce(world, place, { field: "messages", value }) };
}
