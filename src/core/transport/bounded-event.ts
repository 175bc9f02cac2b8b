import { clipText, isLonger } from "./clipped-text.ts";
import type {
  Advert,
  CommentedPost,
  Contact,
  FileRef,
  GroupPerson,
  InboundMessage,
  LinkState,
  MessageBody,
  TransportEvent,
} from "./events.ts";

/** Limit of a text that is stored with its message, in bytes of UTF-8. No messenger's own limit is higher. */
export const MAX_TEXT_BYTES = 64 * 1024;
/** Limit of a name, title or description that a person reads in one line. */
export const MAX_NAME_BYTES = 1024;
/** Limit of an address. */
const MAX_URL_BYTES = 8 * 1024;
/** The end of a text that was cut. */
export const CUT_MARK = "…";

export interface BoundedEvent {
  readonly event: TransportEvent;
  /** The texts that were cut, whole; null: none. */
  readonly whole: string | null;
}

/**
 * The event with every text of a size that can be stored, published and displayed together with others. Types do not
 * limit what a messenger, and so any person, can write. Names are cut without a trace. Expects an event without shape
 * errors. Pure.
 */
export function boundEvent(event: TransportEvent): BoundedEvent {
  const cut: string[] = [];
  const bounded = boundKind(event, (text) => {
    if (!isLonger(text, MAX_TEXT_BYTES)) return text;
    cut.push(text);
    return clipText(text, MAX_TEXT_BYTES - Buffer.byteLength(CUT_MARK)) + CUT_MARK;
  });
  return { event: bounded, whole: cut.length === 0 ? null : cut.join("\n\n") };
}

type Cut = (text: string) => string;

const name: Cut = (text) => clipText(text, MAX_NAME_BYTES);

function boundKind(event: TransportEvent, cut: Cut): TransportEvent {
  switch (event.kind) {
    case "message":
      return { ...event, message: messageOf(event.message, cut) };
    case "edited":
      return { ...event, body: bodyOf(event.body, cut) };
    case "failed":
      return { ...event, error: { ...event.error, ...some(event.error, ["description", "data"], name) } };
    case "group":
      return { ...event, ...some(event, ["title"], name), ...byOf(event), ...pictureOf(event) };
    case "members":
      return {
        ...event,
        title: name(event.title),
        members: event.members.map((member) => ({ ...member, person: personOf(member.person) })),
        ...byOf(event),
      };
    case "link":
      return { ...event, state: stateOf(event.state) };
    case "cooldown":
      return event.cooldown === null
        ? event
        : { ...event, cooldown: { ...event.cooldown, reason: name(event.cooldown.reason) } };
    case "deleted":
    case "receipt":
    case "readUpTo":
    case "moved":
    case "activity":
    case "templates":
    case "template":
    case "tier":
      return event;
  }
}

function messageOf(message: InboundMessage, cut: Cut): InboundMessage {
  const { sender, pressed, post, advert, quoted } = message;
  return {
    ...message,
    contact: contactOf(message.contact),
    ...(sender === undefined ? {} : { sender: { ...sender, name: name(sender.name) } }),
    body: bodyOf(message.body, cut),
    ...(pressed === undefined ? {} : { pressed: { ...pressed, ...some(pressed, ["text", "payload"], cut) } }),
    ...(post === undefined ? {} : { post: postOf(post, cut) }),
    ...(advert === undefined ? {} : { advert: advertOf(advert) }),
    ...(quoted === undefined ? {} : { quoted: quotedOf(quoted, cut) }),
  };
}

function bodyOf(body: MessageBody, cut: Cut): MessageBody {
  switch (body.type) {
    case "text":
    case "geo":
      return { ...body, text: cut(body.text) };
    case "media":
      return { ...body, text: cut(body.text), file: fileOf(body.file) };
    case "vcard":
      return { ...body, vcard: cut(body.vcard) };
    case "unsupported":
      return { ...body, what: name(body.what) };
    case "missing_call":
      return body;
  }
}

function quotedOf(
  quoted: NonNullable<InboundMessage["quoted"]>,
  cut: Cut,
): NonNullable<InboundMessage["quoted"]> {
  const { body } = quoted;
  return {
    ...withoutLong(quoted, "link"),
    ...(body === undefined ? {} : { body: bodyOf(body, cut) }),
    ...some(quoted, ["authorName"], name),
  };
}

function contactOf(contact: Contact): Contact {
  const { avatar } = contact;
  return {
    ...contact,
    ...some(contact, ["name", "username", "phone"], name),
    ...(avatar === undefined ? {} : { avatar: fileOf(avatar) }),
  };
}

function personOf(person: GroupPerson): GroupPerson {
  return { ...person, ...some(person, ["name", "username", "phone"], name) };
}

function byOf({ by }: { readonly by?: GroupPerson }): { readonly by?: GroupPerson } {
  return by === undefined ? {} : { by: personOf(by) };
}

function pictureOf({ picture }: { readonly picture?: FileRef | null }): {
  readonly picture?: FileRef | null;
} {
  return picture == null ? {} : { picture: fileOf(picture) };
}

function fileOf(file: FileRef): FileRef {
  return { ...file, ...some(file, ["name", "mimeType"], name) };
}

function advertOf(advert: Advert): Advert {
  return { ...withoutLong(advert, "url"), ...some(advert, ["title", "price"], name) };
}

function postOf(post: CommentedPost, cut: Cut): CommentedPost {
  const more = Object.entries(post).map(([key, value]) => [
    key,
    typeof value === "string" && key !== "id" ? clipText(value, MAX_URL_BYTES) : value,
  ]);
  return { ...post, ...Object.fromEntries(more), description: cut(post.description) };
}

function stateOf(state: LinkState): LinkState {
  if (state.status === "lost") return { ...state, detail: name(state.detail) };
  if (state.status === "active") {
    const { profile } = state;
    const named = some(profile, ["name", "username", "phone"], name);
    return { ...state, profile: { ...withoutLong(profile, "url"), ...named } };
  }
  return state.status === "init" && state.reason === "wait_for_password"
    ? { ...state, ...some(state, ["hint"], name) }
    : state;
}

/** These fields of an object, as far as it has them, through `change`. */
function some<T extends object, K extends keyof T>(
  object: T,
  keys: readonly K[],
  change: Cut,
): { [P in K]: T[P] } {
  const changed = keys.flatMap((key) => {
    const value = object[key];
    return typeof value === "string" ? [[key, change(value)] as const] : [];
  });
  return Object.fromEntries(changed) as { [P in K]: T[P] };
}

/** An address that is cut leads nowhere, so that one over the limit is left out. */
function withoutLong<T extends object, K extends keyof T>(object: T, key: K): T {
  const { [key]: address, ...rest } = object;
  return typeof address === "string" && isLonger(address, MAX_URL_BYTES) ? (rest as T) : object;
}
