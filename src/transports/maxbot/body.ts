import type { FileRef, MessageBody } from "../../core/transport/events.ts";
import { withText } from "../kit/body.ts";
import type { MaxAttachment, MaxBody } from "./update.ts";

/** Prefixes of `FileRef.token`. A video's URL must be requested; the other URLs come with the message. */
export const FILE = { url: "url:", video: "video:" } as const;

/**
 * The bodies of a message: one for each attachment, the text with the first (dev.max.ru, "Message"). Never empty: a
 * message without known content is `unsupported`.
 */
export function toBodies({ text, attachments = [] }: MaxBody): readonly [MessageBody, ...MessageBody[]] {
  return withText(
    text,
    attachments.flatMap((attachment) => toBody(attachment) ?? []),
  );
}

/** Returns null for attachments that are not content, such as a keyboard. */
function toBody(attachment: MaxAttachment): MessageBody | null {
  const { type = "attachment" } = attachment;
  switch (type) {
    case "image":
      return media("image", urlRef(attachment, { mimeType: "image/jpeg" }));
    case "sticker":
      return media("image", urlRef(attachment, { mimeType: "image/webp" }));
    case "video":
      return media("video", videoRef(attachment));
    case "audio":
      return media("audio", urlRef(attachment));
    case "file":
      return media("document", urlRef(attachment, fileFacts(attachment)));
    case "contact":
      return contactBody(attachment);
    case "location":
      return placeBody(attachment);
    case "share":
      return shareBody(attachment);
    case "inline_keyboard":
    case "reply_keyboard":
      return null;
    default:
      return { type: "unsupported", what: type };
  }
}

function media(kind: "image" | "audio" | "video" | "document", file: FileRef | null): MessageBody {
  if (file === null) return { type: "unsupported", what: kind };
  return { type: "media", media: kind, file, text: "" };
}

function urlRef({ payload }: MaxAttachment, facts: Omit<FileRef, "token"> = {}): FileRef | null {
  return payload?.url === undefined ? null : { token: `${FILE.url}${payload.url}`, ...facts };
}

/** The `url` of a video is a web page; the file is fetched by its token (dev.max.ru, "GET /videos/{token}"). */
function videoRef(attachment: MaxAttachment): FileRef | null {
  const token = attachment.payload?.token;
  if (token === undefined) return urlRef(attachment, { mimeType: "video/mp4" });
  return { token: `${FILE.video}${token}`, mimeType: "video/mp4" };
}

function fileFacts({ filename, size }: MaxAttachment): Omit<FileRef, "token"> {
  return { ...(filename !== undefined && { name: filename }), ...(size !== undefined && { size }) };
}

function contactBody({ payload }: MaxAttachment): MessageBody {
  if (payload?.vcf_info !== undefined) return { type: "vcard", vcard: payload.vcf_info };
  const { name, first_name } = payload?.max_info ?? {};
  const known = name ?? first_name;
  return known === undefined ? { type: "unsupported", what: "contact" } : { type: "text", text: known };
}

function placeBody({ latitude, longitude }: MaxAttachment): MessageBody {
  if (latitude === undefined || longitude === undefined) return { type: "unsupported", what: "location" };
  return { type: "geo", latitude, longitude, text: "" };
}

/** A link with a preview, reduced to title and link. */
function shareBody({ title, payload }: MaxAttachment): MessageBody {
  const lines = [title, payload?.url].filter((line) => line !== undefined);
  return lines.length === 0
    ? { type: "unsupported", what: "share" }
    : { type: "text", text: lines.join("\n") };
}
