import { CHAT_TYPES } from "./definition.ts";
import { MESSAGE_ERROR_CODES } from "./errors.ts";
import type {
  Contact,
  FileRef,
  GroupPerson,
  InboundMessage,
  MemberChange,
  MessageBody,
  MessageRef,
  SendFailure,
  SentRef,
  TransportEvent,
} from "./events.ts";

/**
 * Deviations of an event from its type, each as a sentence such as "message.sentAt is not a date". Types do not apply
 * to foreign data: a connector that copied a field of the messenger may pass anything. Pure.
 */
export function findShapeErrors(event: TransportEvent): string[] {
  const check: Check | undefined = EVENTS[event.kind];
  return check === undefined ? [`kind ${String(event.kind)} is unknown`] : check(event, "").map(withoutDot);
}

type Check = (value: unknown, path: string) => readonly string[];
type Checks<T> = { readonly [K in keyof Required<T>]: Check };

const withoutDot = (fault: string): string => fault.replace(/^\./, "");

function that(isFine: (value: unknown) => boolean, expected: string): Check {
  return (value, path) => (isFine(value) ? [] : [`${path} is not ${expected}`]);
}

const text = that((value) => typeof value === "string", "a text");
/** Characters. Indexes take no longer ids. */
const MAX_ID = 2_000;
const id = that(
  (value) => typeof value === "string" && value !== "" && value.length <= MAX_ID,
  "a text that is not empty and has at most 2000 characters",
);
/** Characters. */
const MAX_TOKEN = 64 * 1024;
const token = that(
  (value) => typeof value === "string" && value !== "" && value.length <= MAX_TOKEN,
  "a text that is not empty and has at most 65536 characters",
);
const required = that((value) => typeof value === "string" && value !== "", "a text that is not empty");
const flag = that((value) => typeof value === "boolean", "a boolean");
const finite = that(Number.isFinite, "a finite number");
const byteSize = that((value) => Number.isSafeInteger(value) && Number(value) >= 0, "a number of bytes");
/** Years that databases and JSON write with four digits. */
const [FIRST_MS, LAST_MS] = [Date.UTC(1, 0), Date.UTC(10_000, 0) - 1];
const date = that(
  (value) => value instanceof Date && value.getTime() >= FIRST_MS && value.getTime() <= LAST_MS,
  "a date",
);
const chatType = that((value) => (CHAT_TYPES as readonly unknown[]).includes(value), "a chat type");
const anything: Check = () => [];

function oneOf(...values: readonly string[]): Check {
  return that((value) => values.includes(String(value)), `one of ${values.join(", ")}`);
}

function optional(check: Check): Check {
  return (value, path) => (value === undefined ? [] : check(value, path));
}

function nullable(check: Check): Check {
  return (value, path) => (value === null ? [] : check(value, path));
}

function listOf(check: Check): Check {
  return (value, path) =>
    Array.isArray(value)
      ? value.flatMap((each, index) => check(each, `${path}[${index}]`))
      : [`${path} is not a list`];
}

function object<T>(checks: Checks<T>): Check {
  const all = Object.entries<Check>(checks);
  return (value, path) => {
    if (typeof value !== "object" || value === null) return [`${path} is not an object`];
    const fields = value as Readonly<Record<string, unknown>>;
    return all.flatMap(([name, check]) => check(fields[name], `${path}.${name}`));
  };
}

type Kinds<T extends { readonly [K in Key]: string }, Key extends string> = {
  readonly [V in T[Key]]: Check;
};

function union<T extends { readonly [K in Key]: string }, Key extends string>(
  key: Key,
  checks: Kinds<T, Key>,
): Check {
  const known: Readonly<Record<string, Check>> = checks;
  return (value, path) => {
    const kind = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : "";
    const check = Object.hasOwn(known, String(kind)) ? known[String(kind)] : undefined;
    return check === undefined ? [`${path}.${key} is unknown`] : check(value, path);
  };
}

const REF: Checks<MessageRef> = { chatType, chatId: id, externalId: id };
const ref = object<MessageRef>(REF);
const sentRef = object<SentRef>({ ...REF, messageId: optional(id) });
const file = object<FileRef>({
  token,
  name: optional(text),
  mimeType: optional(text),
  size: optional(byteSize),
});
const person = object<GroupPerson>({ id, name: required, username: optional(text), phone: optional(text) });
const body = union<MessageBody, "type">("type", {
  text: object({ type: anything, text }),
  media: object({ type: anything, media: oneOf("image", "video", "audio", "document"), file, text }),
  geo: object({ type: anything, latitude: finite, longitude: finite, text }),
  vcard: object({ type: anything, vcard: text }),
  missing_call: anything,
  unsupported: object({ type: anything, what: required, isAwaited: optional(flag) }),
});
const message = object<InboundMessage>({
  ...REF,
  formerChatId: optional(id),
  direction: oneOf("in", "echo"),
  sentAt: date,
  contact: object<Contact>({
    name: text,
    username: optional(text),
    phone: optional(text),
    avatar: optional(file),
    profileId: optional(id),
  }),
  sender: optional(object({ id, name: text })),
  body,
  pressed: optional(object({ text, payload: optional(text) })),
  post: optional(object({ id, src: text, author: text, description: text })),
  advert: optional(object({ id, title: optional(text), url: optional(text), price: optional(text) })),
  quoted: optional(
    object({ externalId: id, body: optional(body), authorName: optional(text), link: optional(text) }),
  ),
});
const aboutGroup = { ref, at: date, by: optional(person) };
const template = object({ externalId: id, name: id, language: id, category: text, status: text });

const EVENTS: Kinds<TransportEvent, "kind"> = {
  message: object({ message }),
  edited: object({ ref, body, at: date }),
  deleted: object({ ref, at: date }),
  receipt: object({ ref: sentRef, status: oneOf("sent", "delivered", "read"), at: date }),
  readUpTo: object({ chatType, chatId: id, upTo: anything, at: date }),
  failed: object({
    ref: sentRef,
    error: object<SendFailure>({
      code: oneOf(...MESSAGE_ERROR_CODES),
      description: required,
      data: optional(text),
    }),
    at: date,
  }),
  moved: object({ chatType, chatId: id, newChatId: id }),
  group: object({
    ...aboutGroup,
    title: optional(required),
    picture: optional(nullable(file)),
    isSeen: optional(flag),
  }),
  members: object({
    ...aboutGroup,
    title: text,
    members: listOf(
      object<MemberChange>({ change: oneOf("added", "removed", "left", "promoted", "demoted"), person }),
    ),
  }),
  activity: object({ chatType, chatId: id, formerChatId: optional(id), at: date }),
  link: anything,
  templates: object({ templates: listOf(template) }),
  template: object({ template }),
  tier: object({ tier: id }),
  cooldown: object({ cooldown: nullable(object({ until: date, reason: required })) }),
};
