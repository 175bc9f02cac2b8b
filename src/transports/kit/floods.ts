/** Chats that a messenger has made wait at the same time, from which on the whole bot is taken to be too fast. */
const CHATS_OF_A_FLOODING_BOT = 3;

/** Answers who has to wait, where the refusal is the same for one chat's limit and for the bot's. */
export type FloodWatch = (chatId: string, afterMs: number) => "chat" | "channel";

/** A single refused chat says nothing about others; several that wait at once do. */
export function createFloodWatch(now: () => number = Date.now): FloodWatch {
  const waitingUntil = new Map<string, number>();
  return (chatId, afterMs) => {
    for (const [chat, until] of waitingUntil) if (until <= now()) waitingUntil.delete(chat);
    waitingUntil.set(chatId, now() + afterMs);
    return waitingUntil.size >= CHATS_OF_A_FLOODING_BOT ? "channel" : "chat";
  };
}
