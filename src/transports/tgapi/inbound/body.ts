import type { FileRef, MessageBody } from "../../../core/transport/events.ts";
import { withText } from "../../kit/body.ts";
import { toVcard } from "../../kit/contact-card.ts";
import { quotation } from "../../kit/marked-words.ts";
import { joined, linked } from "../../kit/words.ts";
import type { Known } from "../people/names.ts";
import { documentRef, type Place, photoRef } from "./file-token.ts";
import { blockLines } from "./rich.ts";
import type { TgDocument, TgMedia, TgMessage } from "./update.ts";
import { mediaWords, pollText, textOf } from "./words.ts";

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

/** The kinds of media that are read (TL type `MessageMedia`). */
export const KNOWN_MEDIA: ReadonlySet<string> = new Set([
  ...Object.keys(UNSUPPORTED),
  "messageMediaEmpty",
  "messageMediaPhoto",
  "messageMediaDocument",
  "messageMediaWebPage",
  "messageMediaContact",
  "messageMediaGeo",
  "messageMediaGeoLive",
  "messageMediaVenue",
  "messageMediaPoll",
]);

type Bodies = readonly MessageBody[];

/** What is needed to read a message's content. */
export interface Reading {
  readonly place: Place;
  readonly known: Known;
}

/**
 * The bodies of a message (TL type `message`): one for each file, the text with the first. None for a message without
 * any content; unknown content is `unsupported`. Words of a forwarded message are marked as a quotation. Pure.
 */
export function toBodies(message: TgMessage, reading: Reading): Bodies {
  const bodies = contentBodies(message, reading);
  return withButtons(isForwarded(message) ? bodies.map(asQuotation) : bodies, message);
}

/** A channel's post in its group is forwarded by Telegram itself. */
function isForwarded({ fwdFrom, fromId }: TgMessage): boolean {
  if (fwdFrom === undefined) return false;
  const channelId = fwdFrom.savedFromPeer?.channelId;
  return channelId === undefined || channelId !== fromId?.channelId;
}

function asQuotation(body: MessageBody): MessageBody {
  return "text" in body && body.text !== undefined ? { ...body, text: quotation(body.text) } : body;
}

/** Adds the buttons under a bot's message, or of the keyboard that it offers: `label (address)`. */
function withButtons(bodies: Bodies, { replyMarkup }: TgMessage): Bodies {
  const { rows = [] } = replyMarkup ?? {};
  const labels = joined(
    rows.flatMap(({ buttons = [] }) =>
      buttons.map(({ text, url, copyText }) => linked(text, url ?? copyText)),
    ),
  );
  const [first, ...rest] = bodies;
  if (labels === null || first === undefined) return bodies;
  if (first.type === "vcard" || first.type === "missing_call") return withText(labels, bodies);
  return [{ ...first, text: joined([first.text, labels]) ?? "" }, ...rest];
}

function contentBodies(message: TgMessage, reading: Reading): Bodies {
  const { media, richMessage } = message;
  const text = textOf(message.message, message.entities);
  if (richMessage !== undefined) {
    const { blocks = [], photos = [], documents = [] } = richMessage;
    const files = [
      ...photos.map((photo) => photoBody({ photo }, reading)),
      ...documents.map((document) => documentBody(document, reading)),
    ].filter((body) => body !== null);
    const words = joined([text, blockLines(blocks) ?? undefined]);
    if (words !== null || files.length > 0) return withText(words ?? undefined, files);
  }
  if (media === undefined || media._ === "messageMediaEmpty")
    return text === undefined ? [] : [{ type: "text", text }];
  if (isTimed(media)) return [unsupported("disappearing media", text)];
  return mediaBodies(media, text, reading);
}

/** Disappearing media, which only official clients may show, once. */
function isTimed({ _: kind, ttlSeconds }: TgMedia): boolean {
  return ttlSeconds !== undefined && (kind === "messageMediaPhoto" || kind === "messageMediaDocument");
}

