/** Older ones have been stored long ago. */
const KEPT = 2_000;

/**
 * What this session sends. Avito tells of an account's own messages, whoever sent them; those that are told here already,
 * or will be once they are answered, must not be told a second time as written elsewhere.
 */
export interface OwnSends {
  /** Runs a send; its message is known from the answer on. */
  track<T extends { readonly externalId: string }>(
    chatId: string,
    messageId: string,
    send: () => Promise<T>,
  ): Promise<T>;
  /** A message of this chat is on its way, and what Avito tells of the chat may be that one. */
  isUnderWay(chatId: string): boolean;
  /** Calls back once nothing is on its way into the chat, at once where that is so already. */
  whenSettled(chatId: string, then: () => void): void;
  /** `OutboundMessage.id` of a message that was sent here. */
  messageIdOf(externalId: string): string | undefined;
}

export function createOwnSends(): OwnSends {
  const underWay = new Map<string, number>();
  const sent = new Map<string, string>();
  const waiting = new Map<string, (() => void)[]>();
  const count = (chatId: string, change: 1 | -1): void => {
    const left = (underWay.get(chatId) ?? 0) + change;
    if (left > 0) underWay.set(chatId, left);
    else settle(chatId);
  };
  const settle = (chatId: string): void => {
    underWay.delete(chatId);
    const called = waiting.get(chatId) ?? [];
    waiting.delete(chatId);
    for (const then of called) then();
  };
  return {
    async track(chatId, messageId, send) {
      count(chatId, 1);
      try {
        const result = await send();
        sent.set(result.externalId, messageId);
        const [oldest] = sent.keys();
        if (sent.size > KEPT && oldest !== undefined) sent.delete(oldest);
        return result;
      } finally {
        count(chatId, -1);
      }
    },
    whenSettled(chatId, then) {
      if (underWay.has(chatId)) waiting.set(chatId, [...(waiting.get(chatId) ?? []), then]);
      else then();
    },
    isUnderWay: (chatId) => underWay.has(chatId),
    messageIdOf: (externalId) => sent.get(externalId),
  };
}
