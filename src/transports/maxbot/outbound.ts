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

/** How MAX names the kinds of uploads and of the attachments made of them (dev.max.ru, "POST /uploads"). */
export type UploadType = "image" | "video" | "audio" | "file";

/** Buttons of a row, and of one with links (dev.max.ru, "inline_keyboard"). */
const MAX_IN_ROW = 7;
const MAX_LINKS_IN_ROW = 3;

/** What can change between two tries of one message, each after a definite refusal. */
export interface Attempt {
  /** Pictures alone may travel as a link. */
  readonly source: "link" | "upload";
  /** What MAX cannot show as a picture, film or sound travels as a file. */
  readonly uploadAs: UploadType;
  /** Older clients have intents; MAX may refuse what it does not know. */
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

/** The chat of a message. MAX cannot look up names or phones for a bot. */
export function chatIdOf({ chatId = "" }: Recipient): number {
  const id = /^-?[0-9]{1,16}$/.test(chatId) ? Number(chatId) : Number.NaN;
  if (Number.isSafeInteger(id) && id !== 0) return id;
  throw new TransportError("BAD_CONTACT", "A MAX bot needs the chat's numeric id");
}

/** What MAX shows as it is: pictures and films of these kinds. Others go as files. */
export function uploadTypeOf({ kind, mimeType }: OutboundFile): UploadType {
  const type = (mimeType.split(";")[0] ?? "").trim().toLowerCase();
  if (kind === "image" && /^image\/(jpeg|png|gif|tiff|bmp|heic|webp)$/.test(type)) return "image";
  if (kind === "video" && /^video\/(mp4|quicktime|x-matroska|webm)$/.test(type)) return "video";
  if (kind === "audio" && type.startsWith("audio/")) return "audio";
  return "file";
}

/** The body of `POST /messages`: plain text, since no `format` is given. */
export function toNewMessage(message: OutboundMessage, file: Json | null, attempt: Attempt): Json {
  const { content, keyboard, quoted } = message;
  const attachments = [...(file ? [file] : []), ...(keyboard ? [toKeyboard(keyboard, attempt)] : [])];
  const mid = quoted && midOf(quoted);
  return {
    ...(content.type === "text" && { text: content.text }),
    ...(attachments.length > 0 && { attachments }),
    ...(mid !== undefined && { link: { type: "reply", mid } }),
  };
}

/** The body of `PUT /messages`. Attachments that are left out stay. */
export function toEdit(change: MessageChange, file: Json | null): Json {
  return "text" in change ? { text: change.text } : { attachments: file ? [file] : [] };
}

export function byLink(file: OutboundFile): Json {
  return { type: "image", payload: { url: file.url } };
}

/** Undefined for what is no message in MAX: a press, a start, or one file of an album. */
export function midOf({ externalId }: MessageRef): string | undefined {
  const mid = externalId.split("#")[0] ?? "";
  return /^mid\.[\w.-]+$/.test(mid) ? mid : undefined;
}

function toKeyboard(keyboard: Keyboard, attempt: Attempt): Json {
  if (keyboard.kind !== "rows")
    throw new TransportError("GENERAL_ERROR", "MAX has no keyboards of this kind");
  const rows = keyboard.rows.flatMap((row) =>
    splitRow(row).map((part) => part.map((button) => toButton(button, attempt))),
  );
  return { type: "inline_keyboard", payload: { buttons: rows } };
}

/** Wider rows are refused, so they go on below. */
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

/** Whether a button of the message has an intent, without which it can be sent again. */
export function hasIntents({ keyboard }: OutboundMessage): boolean {
  return (
    keyboard?.kind === "rows" &&
    keyboard.rows.flat().some(({ type, intent }) => type === "callback" && intent !== undefined)
  );
}
