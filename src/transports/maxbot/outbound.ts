import type {
  MessageChange,
  OutboundFile,
  OutboundMessage,
  Recipient,
} from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { MessageRef } from "../../core/transport/events.ts";
import type { Keyboard, RowButton } from "../../core/transport/keyboard.ts";
import type { Json } from "../kit/json.ts";

/** MAX's names for types of uploads and attachments (dev.max.ru, "POST /uploads"). */
export type UploadType = "image" | "video" | "audio" | "file";

/** The largest number of buttons in a row, and in a row with links (dev.max.ru, "inline_keyboard"). */
const MAX_IN_ROW = 7;
const MAX_LINKS_IN_ROW = 3;

/** The variable parts of a send. A definite refusal may lead to an attempt with other values. */
export interface Attempt {
  /** Only pictures can be sent as a link. */
  readonly source: "link" | "upload";
  /** Media that MAX cannot show as a picture, video or audio is sent as a file. */
  readonly uploadAs: UploadType;
  /** Button intents are optional; MAX may reject values that it does not know. */
  readonly withIntents: boolean;
}

export function firstAttempt({ content }: Pick<OutboundMessage, "content">): Attempt {
  if (content.type !== "file") return { source: "upload", uploadAs: "file", withIntents: true };
  const { file } = content;
  return { source: mayPassLink(file) ? "link" : "upload", uploadAs: uploadTypeOf(file), withIntents: true };
}

export function mayPassLink(file: OutboundFile): boolean {
  return (
    uploadTypeOf(file) === "image" && file.urlIsPublic && /^image\/(jpeg|png|webp)$/.test(file.urlMimeType)
  );
}

/** The chat to send to. MAX cannot resolve usernames or phone numbers for a bot. */
export function chatIdOf({ chatId = "" }: Recipient): number {
  const id = /^-?[0-9]{1,16}$/.test(chatId) ? Number(chatId) : Number.NaN;
  if (Number.isSafeInteger(id) && id !== 0) return id;
  throw new TransportError("BAD_CONTACT", "A MAX bot requires the chat's numeric id");
}

/** MAX shows pictures, videos and audio of these formats. Other formats are sent as files. */
export function uploadTypeOf({ kind, mimeType }: OutboundFile): UploadType {
  const type = (mimeType.split(";")[0] ?? "").trim().toLowerCase();
  if (kind === "image" && /^image\/(jpeg|png|gif|tiff|bmp|heic|webp)$/.test(type)) return "image";
  if (kind === "video" && /^video\/(mp4|quicktime|x-matroska|webm)$/.test(type)) return "video";
  if (kind === "audio" && type.startsWith("audio/")) return "audio";
  return "file";
}

/** The body of `POST /messages`: plain text, because no `format` is given. */
export function toNewMessage(message: OutboundMessage, file: Json | null, attempt: Attempt): Json {
  const { content, keyboard, quoted } = message;
  const attachments = [...(file ? [file] : []), ...(keyboard ? [toKeyboard(keyboard, attempt)] : [])];
  const mid = quoted && midOf(quoted);
  const text = content.type === "file" ? content.caption : content.type === "text" ? content.text : undefined;
  return {
    ...(text !== undefined && { text }),
    ...(attachments.length > 0 && { attachments }),
    ...(mid !== undefined && { link: { type: "reply", mid } }),
  };
}

/** The body of `PUT /messages`. Omitted attachments are kept. */
export function toEdit(change: MessageChange, file: Json | null): Json {
  // A text that is left out stays.
  return "text" in change ? { text: change.text } : { text: "", attachments: file ? [file] : [] };
}

export function byLink(file: OutboundFile): Json {
  return { type: "image", payload: { url: file.url } };
}

/**
 * Undefined for ids that are not MAX messages, such as a button press or a start. A part of an album maps to the
 * whole message.
 */
export function midOf({ externalId }: MessageRef): string | undefined {
  const mid = externalId.split("#")[0] ?? "";
  return /^mid\.[\w.-]+$/.test(mid) ? mid : undefined;
}

function toKeyboard(keyboard: Keyboard, attempt: Attempt): Json {
  if (keyboard.kind !== "rows")
    throw new TransportError("GENERAL_ERROR", "MAX does not support keyboards of this kind");
  const rows = keyboard.rows.flatMap((row) =>
    splitRow(row).map((part) => part.map((button) => toButton(button, attempt))),
  );
  return { type: "inline_keyboard", payload: { buttons: rows } };
}

/** Splits rows that are wider than MAX allows. */
function splitRow(row: readonly RowButton[]): readonly (readonly RowButton[])[] {
  const width = row.some(({ type }) => type === "link") ? MAX_LINKS_IN_ROW : MAX_IN_ROW;
  return Array.from({ length: Math.ceil(row.length / width) }, (_, index) =>
    row.slice(index * width, (index + 1) * width),
  );
}

function toButton({ type, text, payload, url, intent }: RowButton, { withIntents }: Attempt): Json {
  switch (type) {
    case "callback":
      return { type, text, payload: payload ?? text, ...(withIntents && intent && { intent }) };
    case "link":
      return { type, text, url };
    case "message":
      return { type, text };
  }
}

/** Whether the message has a button with an intent, which can be dropped. */
export function hasIntents({ keyboard }: OutboundMessage): boolean {
  return (
    keyboard?.kind === "rows" &&
    keyboard.rows.flat().some(({ type, intent }) => type === "callback" && intent !== undefined)
  );
}
