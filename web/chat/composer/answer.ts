import { known, takeChat } from "../list/chats.ts";
import type { Chat, WireMessage } from "../model.ts";
import { messageNow, takeMessage } from "../thread/thread.ts";

/**
 * Applies the service's response to a sent message. The stream may already have brought a later state, which is kept;
 * otherwise a sent message would stay "waiting" forever.
 */
export function takeAnswer(message: WireMessage, chat: Chat): void {
  if (!known.value.has(chat.id)) takeChat(chat);
  if (messageNow(message) === undefined) takeMessage(message);
}
