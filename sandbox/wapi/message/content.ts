import { badParam } from "../../meta/graph-error.ts";
import type { Param } from "../../meta/param.ts";
import { whatsAppError } from "../call/whatsapp-error.ts";
import type { MediaKind } from "../media/media-type.ts";
import { readInteractive } from "./interactive.ts";
import { type MediaUse, readSource } from "./media-use.ts";

/** The checked content of a message. */
export interface Content {
  readonly type: string;
  /** The object named like the type, unchanged. */
  readonly value: unknown;
  readonly media: readonly MediaUse[];
}

const kinds: Readonly<Record<string, (message: Param) => Omit<Content, "type" | "value">>> = {
  text: readText,
  audio: (message) => readMedia(message, "audio", ["voice"]),
  document: (message) => readMedia(message, "document", ["caption", "filename"]),
  image: (message) => readMedia(message, "image", ["caption"]),
  sticker: (message) => readMedia(message, "sticker", []),
  video: (message) => readMedia(message, "video", ["caption"]),
  location: readLocation,
  contacts: readContacts,
  reaction: readReaction,
  interactive: (message) => ({ media: readInteractive(message.needObject("interactive")) }),
};

/** Parses all messages but templates, which are checked against the stored template. */
export function readContent(message: Param, type: string): Content {
  const read = kinds[type];
  if (!read) throw whatsAppError(131051, `Message type "${type}" is not supported.`);
  return { type, value: message.structure(type), ...read(message) };
}

function readText(message: Param) {
  const text = message.needObject("text").only("body", "preview_url");
  text.needText("body", { max: 4096 });
  text.flag("preview_url");
  return { media: [] };
}

/** `{id}` or `{link}`, and the other fields of the kind. */
function readMedia(message: Param, kind: MediaKind, extra: readonly string[]) {
  const media = message.needObject(kind).only("id", "link", ...extra);
  if (extra.includes("caption")) media.text("caption", { max: 1024 });
  if (extra.includes("filename")) media.text("filename", { max: 240 });
  if (extra.includes("voice")) media.flag("voice");
  return { media: [readSource(media, kind)] };
}

function readLocation(message: Param) {
  const location = message.needObject("location").only("latitude", "longitude", "name", "address");
  const latitude = location.needNumber("latitude");
  const longitude = location.needNumber("longitude");
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) {
    throw whatsAppError(131009, "Latitude or longitude is out of range.");
  }
  location.text("name", { max: 1000 });
  location.text("address", { max: 1000 });
  return { media: [] };
}

function readReaction(message: Param) {
  const reaction = message.needObject("reaction").only("message_id", "emoji");
  reaction.needText("message_id");
  if (reaction.text("emoji") === undefined) {
    throw badParam(`The parameter ${reaction.placeOf("emoji")} is required.`);
  }
  return { media: [] };
}

const contactParts: Readonly<Record<string, readonly string[]>> = {
  addresses: ["street", "city", "state", "zip", "country", "country_code", "type"],
  emails: ["email", "type"],
  phones: ["phone", "type", "wa_id"],
  urls: ["url", "type"],
};

function readContacts(message: Param) {
  const contacts = message.needList("contacts");
  if (contacts.length === 0) throw badParam("Param contacts must be a non-empty array.");
  for (const contact of contacts) readContact(contact);
  return { media: [] };
}

function readContact(contact: Param): void {
  contact.only("name", "birthday", "org", ...Object.keys(contactParts));
  const name = contact
    .needObject("name")
    .only("formatted_name", "first_name", "last_name", "middle_name", "prefix", "suffix");
  name.needText("formatted_name");
  if (!["first_name", "last_name", "middle_name", "prefix", "suffix"].some((part) => name.has(part))) {
    throw whatsAppError(131008, "Contact name needs at least one part beside formatted_name.");
  }
  contact.object("org")?.only("company", "department", "title");
  for (const [part, keys] of Object.entries(contactParts)) {
    for (const entry of contact.list(part) ?? []) entry.only(...keys);
  }
  const birthday = contact.text("birthday");
  if (birthday !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(birthday)) {
    throw whatsAppError(131009, "Birthday must be in YYYY-MM-DD format.");
  }
}
