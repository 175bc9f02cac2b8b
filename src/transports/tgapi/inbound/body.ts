import type { FileRef, MessageBody } from "../../../core/transport/events.ts";
import { documentRef, type Place, photoRef } from "./file-token.ts";
import type { TgDocument, TgMedia, TgMessage } from "./update.ts";

/** Content without a counterpart in the interface, with the name to show to people (TL type `MessageMedia`). */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  messageMediaDice: "dice",
  messageMediaGame: "game",
  messageMediaGiveaway: "giveaway",
  messageMediaGiveawayResults: "giveaway winners",
  messageMediaInvoice: "invoice",
  messageMediaPaidMedia: "paid media",
  messageMediaStory: "story",
  messageMediaToDo: "checklist",
  messageMediaUnsupported: "message",
  messageMediaVideoStream: "video stream",
};

/** The body of a message (TL type `message`). Never empty: unknown content is `unsupported`. Pure. */
export function toBody({ message: text = "", media }: TgMessage, place: Place): MessageBody {
  if (media !== undefined && isTimed(media)) return { type: "unsupported", what: "disappearing media" };
  return mediaBody(media, text, place) ?? wordsBody(media, text);
}

/** Disappearing media, which only official clients may show, once. */
function isTimed({ _: kind, ttlSeconds }: TgMedia): boolean {
  return ttlSeconds !== undefined && (kind === "messageMediaPhoto" || kind === "messageMediaDocument");
}

function mediaBody(media: TgMedia | undefined, text: string, place: Place): MessageBody | null {
  switch (media?._) {
    case "messageMediaPhoto":
      return fileBody("image", photoRef(media.photo, place), text);
    case "messageMediaDocument":
      return documentBody(media.document, text, place);
    case "messageMediaContact":
      return { type: "vcard", vcard: media.vcard ?? buildVcard(media) };
    case "messageMediaGeo":
    case "messageMediaGeoLive":
    case "messageMediaVenue":
      return placeBody(media);
    case "messageMediaPoll":
      return { type: "text", text: pollText(media) };
    default:
      return null;
  }
}

/** If a file cannot be opened, its caption remains. */
function wordsBody(media: TgMedia | undefined, text: string): MessageBody {
  const what = UNSUPPORTED[media?._ ?? ""];
  if (what !== undefined) return { type: "unsupported", what };
  if (text !== "") return { type: "text", text };
  return { type: "unsupported", what: media === undefined ? "message" : "media" };
}

type MediaType = Extract<MessageBody, { type: "media" }>["media"];

function fileBody(media: MediaType, file: FileRef | undefined, text: string): MessageBody | null {
  return file === undefined ? null : { type: "media", media, file, text };
}

function documentBody(document: TgDocument | undefined, text: string, place: Place): MessageBody | null {
  const file = documentRef(document, place);
  if (file === undefined) return null;
  const kinds = new Set((document?.attributes ?? []).map(({ _: kind }) => kind));
  if (kinds.has("documentAttributeSticker")) return stickerBody(file);
  if (kinds.has("documentAttributeAnimated") || kinds.has("documentAttributeVideo"))
    return fileBody("video", { mimeType: "video/mp4", ...file }, text);
  if (kinds.has("documentAttributeAudio")) return fileBody("audio", { mimeType: "audio/ogg", ...file }, text);
  return fileBody("document", file, text);
}

/** Static stickers are WebP; animated ones are videos (WebM), or for Telegram's own player (TGS, gzipped Lottie). */
function stickerBody(file: FileRef): MessageBody | null {
  const { mimeType = "image/webp" } = file;
  if (mimeType.startsWith("image/")) return fileBody("image", { ...file, mimeType }, "");
  const name = mimeType === "application/x-tgsticker" ? "sticker.tgs" : "sticker.webm";
  return fileBody("document", { ...file, name }, "");
}

/** A place without coordinates becomes text, if it has any. */
function placeBody({ geo, title, address }: TgMedia): MessageBody {
  const text = [title, address].filter(Boolean).join(", ");
  if (geo?.lat !== undefined && geo.long !== undefined)
    return { type: "geo", latitude: geo.lat, longitude: geo.long, text };
  return text === "" ? { type: "unsupported", what: "place" } : { type: "text", text };
}

/** The question, then one line per option. */
function pollText({ poll }: TgMedia): string {
  const answers = (poll?.answers ?? []).map(({ text: answer }) => `• ${answer?.text ?? ""}`);
  return [poll?.question?.text ?? "", ...answers].join("\n");
}

/** A vCard 3.0 (RFC 2426) for contacts that have none. */
function buildVcard({ phoneNumber = "", firstName = "", lastName = "" }: TgMedia): string {
  const name = [firstName, lastName].filter(Boolean).join(" ");
  const lines = [
    "BEGIN:VCARD",
    "VERSION:3.0",
    `N:${escapeVcard(lastName)};${escapeVcard(firstName)};;;`,
    `FN:${escapeVcard(name)}`,
    `TEL;TYPE=CELL:${escapeVcard(phoneNumber)}`,
    "END:VCARD",
  ];
  return `${lines.join("\r\n")}\r\n`;
}

function escapeVcard(text: string): string {
  return text.replace(/[\\;,]/g, "\\$&").replace(/\r?\n/g, "\\n");
}
