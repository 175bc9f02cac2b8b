/** Chats that Viber has made wait at the same time, from which on the whole bot is taken to be too fast. */
const CHATS_OF_A_FLOODING_BOT = 3;
/** A refusal counts for so long. */
const MEMORY_MS = 10_000;

/** Answers who has to wait: Viber says the same of a person who does not answer and of a bot that is too fast. */
export type FloodWatch = (chatId: string) => "chat" | "channel";

/** A single refused chat says nothing about others; several at a time do. */
export function createFloodWatch(now: () => number = Date.now): FloodWatch {
  const refusedAt = new Map<string, number>();
  return (chatId) => {
    for (const [chat, at] of refusedAt) if (at + MEMORY_MS <= now()) refusedAt.delete(chat);
    refusedAt.set(chatId, now());
    return refusedAt.size >= CHATS_OF_A_FLOODING_BOT ? "channel" : "chat";
  };
}
