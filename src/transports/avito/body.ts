import type { MessageBody } from "../../core/transport/events.ts";
import { type AvitoContent, largest } from "./inbound/update.ts";

/**
 * Prefixes of `FileRef.token`. A voice message has no permanent URL; the one requested for it is valid for an hour.
 */
export const FILE = { url: "url:", voice: "voice:" } as const;

/**
 * The body of a message ("MessageContent" in Avito's API description). Content that cannot be shown is `unsupported`.
 */
export function toBody(type: string | undefined, content: AvitoContent = {}): MessageBody {
  switch (type) {
    case "image":
      return imageBody(content);
    case "voice":
      return voiceBody(content);
    case "location":
      return placeBody(content);
    case "link":
      return lines(type, linkLines(content));
    case "item":
      return lines(type, [content.item?.title, content.item?.price_string, content.item?.item_url]);
    case "call":
    case "appCall":
      return { type: "missing_call" };
    default:
      return lines(type ?? "message", [content.text]);
  }
}

function lines(what: string, all: readonly (string | undefined)[]): MessageBody {
  const text = all.filter((line) => line !== undefined).join("\n");
  return text === "" ? { type: "unsupported", what } : { type: "text", text };
}

/** A link's text usually equals or contains its URL. */
function linkLines({ link }: AvitoContent): readonly (string | undefined)[] {
  const { text, url } = link ?? {};
  return url !== undefined && text?.includes(url) ? [text] : [text, url];
}

function imageBody({ image }: AvitoContent): MessageBody {
  const url = largest(image?.sizes);
  if (url === undefined) return { type: "unsupported", what: "image" };
  return {
    type: "media",
    media: "image",
    file: { token: `${FILE.url}${url}`, mimeType: "image/jpeg" },
    text: "",
  };
}

/** Opus in an MP4 container (`getVoiceFiles`). */
function voiceBody({ voice }: AvitoContent): MessageBody {
  if (voice?.voice_id === undefined) return { type: "unsupported", what: "voice" };
  const file = { token: `${FILE.voice}${voice.voice_id}`, mimeType: "audio/mp4", name: "voice.m4a" };
  return { type: "media", media: "audio", file, text: "" };
}

function placeBody({ location }: AvitoContent): MessageBody {
  const { lat, lon, title, text } = location ?? {};
  if (lat === undefined || lon === undefined) return lines("location", [text ?? title]);
  return { type: "geo", latitude: lat, longitude: lon, text: text ?? title ?? "" };
}
