import type { SentRecord } from "./account.ts";
import { announce } from "./announce.ts";
import { type Chat, type Content, newMessageId, type StoredMessage } from "./chat.ts";
import { messageShape } from "./shape.ts";
import type { World } from "./world.ts";

/** The content of a message. */
export interface Words {
  readonly type: string;
  readonly content: Content;
  readonly quoted?: StoredMessage | undefined;
}

/** Adds a message to a chat and reports it to the webhooks. Returns the number of receivers. */
export function addMessage(
  world: World,
  chat: Chat,
  authorId: number,
  words: Words,
): { message: StoredMessage; callbacks: number } {
  const message: StoredMessage = {
    id: newMessageId(),
    authorId,
    created: world.clock.now(),
    direction: authorId === chat.account.id ? "out" : "in",
    type: words.type,
    content: words.content,
    read: null,
    quoted: words.quoted,
  };
  chat.put(message);
  world.changed();
  return { message, callbacks: announce(world, chat, message) };
}

/** Records an action of a business. */
export function noteSent(
  world: World,
  chat: Chat,
  what: Pick<SentRecord, "type" | "request"> & { readonly message?: StoredMessage },
): void {
  const { type, request, message } = what;
  chat.account.sent.append({
    type,
    at: world.clock.now(),
    chat_id: chat.id,
    message_id: message?.id ?? null,
    message: message ? messageShape(message) : null,
    request: request ?? null,
  });
}
