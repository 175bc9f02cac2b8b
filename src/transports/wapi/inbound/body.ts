import type { MessageBody } from "../../../core/transport/events.ts";
import { type Json, numberIn, objectIn, objectsIn, textIn } from "../../kit/json.ts";
import { toVcard } from "./vcard.ts";

const MEDIA = {
  image: "image",
  sticker: "image",
  video: "video",
  audio: "audio",
  document: "document",
} as const;

/** The body of a message; null for a reaction or a system message. Pure. */
export function toBody(message: Json): MessageBody | null {
  const type = textIn(message, "type") ?? "unknown";
  const part = objectIn(message, type);
  switch (type) {
    case "text":
      return { type: "text", text: textIn(part, "body") ?? "" };
    case "image":
    case "sticker":
    case "video":
    case "audio":
    case "document":
      return mediaOf(MEDIA[type], part) ?? unsupported(type);
    case "location":
      return placeOf(part) ?? unsupported(type);
    case "contacts":
      return { type: "vcard", vcard: objectsIn(message, "contacts").map(toVcard).join("\n") };
    case "button":
    case "interactive":
      return {
        type: "text",
        text: pressOf(message)?.text ?? textIn(objectIn(part, "nfm_reply"), "body") ?? "",
      };
    case "reaction":
    case "system":
    case "request_welcome":
      return null;
    default:
      return unsupported(type);
  }
}

function mediaOf(media: (typeof MEDIA)[keyof typeof MEDIA], part: Json | undefined): MessageBody | null {
  const token = textIn(part, "id");
  if (token === undefined) return null;
  const name = textIn(part, "filename");
  const mimeType = textIn(part, "mime_type");
  const file = {
    token,
    ...(name === undefined ? {} : { name }),
    ...(mimeType === undefined ? {} : { mimeType }),
  };
  return { type: "media", media, file, text: textIn(part, "caption") ?? "" };
}

function placeOf(part: Json | undefined): MessageBody | null {
  const [latitude, longitude] = [numberIn(part, "latitude"), numberIn(part, "longitude")];
  if (latitude === undefined || longitude === undefined) return null;
  const words = [textIn(part, "name"), textIn(part, "address")].filter((word) => word !== undefined);
  return { type: "geo", latitude, longitude, text: words.join("\n") };
}

function unsupported(what: string): MessageBody {
  return { type: "unsupported", what };
}

/** The press of a reply button, a template button or a list row; null for other messages. */
export function pressOf(message: Json): { text: string; payload?: string } | null {
  const button = objectIn(message, "button");
  const interactive = objectIn(message, "interactive");
  const reply = objectIn(interactive, "button_reply") ?? objectIn(interactive, "list_reply");
  const text = textIn(button, "text") ?? textIn(reply, "title");
  const payload = textIn(button, "payload") ?? textIn(reply, "id");
  if (text === undefined) return null;
  return payload === undefined ? { text } : { text, payload };
}
