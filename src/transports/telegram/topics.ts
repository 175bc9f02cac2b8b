import type { Recipient } from "../../core/transport/connector.ts";
import type { MessageRef } from "../../core/transport/events.ts";
import type { TelegramLink } from "./bot.ts";
import { NO_TOPIC, splitChatId, type Topic } from "./chat-id.ts";
import type { TgMessage } from "./update.ts";

/** Messages per group whose topic is remembered, for replies that quote them. */
const MAX_REMEMBERED = 50;

interface Noted {
  readonly chatId: string;
  readonly messageId: string;
  readonly topic: Topic;
}

/** The place of a message in a group that has topics; null for messages of other chats. */
export function placeOf({ chat, message_id, ...message }: TgMessage): Noted | null {
  if (chat?.id === undefined || message_id === undefined) return null;
  const at = { chatId: splitChatId(chat.id).chatId, messageId: message_id };
  if (message.direct_messages_topic?.topic_id !== undefined)
    return { ...at, topic: { direct_messages_topic_id: Number(message.direct_messages_topic.topic_id) } };
  if (message.is_topic_message === true && message.message_thread_id !== undefined)
    return { ...at, topic: { message_thread_id: Number(message.message_thread_id) } };
  return chat.is_forum === true ? { ...at, topic: NO_TOPIC } : null;
}

/** Remembers the places of messages, so that replies go there. */
export async function notePlaces(link: Pick<TelegramLink, "state">, places: readonly Noted[]): Promise<void> {
  for (const [chatId, noted] of Map.groupBy(places, (each) => each.chatId)) {
    const known = await readNoted(link, chatId);
    const all = [...known, ...noted.map(({ messageId, topic }) => [messageId, topic] as const)];
    await link.state.set(keyOf(chatId), JSON.stringify(all.slice(-MAX_REMEMBERED)));
  }
}

/**
 * The topic for a message to a group: that of the quoted message, else that of the group's newest message. For a quoted
 * message that is not remembered, Telegram chooses its topic.
 */
export async function topicFor(
  link: Pick<TelegramLink, "state">,
  { chatType }: Pick<Recipient, "chatType">,
  chatId: string,
  quoted: MessageRef | undefined,
): Promise<Topic> {
  if (chatType !== "telegroup") return NO_TOPIC;
  const known = await readNoted(link, chatId);
  const place =
    quoted === undefined ? known.at(-1) : known.findLast(([messageId]) => messageId === quoted.externalId);
  return place?.[1] ?? NO_TOPIC;
}

type Remembered = readonly [messageId: string, topic: Topic];

async function readNoted(link: Pick<TelegramLink, "state">, chatId: string): Promise<readonly Remembered[]> {
  const stored = await link.state.get(keyOf(chatId));
  // Our own record.
  return stored === null ? [] : (JSON.parse(stored) as readonly Remembered[]);
}

const keyOf = (chatId: string): string => `topics:${chatId}`;
