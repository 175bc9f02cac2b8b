import { apiError, forbidden, invalidField, notFound } from "../api-error.ts";
import { type ApiCall, bodyOf, chatOf } from "../call.ts";
import type { Chat, StoredMessage } from "../chat.ts";
import { addMessage, noteSent } from "../outgoing.ts";
import { messageShape } from "../shape.ts";

const maxTextCharacters = 1000;
const deletionWindowSeconds = 60 * 60;

/** `POST /messenger/v1/accounts/{user_id}/chats/{chat_id}/messages` */
export function sendText(call: ApiCall): unknown {
  const chat = writableChat(call);
  const body = bodyOf(call, ["message", "type"]);
  if (body.text("type") !== "text") throw invalidField("type", "must be text");
  const text = body.needObject("message", ["text"]).needText("text");
  if (text.length > maxTextCharacters)
    throw invalidField("message.text", `must be at most ${maxTextCharacters} characters`);
  const { message } = addMessage(call.world, chat, call.account.id, { type: "text", content: { text } });
  noteSent(call.world, chat, { type: "text", message, request: call.body });
  const { id, type, direction, created, content } = message;
  return { id, type, direction, created, content };
}

/** `POST …/messages/image` */
export function sendImage(call: ApiCall): unknown {
  const chat = writableChat(call);
  const imageId = bodyOf(call, ["image_id"]).needText("image_id");
  const media = call.world.media.find(imageId);
  if (media?.kind !== "image" || media.accountId !== call.account.id)
    throw invalidField("image_id", "unknown image");
  const content = { image: { sizes: call.world.media.sizes(media) } };
  const { message } = addMessage(call.world, chat, call.account.id, { type: "image", content });
  noteSent(call.world, chat, { type: "image", message, request: call.body });
  const { id, authorId, type, direction, created } = message;
  return { id, author_id: authorId, type, direction, created, content };
}

/** `POST …/messages/{message_id}`: the message stays, with the type `deleted`. */
export function deleteMessage(call: ApiCall): unknown {
  const chat = chatOf(call);
  const message = chat.get(call.params["message_id"] ?? "");
  if (!message) throw notFound();
  if (message.direction !== "out") throw forbidden();
  if (call.world.clock.now() - message.created > deletionWindowSeconds)
    throw apiError(400, "Message can not be deleted");
  eraseMessage(message);
  noteSent(call.world, chat, { type: "delete", message, request: null });
  call.world.changed();
  return {};
}

export function eraseMessage(message: StoredMessage): void {
  message.type = "deleted";
  message.content = {};
}

/** `POST …/chats/{chat_id}/read` */
export function readChat(call: ApiCall): unknown {
  const chat = chatOf(call);
  chat.markRead("in", call.world.clock.now());
  noteSent(call.world, chat, { type: "read", request: null });
  call.world.changed();
  return { ok: true };
}

/**
 * `GET /messenger/v3/accounts/{user_id}/chats/{chat_id}/messages/`: newest first; does not mark the messages as read.
 */
export function getMessages(call: ApiCall): unknown {
  const query = call.query.only(["limit", "offset"]);
  const limit = query.between("limit", 1, 100, 100);
  const offset = query.between("offset", 0, 1000, 0);
  const all = chatOf(call).newest();
  const messages = all.slice(offset, offset + limit).map(messageShape);
  if (call.world.settings.messagesForm === "array") return messages;
  return { messages, meta: { has_more: offset + limit < all.length } };
}

/** A chat that the account may write into. */
function writableChat(call: ApiCall): Chat {
  const chat = chatOf(call);
  // The buyer has blocked the account, or the chat is with Avito itself.
  if (chat.blocked || chat.type === "a2u") throw forbidden();
  return chat;
}
