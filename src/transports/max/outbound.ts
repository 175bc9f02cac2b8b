import type { OutboundContent, OutboundFile, QuotedRef } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { toMarked } from "./inbound/marks.ts";
import { messageIdIn } from "./people/ids.ts";

/** How a file is shown on MAX; determines its upload method and its attachment. */
export type UploadKind = "photo" | "video" | "voice" | "file";

/** The formats that MAX shows in their own form; others are sent as files. A voice note is Ogg with Opus. */
const PHOTOS = new Set(["image/jpeg", "image/png", "image/webp", "image/gif"]);
const VIDEOS = new Set(["video/mp4", "video/quicktime", "video/webm", "video/3gpp"]);

export function uploadKindOf({ kind, mimeType }: Pick<OutboundFile, "kind" | "mimeType">): UploadKind {
  const type = (mimeType.split(";")[0] ?? "").trim().toLowerCase();
  if (kind === "image" && PHOTOS.has(type)) return "photo";
  if (kind === "video" && VIDEOS.has(type)) return "video";
  return kind === "audio" && type === "audio/ogg" ? "voice" : "file";
}

export interface Outgoing {
  readonly chatId: bigint;
  readonly cid: number;
  readonly content: OutboundContent;
  /** The attachment of an uploaded file; null for a text. */
  readonly attachment: object | null;
  readonly quoted?: QuotedRef | undefined;
}

/** The request that sends a message. Throws `TransportError`. */
export function toSend({ chatId, cid, content, attachment, quoted }: Outgoing): object {
  if (content.type === "template")
    throw new TransportError("GENERAL_ERROR", "Personal MAX accounts do not support templates");
  const text = content.type === "text" ? content.text : content.caption;
  const words = text === undefined ? { text: "", elements: [] } : toMarked(text);
  const messageId = quoted === undefined ? undefined : messageIdIn(quoted.externalId);
  const link = messageId === undefined ? {} : { link: { type: "REPLY", messageId } };
  const attaches = attachment === null ? [] : [attachment];
  return { chatId, message: { ...words, cid, attaches, ...link }, notify: true };
}

/** Files that the request does not name stay part of the message. */
export function toEdit(chatId: bigint, messageId: bigint, text: string): object {
  return { chatId, messageId, ...toMarked(text) };
}
