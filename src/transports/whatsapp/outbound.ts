import type { AnyMessageContent } from "baileys";
import type { OutboundContent, OutboundFile } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";

/** What of its kind phones show as such; the rest travels as a document, as the phone's program would send it. */
const IMAGES = new Set(["image/jpeg", "image/png"]);
const VIDEOS = new Set(["video/mp4", "video/3gpp"]);
const AUDIOS = new Set(["audio/mpeg", "audio/mp4", "audio/aac", "audio/amr", "audio/ogg"]);

/** Our content in the library's words. */
export function toContent(content: OutboundContent): AnyMessageContent {
  switch (content.type) {
    case "text":
      // A preview would have the service fetch addresses that customers write.
      return { text: content.text, linkPreview: null };
    case "file":
      return toFileContent(content.file);
    case "template":
      throw new TransportError("GENERAL_ERROR", "WhatsApp accounts of persons have no templates");
  }
}

function toFileContent(file: OutboundFile): AnyMessageContent {
  const mimetype = baseType(file.mimeType);
  const stream = { stream: file.open() };
  if (isSticker(file)) return { sticker: stream, isAnimated: false };
  if (IMAGES.has(mimetype)) return { image: stream, mimetype } as AnyMessageContent;
  // The preview of a video would take a program that is not there.
  if (VIDEOS.has(mimetype)) return { video: stream, mimetype, jpegThumbnail: "" } as AnyMessageContent;
  if (AUDIOS.has(mimetype)) return toAudio(mimetype, stream);
  return { document: stream, mimetype: file.mimeType, fileName: file.name };
}

/** Only Ogg with Opus is a voice note to a phone. */
function toAudio(mimetype: string, stream: { stream: ReturnType<OutboundFile["open"]> }): AnyMessageContent {
  return mimetype === "audio/ogg"
    ? { audio: stream, ptt: true, mimetype: "audio/ogg; codecs=opus" }
    : ({ audio: stream, mimetype } as AnyMessageContent);
}

function isSticker({ name, mimeType }: OutboundFile): boolean {
  return name.toLowerCase().endsWith(".was") && /^(image\/webp|application\/was)/.test(mimeType);
}

function baseType(mimeType: string): string {
  return mimeType.split(";")[0]?.trim().toLowerCase() ?? "";
}
