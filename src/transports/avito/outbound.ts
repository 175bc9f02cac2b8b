import type { OutboundMessage, Recipient } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";

/** The chat of a message: Avito has no chats that the seller begins. */
export function chatIdOf({ chatId = "" }: Recipient): string {
  if (/^[\x21-\x7e]{1,256}$/.test(chatId)) return chatId;
  throw new TransportError("BAD_CONTACT", "Avito needs the id of a chat that a buyer has begun");
}

/** `POST v1 …/messages`, or with a picture that was uploaded, `POST v1 …/messages/image`. */
export interface NewMessage {
  readonly path: "/messages" | "/messages/image";
  readonly body: unknown;
}

export function toText({ content }: Pick<OutboundMessage, "content">): NewMessage {
  if (content.type !== "text")
    throw new TransportError("GENERAL_ERROR", "Avito has no messages of this kind");
  return { path: "/messages", body: { message: { text: content.text }, type: "text" } };
}

export function toImage(imageId: string): NewMessage {
  return { path: "/messages/image", body: { image_id: imageId } };
}
