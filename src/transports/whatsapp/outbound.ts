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
      return toFileContent(content.file, content.caption === undefined ? {} : { caption: content.caption });
    case "template":
      throw new TransportError("GENERAL_ERROR", "Personal WhatsApp accounts do not support templates");
  }
}

/** Audio and stickers have no caption (`WAProto`, `AudioMessage` and `StickerMessage`). */
function toFileContent(file: OutboundFile, caption: { readonly caption?: string }): AnyMessageContent {
  const mimetype = baseType(file.mimeType);
  const stream = { stream: file.open() };
  if (isSticker(file) && caption.caption === undefined) return { sticker: stream, isAnimated: false };
  if (IMAGES.has(mimetype)) return { image: stream, mimetype, ...caption } as AnyMessageContent;
  if (VIDEOS.has(mimetype)) return { ...toVideo(file, mimetype, stream), ...caption } as AnyMessageContent;
  if (AUDIOS.has(mimetype)) return toAudio(file, mimetype, stream);
  return { document: stream, mimetype: file.mimeType, fileName: file.name, ...caption };
}

type Opened = { readonly stream: ReturnType<OutboundFile["open"]> };

/** Without a thumbnail, even an empty one, the library would start an external program for one. */
function toVideo({ videoPreview }: OutboundFile, mimetype: string, video: Opened): AnyMessageContent {
  if (videoPreview === undefined) return { video, mimetype, jpegThumbnail: "" } as AnyMessageContent;
  const { width, height, seconds, thumbnail } = videoPreview;
  const jpegThumbnail = Buffer.from(thumbnail).toString("base64");
  return { video, mimetype, width, height, seconds, jpegThumbnail } as AnyMessageContent;
}

/** Phones accept only Ogg with Opus as a voice note. */
function toAudio({ voiceNote }: OutboundFile, mimetype: string, audio: Opened): AnyMessageContent {
  if (mimetype !== "audio/ogg") return { audio, mimetype } as AnyMessageContent;
  const described = voiceNote === undefined ? {} : { ...voiceNote };
  return { audio, ptt: true, mimetype: "audio/ogg; codecs=opus", ...described } as AnyMessageContent;
}

function isSticker({ name, mimeType }: OutboundFile): boolean {
  return name.toLowerCase().endsWith(".was") && /^(image\/webp|application\/was)/.test(mimeType);
}

function baseType(mimeType: string): string {
  return mimeType.split(";")[0]?.trim().toLowerCase() ?? "";
}
