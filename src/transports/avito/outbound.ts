import type { OutboundMessage, Recipient } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";

/** The chat to send to. A seller cannot start a chat on Avito. */
export function chatIdOf({ chatId = "" }: Recipient): string {
  if (/^[\x21-\x7e]{1,256}$/.test(chatId)) return chatId;
  throw new TransportError("BAD_CONTACT", "Avito requires the id of a chat that a buyer started");
}

/** `POST v1 …/messages`, or `POST v1 …/messages/image` for an uploaded picture. */
export interface NewMessage {
  readonly path: "/messages" | "/messages/image";
  readonly body: unknown;
}

export function toText({ content }: Pick<OutboundMessage, "content">): NewMessage {
  if (content.type !== "text")
    throw new TransportError("GENERAL_ERROR", "Avito does not support messages of this type");
  return { path: "/messages", body: { message: { text: content.text }, type: "text" } };
}

export function toImage(imageId: string): NewMessage {
  return { path: "/messages/image", body: { image_id: imageId } };
}