/** If a file cannot be opened, its caption remains. */
function mediaBodies(media: TgMedia, text: string | undefined, reading: Reading): Bodies {
  const what = UNSUPPORTED[media._ ?? ""];
  const { poll, attachedMedia, extendedMedia = [], story } = media;
  const inside = [
    attachedMedia,
    ...(poll?.answers ?? []).map((answer) => answer.media),
    ...extendedMedia.map((each) => each.media),
    story?.media,
  ].flatMap((part) => (part === undefined ? [] : partBodies(part, reading)));
  if (media._ === "messageMediaPoll") return withText(joined([text, pollText(media)]) ?? undefined, inside);
  if (media._ === "messageMediaPaidMedia" && inside.length > 0) return withText(text, inside);
  if (what !== undefined) {
    const words = joined([mediaWords(media, reading.known) ?? undefined, text]);
    return [unsupported(what, words ?? undefined), ...inside];
  }
  const parts = partBodies(media, reading);
  if (parts.length > 0) return withText(text, parts);
  if (media._ === "messageMediaWebPage") return textBodies(text ?? media.webpage?.url);
  if (KNOWN_MEDIA.has(media._ ?? "") && text !== undefined) return [{ type: "text", text }];
  return [unsupported("media", joined([mediaWords(media, reading.known) ?? undefined, text]) ?? undefined)];
}

const textBodies = (text: string | undefined): Bodies => (text === undefined ? [] : [{ type: "text", text }]);

function unsupported(what: string, text?: string): MessageBody {
  return { type: "unsupported", what, ...(text !== undefined && { text }) };
}

/** The files and places of a message or of a part of it. A live photo has two: the photo, and the video. */
export function partBodies(media: TgMedia, reading: Reading): Bodies {
  switch (media._) {
    case "messageMediaPhoto":
    case "messageMediaDocument":
      return filesIn(media, reading);
    case "messageMediaContact": {
      const { phoneNumber: phone, firstName, lastName, vcard } = media;
      return [{ type: "vcard", vcard: toVcard({ phone, firstName, lastName, vcard }) }];
    }
    case "messageMediaGeo":
    case "messageMediaGeoLive":
    case "messageMediaVenue":
      return [placeBody(media)];
    default:
      return media.ttlSeconds === undefined ? filesIn(media, reading) : [];
  }
}

function filesIn(media: TgMedia, reading: Reading): Bodies {
  const { document, video } = media;
  const files = [photoBody(media, reading), documentBody(document, reading), documentBody(video, reading)];
  return files.filter((body) => body !== null);
}

type MediaType = Extract<MessageBody, { type: "media" }>["media"];

function fileBody(media: MediaType, file: FileRef): MessageBody {
  return { type: "media", media, file, text: "" };
}

function photoBody({ photo }: Pick<TgMedia, "photo">, { place }: Reading): MessageBody | null {
  const file = photoRef(photo, place);
  return file === undefined ? null : fileBody("image", file);
}

function documentBody(document: TgDocument | undefined, { place }: Reading): MessageBody | null {
  const file = documentRef(document, place);
  if (file === undefined) return lostFile(document);
  const kinds = new Set((document?.attributes ?? []).map(({ _: kind }) => kind));
  if (kinds.has("documentAttributeSticker")) return stickerBody(file);
  if (kinds.has("documentAttributeAnimated") || kinds.has("documentAttributeVideo"))
    return fileBody("video", { mimeType: "video/mp4", ...file });
  if (kinds.has("documentAttributeAudio")) return fileBody("audio", { mimeType: "audio/ogg", ...file });
  return fileBody("document", file);
}

/** Of a file that cannot be opened, the name is left. */
function lostFile(document: TgDocument | undefined): MessageBody | null {
  const name = document?.attributes?.find(({ fileName }) => fileName !== undefined)?.fileName;
  return name === undefined ? null : unsupported("file", name);
}

/** Static stickers are WebP; animated ones are videos (WebM), or for Telegram's own player (TGS, gzipped Lottie). */
function stickerBody(file: FileRef): MessageBody {
  const { mimeType = "image/webp" } = file;
  if (mimeType.startsWith("image/")) return fileBody("image", { ...file, mimeType });
  const name = mimeType === "application/x-tgsticker" ? "sticker.tgs" : "sticker.webm";
  return fileBody("document", { ...file, name });
}

/** A place without coordinates becomes text, if it has any. */
function placeBody({ geo, title, address }: TgMedia): MessageBody {
  const text = [title, address].filter(Boolean).join(", ");
  if (geo?.lat !== undefined && geo.long !== undefined)
    return { type: "geo", latitude: geo.lat, longitude: geo.long, text };
  return text === "" ? unsupported("place") : { type: "text", text };
}
