import type { MediaKind } from "../../../core/transport/definition.ts";
import type { FileRef, MessageBody } from "../../../core/transport/events.ts";
import { toVcard } from "../../kit/contact-card.ts";
import { withAddresses } from "../../kit/marked-words.ts";
import { bodiesOf, itemPart, joinParts, NOTHING, type Part, quotedPart, wordsPart } from "../../kit/part.ts";
import { hasAddress, linked, wordsIn } from "../../kit/words.ts";
import { type FileToken, fileToken } from "./file-token.ts";
import type { MaxAttachment, MaxElement, MaxLinked, MaxMessage } from "./update.ts";

/** The location of a message, for files whose URL must be requested. */
export interface Whereabouts {
  readonly chatId: string;
  readonly messageId: string;
}

/** The type of an attachment that reports a group change, or words of MAX itself. */
export const CONTROL = "CONTROL";

/** The types of attachments that are read. */
export const KNOWN_TYPES: ReadonlySet<string> = new Set([
  ...["PHOTO", "AUDIO", "VIDEO", "FILE", "STICKER", "CONTACT", "LOCATION", "CALL", "SHARE", "POLL"],
  ...["INLINE_KEYBOARD", "REPLY_KEYBOARD", CONTROL],
]);

/**
 * The bodies of a message: all its words, then those of what it forwards, with the first file or place; every other file
 * is a body of its own. None if it carries nothing, as an answered call.
 */
export function toBodies(message: MaxMessage, at: Whereabouts): readonly MessageBody[] {
  return bodiesOf(partOf(message, at));
}

/** What a message says itself; what it replies to is its quotation. */
export function contentOf({ link, ...message }: MaxMessage): MaxMessage {
  return link === undefined || link.type === "REPLY" ? message : { ...message, link };
}

function partOf({ text, elements = [], attaches = [], link }: MaxMessage, at: Whereabouts): Part {
  const words = text === undefined ? "" : withAddresses(text, elements.flatMap(stretchOf));
  return joinParts([
    wordsPart([words]),
    ...attaches.map((attachment) => attachmentPart(attachment, words, at)),
    linkedPart(link, at),
  ]);
}

/** People who are mentioned by another name than theirs are named. */
function stretchOf({ from = 0, length, entityName, attributes }: MaxElement) {
  const url = attributes?.url ?? entityName;
  return url === undefined || length === undefined ? [] : [{ offset: from, length, url }];
}

function linkedPart(link: MaxLinked | undefined, at: Whereabouts): Part {
  return link?.message === undefined ? NOTHING : quotedPart(partOf(link.message, at));
}

/** `words` are those of the message. */
function attachmentPart(attachment: MaxAttachment, words: string, at: Whereabouts): Part {
  const { _type: type = "ATTACHMENT", audioId, fileId, videoId } = attachment;
  switch (type) {
    case "PHOTO":
      return photoPart(attachment, at);
    case "AUDIO":
      return audioPart(attachment, at);
    case "VIDEO":
      return asked("video", attachment, { kind: "video", id: videoId, at, mimeType: "video/mp4" });
    case "FILE":
      return asked("document", attachment, { kind: "file", id: fileId, at, ...factsOf(attachment) });
    case "STICKER":
      return stickerPart(attachment, at);
    case "CONTACT":
      return contactPart(attachment);
    case "LOCATION":
      return placePart(attachment);
    case "CALL":
      return callPart(attachment);
    case "SHARE":
      return sharePart(attachment, words);
    case "POLL":
      return pollPart(attachment);
    case "INLINE_KEYBOARD":
    case "REPLY_KEYBOARD":
      return keyboardPart(attachment);
    case CONTROL:
      return NOTHING;
    default:
      // Voice messages arrive so at clients of older versions.
      if (audioId !== undefined) return audioPart(attachment, at);
      return unsupported(type.toLowerCase(), wordsIn(attachment.raw));
  }
}

function unsupported(what: string, text?: string | null): Part {
  return itemPart({ type: "unsupported", what, ...(text != null && { text }) });
}

interface FileFacts extends Omit<FileRef, "token"> {
  readonly kind: FileToken["kind"];
  readonly id?: string | undefined;
  readonly at: Whereabouts;
}

function media(what: MediaKind, url: string | undefined, facts: FileFacts, text = ""): Part {
  const { kind, id, at, ...about } = facts;
  const token = fileToken({ kind, url, id, ...at });
  return itemPart({ type: "media", media: what, file: { token, ...about }, text });
}

