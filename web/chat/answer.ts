import { known, takeChat } from "./chats.ts";
import type { Chat, WireMessage } from "./model.ts";
import { messageNow, takeMessage } from "./thread.ts";

/**
 * What the service answered when it accepted a message. The stream may have been faster and brought a later state of it:
 * what is known already stays, or a message that was sent would wait for ever.
 */
export function takeAnswer(message: WireMessage, chat: Chat): void {
  if (!known.value.has(chat.id)) takeChat(chat);
  if (messageNow(message) === undefined) takeMessage(message);
}
