import { badRequest } from "../call/api-error.ts";
import type { Call } from "../call/call.ts";
import type { Chat } from "../chat/chat.ts";
import { note } from "../chat/outgoing.ts";
import { knownChat, targetMessage } from "../chat/target.ts";
import type { Message } from "../shape.ts";

/** https://core.telegram.org/bots/api#deletemessage */
const deletableSeconds = 48 * 60 * 60;
const maxIds = 100;

export function deleteMessage(call: Call): true {
  const chat = openChat(call);
  const message = targetMessage(call, chat, "delete");
  checkDeletable(call, chat, message);
  remove(call, chat, message.message_id);
  return true;
}

/** https://core.telegram.org/bots/api#deletemessages: messages that cannot be found or deleted are skipped. */
export function deleteMessages(call: Call): true {
  const ids = (call.args.list("message_ids", "message identifiers") ?? []).map(Number);
  if (ids.length === 0) throw badRequest("message identifiers are not specified");
  if (ids.length > maxIds) throw badRequest("too many message identifiers specified");
  const chat = openChat(call);
  for (const id of ids) {
    const message = chat.messages.get(id);
    if (message && isDeletable(call, chat, message)) remove(call, chat, id);
  }
  return true;
}

/** In a private chat a bot may delete messages even after it was blocked. */
function openChat(call: Call): Chat {
  const chat = knownChat(call, "chat_id");
  if (chat.kind === "group") chat.assertWritable(call.bot.id);
  return chat;
}

function checkDeletable(call: Call, chat: Chat, message: Message): void {
  if (!mayDelete(call, chat, message)) throw badRequest("message can't be deleted");
  if (isOld(call, message)) throw badRequest("message can't be deleted for everyone");
}

function isDeletable(call: Call, chat: Chat, message: Message): boolean {
  return mayDelete(call, chat, message) && !isOld(call, message);
}

/** Every message in private chats, its own in groups, and every message for an administrator. */
function mayDelete({ bot }: Call, chat: Chat, message: Message): boolean {
  if (chat.kind === "private" || message.from?.id === bot.id) return true;
  return chat.bots.get(bot.id) === "administrator";
}

function isOld({ world }: Call, message: Message): boolean {
  return world.clock.now() - message.date > deletableSeconds;
}

function remove(call: Call, chat: Chat, messageId: number): void {
  chat.messages.delete(messageId);
  call.world.changed();
  note(call, { chat_id: chat.shape.id, message_id: messageId });
}
