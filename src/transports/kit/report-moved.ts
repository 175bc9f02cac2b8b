import type { ChannelLink, SentMessage } from "../../core/transport/connector.ts";
import type { ChatType } from "../../core/transport/definition.ts";

/**
 * Reports a new chat id when the messenger answers a send with another chat id than the one addressed. Later messages
 * arrive under the new id. A failure to store the move is logged and does not fail the sent message.
 */
export async function reportMoved(
  link: Pick<ChannelLink, "emit" | "log">,
  { chatType, chatId }: { readonly chatType: ChatType; readonly chatId?: string },
  sent: Pick<SentMessage, "chatId">,
): Promise<void> {
  if (chatId === undefined || chatId === sent.chatId) return;
  try {
    await link.emit({ kind: "moved", chatType, chatId, newChatId: sent.chatId });
  } catch (error) {
    link.log("warn", "a chat's new id could not be stored", { detail: String(error) });
  }
}
