import { extname } from "node:path";
import type { OutboundFile, OutboundMessage, Recipient } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { Json } from "../kit/json.ts";

const MEGABYTE = 1024 * 1024;
/** developers.viber.com, "Message types". */
const MAX_PICTURE_BYTES = 3 * MEGABYTE;
const MAX_VIDEO_BYTES = 26 * MEGABYTE;
const MAX_SENDER_NAME = 28;
const MAX_FILE_NAME = 256;

/** The body of `send_message`. Pure. Throws `TransportError` for content that Viber does not support. */
export function toRequest({ to, content }: OutboundMessage, senderName: string): Json {
  return { receiver: receiverOf(to), sender: { name: shortened(senderName) }, ...toContent(content) };
}

/**
 * The response to `conversation_started`, which needs no receiver (developers.viber.com, "Sending a welcome
 * message").
 */
export function toWelcome(text: string, senderName: string): Json {
  return { sender: { name: shortened(senderName) }, type: "text", text };
}

function receiverOf({ chatId = "" }: Recipient): string {
  if (chatId !== "") return chatId;
  throw new TransportError("BAD_CONTACT", "A Viber bot requires the id of a person who has written to it");
}

function toContent(content: OutboundMessage["content"]): Json {
  switch (content.type) {
    case "text":
      return { type: "text", text: content.text };
    case "file":
      return toFile(content.file);
    case "template":
      throw new TransportError("WRONG_CONTENT", "Viber does not support templates");
  }
}

/** Viber accepts files only by URL, and fetches them after it has accepted the message. */
function toFile(file: OutboundFile): Json {
  const { url: media, size } = file;
  if (isPicture(file)) return { type: "picture", text: "", media };
  if (isVideo(file)) return { type: "video", media, size };
  return { type: "file", media, size, file_name: fileName(file) };
}

/** Viber relies on the extension of the URL and on the content type declared by its server. */
function isPicture({ kind, url, urlMimeType, size }: OutboundFile): boolean {
  return (
    kind === "image" &&
    size <= MAX_PICTURE_BYTES &&
    /^image\/(jpeg|png|gif)$/.test(urlMimeType) &&
    /\.(jpe?g|png|gif)$/i.test(new URL(url).pathname)
  );
}

function isVideo({ kind, url, urlMimeType, size }: OutboundFile): boolean {
  return (
    kind === "video" &&
    size <= MAX_VIDEO_BYTES &&
    urlMimeType === "video/mp4" &&
    /\.mp4$/i.test(new URL(url).pathname)
  );
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  "application/pdf": ".pdf",
  "application/zip": ".zip",
  "audio/mpeg": ".mp3",
  "audio/ogg": ".ogg",
  "image/gif": ".gif",
  "image/jpeg": ".jpg",
  "image/png": ".png",
  "image/webp": ".webp",
  "text/plain": ".txt",
  "video/mp4": ".mp4",
};

/**
 * Viber requires an extension, by which it decides whether the file is allowed; it is kept if the name is too long.
 */
function fileName({ name, mimeType }: OutboundFile): string {
  const known = extname(name);
  const type = (mimeType.split(";")[0] ?? "").trim().toLowerCase();
  const extension = known.length > 1 ? known : (EXTENSIONS[type] ?? ".bin");
  const stem = known === "" ? name : name.slice(0, -known.length);
  return `${cut(stem === "" ? "file" : stem, MAX_FILE_NAME - extension.length)}${extension}`;
}

function shortened(name: string): string {
  return cut(name.trim(), MAX_SENDER_NAME) || "Bot";
}

/** Truncates to at most this many UTF-16 units, without splitting a surrogate pair. */
function cut(text: string, units: number): string {
  return text.slice(0, Math.max(0, units)).replace(/[\ud800-\udbff]$/, "");
}
