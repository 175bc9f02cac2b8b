import type { FileRef, MessageBody } from "../../core/transport/events.ts";
import { type TgContent, type TgFile, UNSUPPORTED } from "./update.ts";

/** The fields common to a message and to a reply from another chat. */
type Content = Partial<TgContent>;

/**
 * The body of a message (Bot API, `Message`), or null if it has no known content. The order matters: a venue also has
 * `location`, an animation `document`, a live photo `photo`.
 */
export function toBody(message: Content): MessageBody | null {
  if (message.text !== undefined) return { type: "text", text: message.text };
  const unsupported = unsupportedKind(message);
  if (unsupported !== undefined) return { type: "unsupported", what: unsupported };
  return mediaBody(message, message.caption ?? "") ?? placeBody(message) ?? contactBody(message);
}

function unsupportedKind(message: Content): string | undefined {
  const kinds = Object.keys(UNSUPPORTED) as (keyof typeof UNSUPPORTED)[];
  const kind = kinds.find((each) => message[each] !== undefined);
  return kind && UNSUPPORTED[kind];
}

type Media = Extract<MessageBody, { type: "media" }>;

/** The first type of media with a file that can be opened (that has a `file_id`). */
function mediaBody(message: Content, text: string): MessageBody | null {
  const { photo, animation, video, video_note, voice, audio, sticker, document } = message;
  const of = (media: Media["media"], file: TgFile | undefined, usualType?: string): Media | null => {
    const ref = file && fileRef(file, usualType);
    return ref ? { type: "media", media, file: ref, text } : null;
  };
  return (
    of(
      "image",
      photo?.findLast(({ file_id }) => file_id !== undefined),
      "image/jpeg",
    ) ??
    of("video", animation, "video/mp4") ??
    of("video", video, "video/mp4") ??
    of("video", video_note, "video/mp4") ??
    of("audio", voice, "audio/ogg") ??
    of("audio", audio, "audio/mpeg") ??
    stickerBody(sticker) ??
    of("document", document)
  );
}

/** Stickers are WebP pictures, WebM videos, or animations that only Telegram plays (gzipped Lottie). */
function stickerBody(sticker: TgFile | undefined): MessageBody | null {
  const [media, type] =
    sticker?.is_video === true
      ? (["video", "video/webm"] as const)
      : sticker?.is_animated === true
        ? (["document", "application/x-tgsticker"] as const)
        : (["image", "image/webp"] as const);
  const file = sticker && fileRef(sticker, type);
  if (!file) return null;
  return {
    type: "media",
    media,
    file: media === "document" ? { ...file, name: "sticker.tgs" } : file,
    text: "",
  };
}

/** A place without coordinates becomes text, if it has any. */
function placeBody({ venue, location }: Content): MessageBody | null {
  const { latitude, longitude } = venue?.location ?? location ?? {};
  const text = [venue?.title, venue?.address].filter(Boolean).join(", ");
  if (latitude !== undefined && longitude !== undefined) return { type: "geo", latitude, longitude, text };
  return text === "" ? null : { type: "text", text };
}

function contactBody({ contact }: Content): MessageBody | null {
  return contact === undefined ? null : { type: "vcard", vcard: contact.vcard ?? buildVcard(contact) };
}

/** A vCard 3.0 (RFC 2426) for contacts that have none. */
function buildVcard({
  phone_number = "",
  first_name = "",
  last_name = "",
}: NonNullable<Content["contact"]>): string {
  const name = [first_name, last_name].filter(Boolean).join(" ");
  const lines = [
    "BEGIN:VCARD",
    "VERSION:3.0",
    `N:${escapeVcard(last_name)};${escapeVcard(first_name)};;;`,
    `FN:${escapeVcard(name)}`,
    `TEL;TYPE=CELL:${escapeVcard(phone_number)}`,
    "END:VCARD",
  ];
  return `${lines.join("\r\n")}\r\n`;
}

function escapeVcard(text: string): string {
  return text.replace(/[\\;,]/g, "\\$&").replace(/\r?\n/g, "\\n");
}

function fileRef(file: TgFile, usualType?: string): FileRef | null {
  if (file.file_id === undefined) return null;
  const mimeType = file.mime_type ?? usualType;
  return {
    token: file.file_id,
    ...(file.file_name !== undefined && { name: file.file_name }),
    ...(mimeType !== undefined && { mimeType }),
    ...(file.file_size !== undefined && { size: file.file_size }),
  };
}
