import type { AnyMessageContent } from "baileys";
import type { OutboundContent, OutboundFile } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";

/** The formats that phones show in their own form; others are sent as documents, as the phone's app does. */
const IMAGES = new Set(["image/jpeg", "image/png"]);
const VIDEOS = new Set(["video/mp4", "video/3gpp"]);
const AUDIOS = new Set(["audio/mpeg", "audio/mp4", "audio/aac", "audio/amr", "audio/ogg"]);

/** Converts our content to the library's format. */
export function toContent(content: OutboundContent): AnyMessageContent {
  switch (content.type) {
    case "text":
      // A link preview would make the service request URLs written by customers.
      return { text: content.text, linkPreview: null };
    case "file":
      return toFileContent(content.file);
    case "template":
      throw new TransportError("GENERAL_ERROR", "Personal WhatsApp accounts do not support templates");
  }
}

function toFileContent(file: OutboundFile): AnyMessageContent {
  const mimetype = baseType(file.mimeType);
  const stream = { stream: file.open() };
  if (isSticker(file)) return { sticker: stream, isAnimated: false };
  if (IMAGES.has(mimetype)) return { image: stream, mimetype } as AnyMessageContent;
  // Generating a thumbnail of a video would require an external program.
  if (VIDEOS.has(mimetype)) return { video: stream, mimetype, jpegThumbnail: "" } as AnyMessageContent;
  if (AUDIOS.has(mimetype)) return toAudio(mimetype, stream);
  return { document: stream, mimetype: file.mimeType, fileName: file.name };
}

/** Phones accept only Ogg with Opus as a voice note. */
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
