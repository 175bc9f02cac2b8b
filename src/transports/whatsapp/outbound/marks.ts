import type { WAMessageKey } from "baileys";
import type { MarkedChat } from "../../../core/transport/connector.ts";
import type { ChatMark } from "../../../core/transport/definition.ts";
import { addressOf, jidOf } from "../people/addresses.ts";
import { findTarget, type Line } from "./sender.ts";

/**
 * WhatsApp marks each message by itself; whether the people see it is up to the privacy settings of the account. Typing
 * is shown for about 25 seconds.
 */
export async function markChat(line: Line, chat: MarkedChat, mark: ChatMark): Promise<void> {
  const { jid } = await findTarget(line, chat);
  if (mark === "typing") return line.socket.sendPresenceUpdate("composing", jid);
  const keys = await Promise.all(
    chat.messages.map(async ({ externalId, senderId }): Promise<WAMessageKey> => {
      const known = await line.recent.findTheirs(externalId);
      if (known !== undefined && known !== null) return known.key;
      const author = senderId === undefined ? null : addressOf({ chatType: "whatsapp", chatId: senderId });
      const participant = author === null ? null : jidOf(author);
      return {
        remoteJid: jid,
        fromMe: false,
        id: externalId,
        ...(participant === null ? {} : { participant }),
      };
    }),
  );
  if (keys.length > 0) await line.socket.readMessages(keys);
}
