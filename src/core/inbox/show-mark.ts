import type { Base } from "../base.ts";
import { AppError } from "../errors.ts";
import { queueMark } from "../message/mark.ts";
import type { ChatMark } from "../transport/definition.ts";
import { reachChat } from "./chat-list.ts";
import type { HasMarkBudgets, MarkKey } from "./mark-budgets.ts";
import type { InboxSession } from "./reach.ts";

/**
 * Shows the people of a chat that the employee has read their messages, or is typing, without waiting for the
 * messenger. False: it is not shown, because the transport or the channel cannot do it now, or because there were too
 * many. Throws CHAT_NOT_FOUND only: the page goes on without it.
 */
export async function showMark(
  core: Base & HasMarkBudgets,
  session: InboxSession,
  chat: string,
  mark: ChatMark,
): Promise<boolean> {
  const { channel_id: channelId } = await reachChat(core, session, chat);
  const keys: MarkKey[] = [
    { kind: "session", id: session.hash.toString("hex") },
    { kind: "channel", id: channelId },
  ];
  if (mark === "typing") keys.push({ kind: "typing", id: chat });
  if (!core.markBudgets.spend(keys)) return false;
  try {
    await queueMark(core, session.scope, chat, mark);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
