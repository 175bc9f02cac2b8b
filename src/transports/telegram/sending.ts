import type { ReactionTypeEmoji } from "@grammyjs/types";
import type {
  MarkedChat,
  MessageChange,
  OutboundFile,
  OutboundMessage,
  SentMessage,
} from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { MessageRef } from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign/foreign-date.ts";
import { fields, integerText, number } from "../../platform/foreign/foreign-json.ts";
import { beforeSend, describe } from "../kit/failures.ts";
import type { Bot } from "./bot.ts";
import { NO_TOPIC, splitChatId } from "./chat-id.ts";
import type { CallOptions } from "./client.ts";
import { Refusal } from "./errors.ts";
import {
  type Attempt,
  chooseMedia,
  firstAttempt,
  messageIdOf,
  nextAttempt,
  toId,
  toInputMedia,
  toSendCall,
} from "./outbound.ts";
import { topicFor } from "./topics.ts";

/**
 * Sends the message, and retries in another form after a refusal that allows one. Throws `Refusal` or
 * `TransportError`.
 */
export async function sendMessage(
  bot: Bot,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<SentMessage> {
  let attempt = firstAttempt(message);
  const topic = await beforeSend(topicFor(bot.link, message.to, attempt.chatId, message.quoted));
  if (attempt.topic === NO_TOPIC) attempt = { ...attempt, topic };
  for (;;) {
    try {
      return await sendOnce(bot, message, attempt, signal);
    } catch (error) {
      const next = error instanceof Refusal ? nextAttempt(attempt, error) : null;
      if (next === null) throw error;
      if (next.chatId !== attempt.chatId) await reportMoved(bot, message, attempt.chatId, next.chatId);
      attempt = next;
    }
  }
}

async function sendOnce(
  bot: Bot,
  message: OutboundMessage,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<SentMessage> {
  const call = toSendCall(message, attempt);
  const options: CallOptions = "upload" in call && call.upload ? { signal, upload: call.upload } : { signal };
  return toSent(await bot.client.invoke(call.method, call.params, options), message, attempt);
}

const sentMessage = fields({ message_id: integerText, chat: fields({ id: integerText }), date: number });

/**
 * A successful response means that the message was sent, whatever fields it lacks. A message that Telegram delays has
 * no id yet (Bot API, `Message.message_id`); our message id takes its place.
 */
function toSent(result: unknown, { id, to }: OutboundMessage, { chatId, topic }: Attempt): SentMessage {
  const { message_id, chat, date } = sentMessage(result) ?? {};
  const hasId = message_id !== undefined && message_id !== "0";
  return {
    // In direct messages, Telegram returns the channel's chat.
    chatId:
      "direct_messages_topic_id" in topic && to.chatType === "telegram"
        ? (to.chatId ?? "")
        : (chat?.id ?? chatId),
    externalId: hasId ? message_id : `pending:${id}`,
    sentAt: dateFromUnix(date),
  };
}

async function reportMoved(
  { link, client }: Bot,
  { to }: OutboundMessage,
  chatId: string,
  newChatId: string,
): Promise<void> {
  try {
    await link.emit({ kind: "moved", chatType: to.chatType, chatId, newChatId });
  } catch (error) {
    link.log("warn", "Telegram: a chat's new id could not be stored", { detail: describe(error, client) });
  }
}

interface Target {
  readonly chat_id: number;
  readonly message_id: number;
}

/** Unchanged content counts as edited. */
export async function editMessage(
  bot: Bot,
  ref: MessageRef,
  change: MessageChange,
  signal: AbortSignal,
): Promise<void> {
  const target = toTarget(ref);
  try {
    if ("text" in change) await editText(bot, target, change.text, signal);
    else await editMedia(bot, target, change.file, signal);
  } catch (error) {
    if (!(error instanceof Refusal && error.says("message is not modified"))) throw error;
  }
}

/** The text of a file is its caption, which has its own method. */
async function editText({ client }: Bot, target: Target, text: string, signal: AbortSignal): Promise<void> {
  try {
    await client.call("editMessageText", { ...target, text }, { signal });
  } catch (error) {
    if (!(error instanceof Refusal && error.says("there is no text in the message"))) throw error;
    await client.call("editMessageCaption", { ...target, caption: text }, { signal });
  }
}

async function editMedia(
  { client }: Bot,
  target: Target,
  file: OutboundFile,
  signal: AbortSignal,
): Promise<void> {
  let attempt: Attempt = { chatId: String(target.chat_id), topic: NO_TOPIC, ...chooseMedia(file) };
  for (;;) {
    try {
      const upload = attempt.source === "upload" ? { upload: file } : {};
      await client.call(
        "editMessageMedia",
        { ...target, media: toInputMedia(file, attempt) },
        { signal, ...upload },
      );
      return;
    } catch (error) {
      const next =
        error instanceof Refusal && error.newChatId === undefined ? nextAttempt(attempt, error) : null;
      if (next === null) throw error;
      attempt = next;
    }
  }
}

/** Deleting a message that is already gone succeeds. */
export async function removeMessage({ client }: Bot, ref: MessageRef, signal: AbortSignal): Promise<void> {
  try {
    await client.call("deleteMessage", toTarget(ref), { signal });
  } catch (error) {
    if (!(error instanceof Refusal && error.says("message to delete not found", "MESSAGE_ID_INVALID")))
      throw error;
  }
}

/**
 * Telegram writes its emoji without the selector of their form, and refuses others (Bot API, `ReactionTypeEmoji`).
 */
export async function reactToMessage(
  { client }: Bot,
  ref: MessageRef,
  emoji: string | null,
  signal: AbortSignal,
): Promise<void> {
  const plain = emoji?.replace(/\uFE0F$/, "") as ReactionTypeEmoji["emoji"] | undefined;
  const reaction = plain === undefined ? [] : [{ type: "emoji" as const, emoji: plain }];
  await client.call("setMessageReaction", { ...toTarget(ref), reaction }, { signal });
}

/** Bot API, `sendChatAction`: for five seconds, or until the bot sends a message. */
export async function showTyping(
  { client }: Bot,
  { chatId: given }: Pick<MarkedChat, "chatId">,
  signal: AbortSignal,
): Promise<void> {
  const { chatId } = splitChatId(given);
  await client.call("sendChatAction", { chat_id: toId(chatId), action: "typing" }, { signal });
}

function toTarget(ref: MessageRef): Target {
  const messageId = messageIdOf(ref);
  if (messageId !== undefined)
    return { chat_id: toId(splitChatId(ref.chatId).chatId), message_id: messageId };
  throw new TransportError("GENERAL_ERROR", "Telegram cannot change this message");
}