/** A moving picture has a video beside its first frame. */
function photoPart(attachment: MaxAttachment, at: Whereabouts): Part {
  const { photoId: id, baseUrl, url, mp4Url } = attachment;
  if (mp4Url !== undefined)
    return media("video", mp4Url, { kind: "animation", id, at, mimeType: "video/mp4" });
  const address = baseUrl ?? url;
  if (address === undefined && id === undefined) return unsupported("image");
  return media("image", address, { kind: "photo", id, at, mimeType: "image/jpeg", ...sizeOf(attachment) });
}

function audioPart(attachment: MaxAttachment, at: Whereabouts): Part {
  const { audioId: id, baseUrl, url, transcription } = attachment;
  const address = baseUrl ?? url;
  if (address === undefined && id === undefined) return unsupported("audio", transcription);
  const facts: FileFacts = { kind: "audio", id, at, mimeType: "audio/ogg", ...sizeOf(attachment) };
  return media("audio", address, facts, transcription);
}

/** The URLs of videos and files must be requested. */
function asked(what: MediaKind, { url, name }: MaxAttachment, facts: FileFacts): Part {
  if (facts.id !== undefined) return media(what, undefined, facts);
  return url === undefined ? unsupported(what, name) : media(what, url, facts);
}

function sizeOf({ size }: MaxAttachment): Pick<FileRef, "size"> {
  return size === undefined ? {} : { size };
}

function factsOf(attachment: MaxAttachment): Omit<FileRef, "token"> {
  const { name } = attachment;
  return { ...(name !== undefined && { name }), ...sizeOf(attachment) };
}

/** An animated sticker may have no picture; its animation becomes a document. */
function stickerPart({ url, mp4Url, lottieUrl }: MaxAttachment, at: Whereabouts): Part {
  if (url !== undefined) return media("image", url, { kind: "sticker", at, mimeType: "image/webp" });
  if (mp4Url !== undefined) return media("video", mp4Url, { kind: "sticker", at, mimeType: "video/mp4" });
  if (lottieUrl === undefined) return unsupported("sticker");
  const mimeType = "application/json";
  return media("document", lottieUrl, { kind: "sticker", at, name: "sticker.json", mimeType });
}

const EMPTY_CARD = "BEGIN:VCARD\r\nVERSION:3.0\r\nEND:VCARD\r\n";

/** A person of MAX has no card, only a name. */
function contactPart({ vcfBody, name, firstName, lastName, phone }: MaxAttachment): Part {
  const full = [firstName, lastName].filter((part) => part !== undefined).join(" ");
  const named = full === "" ? name : full;
  if ((vcfBody ?? named ?? phone) === undefined) return unsupported("contact");
  const vcard = toVcard({
    vcard: vcfBody ?? EMPTY_CARD,
    firstName: named ?? phone,
    ...(phone !== undefined && { phone: `+${phone}` }),
  });
  return itemPart({ type: "vcard", vcard });
}

function placePart({ latitude, longitude, lat, lon, title, name, address }: MaxAttachment): Part {
  const text = wordsPart([title ?? name, address]).words.join("\n");
  const [north, east] = [latitude ?? lat, longitude ?? lon];
  if (north !== undefined && east !== undefined)
    return itemPart({ type: "geo", latitude: north, longitude: east, text });
  return text === "" ? unsupported("location") : wordsPart([text]);
}

/** An answered call leaves an entry, which is no message. A group's call can be joined by its link. */
function callPart({ hangupType, duration = 0, joinLink }: MaxAttachment): Part {
  if (joinLink !== undefined) return unsupported("call", joinLink);
  const wasMissed = duration === 0 || /MISS|CANCEL|REJECT/i.test(hangupType ?? "");
  return wasMissed ? itemPart({ type: "missing_call" }) : NOTHING;
}

/** A shared page: its title, description and address. Nothing if it is the preview of an address in the text. */
function sharePart({ title, description, url }: MaxAttachment, words: string): Part {
  if (url !== undefined && hasAddress(words, url)) return NOTHING;
  const part = wordsPart([title, description, url]);
  return part.words.length === 0 ? unsupported("share") : part;
}

/** The title, then one line per option. */
function pollPart({ title, question, answers, options }: MaxAttachment): Part {
  const choices = (answers ?? options ?? []).map((name) => `• ${name}`);
  const { words } = wordsPart([title ?? question, ...choices]);
  return unsupported("poll", words.length === 0 ? null : words.join("\n"));
}

/** What a bot's message offers. */
function keyboardPart({ keyboard, buttons = keyboard?.buttons }: MaxAttachment): Part {
  return wordsPart((buttons ?? []).flat().map(({ text, url }) => linked(text, url)));
}
