import { badRequest } from "../call/api-error.ts";
import type { Call } from "../call/call.ts";
import type { Chat } from "../chat/chat.ts";
import { note } from "../chat/outgoing.ts";
import { targetMessage, writableChat } from "../chat/target.ts";

/** https://core.telegram.org/bots/api#pinchatmessage: the newest pin is the one that `getChat` shows. */
export function pinChatMessage(call: Call): true {
  const chat = pinnableChat(call);
  const { message_id } = targetMessage(call, chat, "pin");
  chat.pins.delete(message_id);
  chat.pins.add(message_id);
  return finish(call, chat, message_id);
}

/** https://core.telegram.org/bots/api#unpinchatmessage: without `message_id` the newest pin. */
export function unpinChatMessage(call: Call): true {
  const chat = pinnableChat(call);
  const named = call.args.integer("message_id", 0);
  const messageId = named > 0 ? named : [...chat.pins].at(-1);
  if (messageId === undefined || !chat.pins.delete(messageId)) {
    throw badRequest("message to unpin not found");
  }
  return finish(call, chat, messageId);
}

/** https://core.telegram.org/bots/api#unpinallchatmessages */
export function unpinAllChatMessages(call: Call): true {
  const chat = pinnableChat(call);
  chat.pins.clear();
  return finish(call, chat, 0);
}

/** In a group only administrators can pin. */
function pinnableChat(call: Call): Chat {
  const chat = writableChat(call);
  if (chat.kind === "group" && chat.bots.get(call.bot.id) !== "administrator") {
    throw badRequest("not enough rights to manage pinned messages in the chat");
  }
  return chat;
}

function finish(call: Call, chat: Chat, messageId: number): true {
  call.world.changed();
  note(call, { chat_id: chat.shape.id, message_id: messageId });
  return true;
}
