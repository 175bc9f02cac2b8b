import { moveTo } from "./composer/outbox.ts";
import { formerRow, reloadLeft } from "./list/chats.ts";
import type { Chat, WireMessage } from "./model.ts";
import { forgetThread, formerThread } from "./thread/thread.ts";

/**
 * Follows a message of the stream to its present chat. One that was addressed by phone or username is in a chat of that
 * name at first; if the messenger then names a person who has another chat, it moves there.
 */
export function followMessage(message: WireMessage, chat: Chat): void {
  if (message.direction !== "out") return;
  const former = formerThread(message) ?? formerRow(message);
  if (former === null) return;
  moveTo(former, chat);
  forgetThread(former);
  void reloadLeft(former);
}
