/** Older messages have been stored long ago. */
const KEPT = 2_000;

/**
 * The messages that this session sends. Avito reports all of the account's own messages, whoever sent them. Messages
 * sent here are already known, or will be once their send returns, and must not be emitted again as echoes.
 */
export interface OwnSends {
  /** Runs a send. Its message id is known once the send resolves. */
  track<T extends { readonly externalId: string }>(
    chatId: string,
    messageId: string,
    send: () => Promise<T>,
  ): Promise<T>;
  /** Whether a send into the chat is in progress, so that a message in the chat may be that one. */
  isUnderWay(chatId: string): boolean;
  /** Calls back once no send into the chat is in progress; immediately if there is none. */
  whenSettled(chatId: string, then: () => void): void;
  /** The `OutboundMessage.id` of a message that was sent here. */
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
