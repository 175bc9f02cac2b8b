import type {
  Audio,
  Contact,
  Document,
  ExternalReplyInfo,
  Message,
  Sticker,
  Venue,
  Video,
  Voice,
} from "@grammyjs/types";
import type { FileRef, MessageBody } from "../../core/transport/events.ts";

/** What a message and a reply to another chat have in common. */
type Content = Partial<Pick<Message, "text" | "caption">> &
  Omit<Partial<ExternalReplyInfo>, "origin" | "chat">;

/** Kinds that have no counterpart in the interface, with their names for a person. */
const UNSUPPORTED = {
  paid_media: "paid media",
  poll: "poll",
  dice: "dice",
  game: "game",
  invoice: "invoice",
  story: "story",
  checklist: "checklist",
  giveaway: "giveaway",
  giveaway_winners: "giveaway winners",
} as const satisfies Partial<Record<keyof ExternalReplyInfo, string>>;

/**
 * The body of a message (Bot API, `Message`), or null when it has no content of any known kind. The order matters:
 * a venue also has `location`, an animation `document`, a live photo `photo`.
 */
export function toBody(message: Content): MessageBody | null {
  if (message.text !== undefined) return { type: "text", text: message.text };
  const unsupported = unsupportedKind(message);
  if (unsupported !== undefined) return { type: "unsupported", what: unsupported };
  return mediaBody(message, message.caption ?? "") ?? placeBody(message) ?? contactBody(message);
}

function unsupportedKind(message: Content): string | undefined {
  return Object.entries(UNSUPPORTED).find(([key]) => Object.hasOwn(message, key))?.[1];
}

function mediaBody(message: Content, text: string): MessageBody | null {
  const { photo, animation, video, video_note, voice, audio, sticker, document } = message;
  const picture = photo?.at(-1);
  if (picture) return { type: "media", media: "image", file: fileRef(picture, "image/jpeg"), text };
  if (animation) return { type: "media", media: "video", file: fileRef(animation, "video/mp4"), text };
  if (video) return { type: "media", media: "video", file: fileRef(video, "video/mp4"), text };
  if (video_note) return { type: "media", media: "video", file: fileRef(video_note, "video/mp4"), text };
  if (voice) return { type: "media", media: "audio", file: fileRef(voice, "audio/ogg"), text };
  if (audio) return { type: "media", media: "audio", file: fileRef(audio, "audio/mpeg"), text };
  if (sticker) return stickerBody(sticker);
  if (document) return { type: "media", media: "document", file: fileRef(document), text };
  return null;
}

/** Stickers are webp pictures, webm videos, or animations that only Telegram plays (gzipped Lottie). */
function stickerBody(sticker: Sticker): MessageBody {
  const body = { type: "media", text: "" } as const;
  if (sticker.is_video) return { ...body, media: "video", file: fileRef(sticker, "video/webm") };
  if (!sticker.is_animated) return { ...body, media: "image", file: fileRef(sticker, "image/webp") };
  return {
    ...body,
    media: "document",
    file: { ...fileRef(sticker, "application/x-tgsticker"), name: "sticker.tgs" },
  };
}

function placeBody({ venue, location }: Content): MessageBody | null {
  const place = venue?.location ?? location;
  if (place === undefined) return null;
  return {
    type: "geo",
    latitude: place.latitude,
    longitude: place.longitude,
    text: venue ? venueText(venue) : "",
  };
}

function venueText({ title, address }: Venue): string {
  return [title, address].filter((part) => part !== "").join(", ");
}

function contactBody({ contact }: Content): MessageBody | null {
  return contact === undefined ? null : { type: "vcard", vcard: contact.vcard || buildVcard(contact) };
}

/** A vCard 3.0 (RFC 2426) for contacts that come without one. */
function buildVcard({ phone_number, first_name, last_name }: Contact): string {
  const name = [first_name, last_name].filter(Boolean).join(" ");
  const lines = [
    "BEGIN:VCARD",
    "VERSION:3.0",
    `N:${escapeVcard(last_name ?? "")};${escapeVcard(first_name)};;;`,
    `FN:${escapeVcard(name)}`,
    `TEL;TYPE=CELL:${escapeVcard(phone_number)}`,
    "END:VCARD",
  ];
  return `${lines.join("\r\n")}\r\n`;
}

function escapeVcard(text: string): string {
  return text.replace(/[\\;,]/g, "\\$&").replace(/\r?\n/g, "\\n");
}

type AnyFile = { readonly file_id: string } & Partial<
  Pick<Audio & Document & Video & Voice, "file_name" | "mime_type" | "file_size">
>;

function fileRef(file: AnyFile, usualType?: string): FileRef {
  const mimeType = file.mime_type ?? usualType;
  return {
    token: file.file_id,
    ...(file.file_name !== undefined && { name: file.file_name }),
    ...(mimeType !== undefined && { mimeType }),
    ...(file.file_size !== undefined && { size: file.file_size }),
  };
}
