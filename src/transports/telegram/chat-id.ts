/**
 * Where in a chat a message belongs (Bot API, `sendMessage`): a topic of a forum, or the topic of one writer in a
 * channel's direct messages.
 */
export type Topic =
  | { readonly message_thread_id: number }
  | { readonly direct_messages_topic_id: number }
  | Readonly<Record<never, never>>;

/** In the general topic of a forum, and everywhere else. */
export const NO_TOPIC: Topic = {};

/**
 * The id of a chat with one writer in a channel's direct messages, such as `-1001234567890.7001`: the channel's chat,
 * and the writer's topic.
 */
export const directChatId = (chatId: string, topicId: string): string => `${chatId}.${topicId}`;

/** Splits the id of a chat; other ids than of direct messages have no topic. */
export function splitChatId(chatId: string): { readonly chatId: string; readonly topic: Topic } {
  const [, own = chatId, topicId] = /^(-[0-9]{1,16})\.([0-9]{1,16})$/.exec(chatId) ?? [];
  const topic = topicId === undefined ? NO_TOPIC : { direct_messages_topic_id: Number(topicId) };
  return { chatId: own, topic };
}
