import type { ChannelLink, SentMessage } from "../../core/transport/connector.ts";
import type { ChatType } from "../../core/transport/definition.ts";

/**
 * For messengers that answer a send with another chat id than it was sent to: what comes from there later comes under the
 * new one. A failure to store that must not make a sent message fail.
 */
export async function tellMoved(
  link: Pick<ChannelLink, "emit" | "log">,
  { chatType, chatId }: { readonly chatType: ChatType; readonly chatId?: string },
  sent: Pick<SentMessage, "chatId">,
): Promise<void> {
  if (chatId === undefined || chatId === sent.chatId) return;
  try {
    await link.emit({ kind: "moved", chatType, chatId, newChatId: sent.chatId });
  } catch (error) {
    link.log("warn", "the move of a chat was not stored", { detail: String(error) });
  }
}
