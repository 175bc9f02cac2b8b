/** From this number of throttled chats on, the limit is taken to be the bot's and not the chats' own. */
const BOT_LIMIT_CHATS = 3;

/**
 * Returns the scope of a throttling refusal, for messengers whose error is the same for a chat's limit and the bot's
 * limit.
 */
export type ThrottleScope = (chatId: string, afterMs: number) => "chat" | "channel";

/** One throttled chat implies a limit of that chat; several at the same time imply a limit of the bot. */
export function createThrottleScope(now: () => number = Date.now): ThrottleScope {
  const waitingUntil = new Map<string, number>();
  return (chatId, afterMs) => {
    for (const [chat, until] of waitingUntil) if (until <= now()) waitingUntil.delete(chat);
    waitingUntil.set(chatId, now() + afterMs);
    return waitingUntil.size >= BOT_LIMIT_CHATS ? "channel" : "chat";
  };
}
