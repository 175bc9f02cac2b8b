import type { StrictFields } from "../http/strict-fields.ts";
import { readButtons } from "./keyboard.ts";
import { fieldErrors, refused } from "./status.ts";

/** The fields of a message by its type, besides those of every message. */
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  picture: ["text", "media", "thumbnail"],
  // The official client also sends a text with videos.
  video: ["media", "thumbnail", "size", "duration", "text"],
  file: ["media", "size", "file_name"],
  contact: ["contact"],
  location: ["location"],
  url: ["media"],
  sticker: ["sticker_id"],
  rich_media: ["rich_media", "alt_text"],
};

/** The fields of every message. */
const commonFields = ["type", "min_api_version", "sender", "tracking_data", "keyboard"];

const megabyte = 1024 * 1024;
export const maxBytes = { picture: 3 * megabyte, video: 26 * megabyte, file: 50 * megabyte } as const;

const maxTextCharacters = 7000;
const maxCaptionCharacters = 768;
const forbiddenFiles = /\.(exe|msi|bat|cmd|com|scr|js|jar|vbs|apk|dmg|sh|ps1|dll|app|deb|rpm)$/i;

/** All fields of a message of this type; undefined for an unknown type. */
export function messageFields(type: string | undefined): readonly string[] | undefined {
  // A keyboard may be sent without a message.
  return type === undefined ? commonFields : fieldsOf[type] && [...commonFields, ...(fieldsOf[type] ?? [])];
}

/** Parses the content of a message in the API's format. Throws the status of the error. */
export function readContent(fields: StrictFields): Readonly<Record<string, unknown>> {
  const type = fields.text("type");
  const apiVersion = fields.integer("min_api_version") ?? 1;
  const trackingData = limited(fields, "tracking_data", 4000);
  const keyboard = fields.raw("keyboard");
  if (keyboard !== undefined) readButtons(keyboard, "keyboard", apiVersion);
  if (type === undefined && keyboard === undefined) throw fields.missing("type");
  return {
    ...(type !== undefined && { type, ...readType(type, fields, apiVersion) }),
    ...(trackingData !== undefined && { tracking_data: trackingData }),
    ...(keyboard !== undefined && { keyboard }),
  };
}

function readType(type: string, fields: StrictFields, apiVersion: number): Readonly<Record<string, unknown>> {
  switch (type) {
    case "text": {
      const text = limited(fields, "text", maxTextCharacters);
      if (text === undefined || text === "") throw fields.missing("text");
      return { text };
    }
    case "picture":
      return readPicture(fields);
    case "video":
      return readVideo(fields);
    case "file":
      return readFile(fields);
    case "contact":
      return { contact: readContact(fields.needObject("contact", ["name", "phone_number", "avatar"])) };
    case "location": {
      const location = fields.needObject("location", ["lat", "lon"]);
      const [lat, lon] = [readCoordinate(location, "lat"), readCoordinate(location, "lon")];
      if (Math.abs(lat) > 90 || Math.abs(lon) > 180) throw refused(3, "location is not on earth");
      return { location: { lat, lon } };
    }
    case "url":
      return { media: limited(fields, "media", 2000) ?? needed(fields, "media") };
    case "sticker":
      return { sticker_id: fields.integer("sticker_id") ?? needed(fields, "sticker_id") };
    default:
      return readCards(fields, apiVersion);
  }
}

/** Viber takes numbers, and numbers as text, as in its own examples. */
function readCoordinate(location: StrictFields, name: "lat" | "lon"): number {
  const value = location.raw(name);
  return typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value))
    ? Number(value)
    : location.needNumber(name);
}

function readPicture(fields: StrictFields): Readonly<Record<string, unknown>> {
  const media = readUrl(fields, "media", /\.(jpe?g|png|gif)$/i);
  const text = limited(fields, "text", maxCaptionCharacters) ?? "";
  const thumbnail = fields.text("thumbnail");
  return { text, media, ...(thumbnail !== undefined && { thumbnail }) };
}

function readVideo(fields: StrictFields): Readonly<Record<string, unknown>> {
  const media = readUrl(fields, "media", /\.mp4$/i);
  const size = readSize(fields, maxBytes.video);
  const duration = fields.integer("duration");
  if (duration !== undefined && (duration < 0 || duration > 180))
    throw refused(3, "duration is over 180 seconds");
  const thumbnail = fields.text("thumbnail");
  const text = limited(fields, "text", maxCaptionCharacters);
  return {
    media,
    size,
    ...(duration !== undefined && { duration }),
    ...(thumbnail !== undefined && { thumbnail }),
    ...(text !== undefined && { text }),
  };
}

function readFile(fields: StrictFields): Readonly<Record<string, unknown>> {
  const media = readUrl(fields, "media", /./);
  const size = readSize(fields, maxBytes.file);
  const name = limited(fields, "file_name", 256) ?? needed(fields, "file_name");
  if (!/.\.[^.]+$/.test(name)) throw refused(3, "file_name has no extension");
  if (forbiddenFiles.test(name)) throw refused(3, "files of this type are forbidden");
  return { media, size, file_name: name };
}

function readContact(contact: StrictFields): Readonly<Record<string, unknown>> {
  const name = limited(contact, "name", 28) ?? needed(contact, "name");
  const phone = limited(contact, "phone_number", 18) ?? needed(contact, "phone_number");
  return { name, phone_number: phone };
}

function readCards(fields: StrictFields, apiVersion: number): Readonly<Record<string, unknown>> {
  if (apiVersion < 2) throw refused(3, "rich_media needs min_api_version 2");
  const cards = fields.raw("rich_media") ?? needed(fields, "rich_media");
  readButtons(cards, "rich_media", apiVersion);
  const altText = limited(fields, "alt_text", maxTextCharacters);
  return { rich_media: cards, ...(altText !== undefined && { alt_text: altText }) };
}

/** The path of the address must have an ending allowed for the type. */
function readUrl(fields: StrictFields, name: string, ending: RegExp): string {
  const url = fields.needText(name);
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw fieldErrors.wrongType(name, "a URL");
  if (!ending.test(new URL(url).pathname)) throw refused(3, `${name} has the wrong extension`);
  return url;
}

function readSize(fields: StrictFields, limit: number): number {
  const size = fields.integer("size") ?? needed(fields, "size");
  if (size < 1 || size > limit) throw refused(3, `size must be 1 to ${limit}`);
  return size;
}

function limited(fields: StrictFields, name: string, characters: number): string | undefined {
  const value = fields.text(name);
  if (value !== undefined && value.length > characters)
    throw refused(3, `${name} is over ${characters} characters`);
  return value;
}

function needed(fields: StrictFields, name: string): never {
  throw fields.missing(name);
}
