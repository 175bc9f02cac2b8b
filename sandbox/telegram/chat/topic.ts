import { badRequest } from "../call/api-error.ts";
import type { Message } from "../shape.ts";
import type { Chat } from "./chat.ts";

/** What a message in a topic has beside its content; nothing outside of topics. */
export type InTopic = Pick<Message, "message_thread_id" | "is_topic_message" | "reply_to_message">;

/**
 * The place of a message in a forum: the given topic, else that of the message replied to. A message that replies to none
 * "replies" to the message that created its topic. Throws if there is no such topic.
 */
export function inTopic(chat: Chat, topicId: number | undefined, replyTo: Message | undefined): InTopic {
  const id = topicId ?? (replyTo?.is_topic_message === true ? replyTo.message_thread_id : undefined);
  if (id === undefined) return {};
  const topic = chat.kind === "group" ? chat.topics.get(id) : undefined;
  if (!topic) throw badRequest("message thread not found");
  return {
    message_thread_id: id,
    is_topic_message: true,
    ...(replyTo === undefined && { reply_to_message: topic.created }),
  };
}

/** In a closed topic only administrators write. */
export function assertOpen(chat: Chat, { message_thread_id: id }: InTopic, botId: number): void {
  if (chat.kind !== "group" || id === undefined) return;
  if (chat.topics.get(id)?.isClosed === true && chat.bots.get(botId) !== "administrator")
    throw badRequest("TOPIC_CLOSED");
}
