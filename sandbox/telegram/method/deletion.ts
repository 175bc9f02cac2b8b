import { badRequest } from "../api-error.ts";
import type { Call } from "../call.ts";
import type { Chat } from "../chat.ts";
import { note } from "../outgoing.ts";
import type { Message } from "../shape.ts";
import { knownChat, targetMessage } from "../target.ts";

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

/** https://core.telegram.org/bots/api#deletemessages: what cannot be found or deleted is skipped. */
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

/** In a private chat a bot may clear up even after it was blocked. */
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

/** Everything in private chats, its own in groups, everything there for an administrator. */
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
