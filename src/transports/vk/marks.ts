import type { MarkedChat } from "../../core/transport/connector.ts";
import type { ChatMark } from "../../core/transport/definition.ts";
import type { Community } from "./community.ts";
import { peerIdOf } from "./outbound.ts";

/**
 * Marks the whole conversation as read (`messages.markAsRead`), or shows typing for ten seconds (`messages.setActivity`).
 * Throws `Refusal` or `TransportError`.
 */
export async function markChat(
  { client }: Pick<Community, "client">,
  chat: MarkedChat,
  mark: ChatMark,
  signal: AbortSignal,
): Promise<void> {
  const peer_id = peerIdOf(chat);
  if (mark === "typing") await client.call("messages.setActivity", { peer_id, type: "typing" }, signal);
  else await client.call("messages.markAsRead", { peer_id, mark_conversation_as_read: 1 }, signal);
}
