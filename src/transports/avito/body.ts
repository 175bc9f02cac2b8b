import type { MessageBody } from "../../core/transport/events.ts";
import { objectIn, textIn } from "../kit/json.ts";
import { joined, linked, wordsIn } from "../kit/words.ts";
import { type AvitoContent, largest } from "./inbound/update.ts";

/**
 * Prefixes of `FileRef.token`. A voice message has no permanent URL; the one requested for it is valid for an hour.
 */
export const FILE = { url: "url:", voice: "voice:" } as const;

/** Types of messages ("Message" in Avito's API description). */
export const TYPES: readonly string[] = [
  "text",
  "image",
  "system",
  "item",
  "call",
  "link",
  "location",
  "deleted",
  "appCall",
  "file",
  "video",
  "voice",
];
const WORDS_ONLY: readonly string[] = ["text", "system"];

/**
 * The body of a message ("MessageContent" in Avito's API description). Content that cannot be shown is `unsupported`.
 * Null: there are no words and no file, or the call was answered.
 */
export function toBody(type = "text", content: AvitoContent = {}): MessageBody | null {
  switch (type) {
    case "image":
      return imageBody(content);
    case "voice":
      return voiceBody(content);
    case "location":
      return placeBody(content);
    case "call":
    case "appCall":
      return (content.call?.status ?? "missed") === "missed" ? { type: "missing_call" } : null;
    case "file":
    case "video":
      return fileBody(type, content) ?? wordsBody(type, content);
    default:
      return wordsBody(type, content);
  }
}

function wordsBody(type: string, content: AvitoContent): MessageBody | null {
  const text = joined([content.text, ...itemLines(content), linkLine(content)]);
  if (text !== null) return { type: "text", text };
  const more = wordsIn(content.more ?? {});
  if (more === null) return WORDS_ONLY.includes(type) ? null : { type: "unsupported", what: type };
  return { type: "unsupported", what: type, text: more };
}

function itemLines({ item }: AvitoContent): readonly (string | undefined)[] {
  return [item?.title, item?.price_string, item?.item_url];
}

/** A link's text usually equals or contains its URL, or is a part of it. The preview adds nothing. */
function linkLine({ text: own = "", link }: AvitoContent): string | undefined {
  const { text, url } = link ?? {};
  const line = text !== undefined && url?.includes(text) === true ? url : linked(text, url);
  return [line, url].some((each) => each !== undefined && own.includes(each)) ? undefined : line;
}

function imageBody({ image, text = "" }: AvitoContent): MessageBody {
  const url = largest(image?.sizes);
  if (url === undefined) return { type: "unsupported", what: "image", ...(text !== "" && { text }) };
  return {
    type: "media",
    media: "image",
    file: { token: `${FILE.url}${url}`, mimeType: "image/jpeg" },
    text,
  };
}

/** Opus in an MP4 container (`getVoiceFiles`). */
function voiceBody({ voice, text = "" }: AvitoContent): MessageBody {
  if (voice?.voice_id === undefined)
    return { type: "unsupported", what: "voice", ...(text !== "" && { text }) };
  const file = { token: `${FILE.voice}${voice.voice_id}`, mimeType: "audio/mp4", name: "voice.m4a" };
  return { type: "media", media: "audio", file, text };
}

/** Avito's description has no content for files and videos; where there is one with an address, it is the file's. */
function fileBody(type: "file" | "video", { more, text = "" }: AvitoContent): MessageBody | null {
  const given = objectIn(more, type);
  const url = textIn(given, "url");
  if (url === undefined || !/^https?:/.test(url) || !URL.canParse(url)) return null;
  const name = textIn(given, "name");
  const file = { token: `${FILE.url}${url}`, ...(name !== undefined && { name }) };
  return { type: "media", media: type === "file" ? "document" : "video", file, text };
}

/** The title is usually the beginning of the address. */
function placeBody({ location, text: own }: AvitoContent): MessageBody {
  const { lat, lon, title, text } = location ?? {};
  const address = title !== undefined && text?.includes(title) !== true ? [title, text] : [text];
  const words = joined([own, ...address]);
  if (lat !== undefined && lon !== undefined)
    return { type: "geo", latitude: lat, longitude: lon, text: words ?? "" };
  return words === null ? { type: "unsupported", what: "location" } : { type: "text", text: words };
}
