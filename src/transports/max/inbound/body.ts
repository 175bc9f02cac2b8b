import type { MediaKind } from "../../../core/transport/definition.ts";
import type { FileRef, MessageBody } from "../../../core/transport/events.ts";
import { withText } from "../../kit/body.ts";
import { type FileToken, fileToken } from "./file-token.ts";
import type { MaxAttachment, MaxQuoted } from "./update.ts";

/** The location of a message, for files whose URL must be requested. */
export interface Whereabouts {
  readonly chatId: string;
  readonly messageId: string;
}

/** The type of an attachment that reports a group change; such a message has no content. */
export const CONTROL = "CONTROL";

/**
 * The bodies of a message: one for each attachment, the text with the first. Never empty: a message without known
 * content is `unsupported`.
 */
export function toBodies(
  { text, attaches = [] }: MaxQuoted,
  at: Whereabouts,
): readonly [MessageBody, ...MessageBody[]] {
  return withText(
    text,
    attaches.flatMap((attachment) => toBody(attachment, at) ?? []),
  );
}

/** Returns null for attachments that are not content. */
function toBody(attachment: MaxAttachment, at: Whereabouts): MessageBody | null {
  const { _type: type = "ATTACHMENT" } = attachment;
  switch (type) {
    case "PHOTO":
      return byAddress("image", attachment, {
        kind: "photo",
        id: attachment.photoId,
        at,
        mimeType: "image/jpeg",
      });
    case "AUDIO":
      return byAddress("audio", attachment, {
        kind: "audio",
        id: attachment.audioId,
        at,
        mimeType: "audio/ogg",
      });
    case "VIDEO":
      return asked("video", attachment.videoId, { kind: "video", at, mimeType: "video/mp4" });
    case "FILE":
      return asked("document", attachment.fileId, { kind: "file", at, ...factsOf(attachment) });
    case "STICKER":
      return stickerBody(attachment, at);
    case "CONTACT":
      return contactBody(attachment);
    case "LOCATION":
      return placeBody(attachment);
    case "CALL":
      return callBody(attachment);
    case "SHARE":
      return linesBody([attachment.title, attachment.url], "share");
    case "POLL":
      return pollBody(attachment);
    case "INLINE_KEYBOARD":
    case "REPLY_KEYBOARD":
    case CONTROL:
      return null;
    default:
      return { type: "unsupported", what: type.toLowerCase() };
  }
}

interface FileFacts extends Omit<FileRef, "token"> {
  readonly kind: FileToken["kind"];
  readonly id?: string | undefined;
  readonly at: Whereabouts;
}

function media(what: MediaKind, url: string | undefined, { kind, id, at, ...about }: FileFacts): MessageBody {
  const token = fileToken({ kind, url, id, ...at });
  return { type: "media", media: what, file: { token, ...about }, text: "" };
}

/** Pictures and voice messages contain their URL. */
function byAddress(what: MediaKind, { baseUrl, url, size }: MaxAttachment, facts: FileFacts): MessageBody {
  const address = baseUrl ?? url;
  if (address === undefined && facts.id === undefined) return { type: "unsupported", what };
  return media(what, address, { ...facts, ...(size !== undefined && { size }) });
}

/** The URLs of videos and files must be requested. */
function asked(what: MediaKind, id: string | undefined, facts: FileFacts): MessageBody {
  return id === undefined ? { type: "unsupported", what } : media(what, undefined, { ...facts, id });
}

function factsOf({ name, size }: MaxAttachment): Omit<FileRef, "token"> {
  return { ...(name !== undefined && { name }), ...(size !== undefined && { size }) };
}

/** An animated sticker has no picture; its animation becomes a document. */
function stickerBody({ url, lottieUrl }: MaxAttachment, at: Whereabouts): MessageBody {
  if (url !== undefined) return media("image", url, { kind: "sticker", at, mimeType: "image/webp" });
  if (lottieUrl === undefined) return { type: "unsupported", what: "sticker" };
  return media("document", lottieUrl, {
    kind: "sticker",
    at,
    name: "sticker.json",
    mimeType: "application/json",
  });
}

function contactBody({ vcfBody, name, firstName, lastName, phone }: MaxAttachment): MessageBody {
  if (vcfBody !== undefined) return { type: "vcard", vcard: vcfBody };
  const full = name ?? [firstName, lastName].filter((part) => part !== undefined).join(" ");
  if (full === "" && phone === undefined) return { type: "unsupported", what: "contact" };
  const lines = [
    "BEGIN:VCARD",
    "VERSION:3.0",
    `FN:${escaped(full === "" ? (phone ?? "") : full)}`,
    ...(phone === undefined ? [] : [`TEL;TYPE=CELL:+${phone.replace(/^-/, "")}`]),
    "END:VCARD",
  ];
  return { type: "vcard", vcard: lines.join("\r\n") };
}

/** RFC 2426, section 5. */
function escaped(text: string): string {
  return text.replace(/[\\,;]/g, (char) => `\\${char}`).replace(/\r?\n/g, "\\n");
}

function placeBody({ latitude, longitude }: MaxAttachment): MessageBody {
  if (latitude === undefined || longitude === undefined) return { type: "unsupported", what: "location" };
  return { type: "geo", latitude, longitude, text: "" };
}

/** An answered call leaves a message with its duration. */
function callBody({ hangupType, duration = 0 }: MaxAttachment): MessageBody {
  const wasMissed = hangupType === undefined ? duration === 0 : /MISS|CANCEL|REJECT/i.test(hangupType);
  return wasMissed ? { type: "missing_call" } : { type: "unsupported", what: "call" };
}

/** The title, then one line per option. */
function pollBody({ title, question, answers, options }: MaxAttachment): MessageBody {
  const choices = (answers ?? options ?? []).map((name) => `• ${name}`);
  return linesBody([title ?? question, ...choices], "poll");
}

function linesBody(lines: readonly (string | undefined)[], what: string): MessageBody {
  const text = lines.filter((line) => line !== undefined).join("\n");
  return text === "" ? { type: "unsupported", what } : { type: "text", text };
}
