import type { SentRecord } from "../bot.ts";
import { badRequest } from "../call/api-error.ts";
import type { Call } from "../call/call.ts";
import type { Content, Message } from "../shape.ts";
import { type Markup, readMarkup } from "../text/markup.ts";
import type { Chat } from "./chat.ts";
import { writableChat } from "./target.ts";
import { assertOpen, type InTopic, inTopic } from "./topic.ts";

/** A message to send: its chat, the quoted message and the keyboard. */
export interface Envelope {
  readonly chat: Chat;
  readonly markup: Markup;
  readonly replyTo: Message | undefined;
  readonly quote: Readonly<Record<string, unknown>> | undefined;
  readonly place: InTopic;
}

/** Parses the parameters of all sending methods, in the order of the platform's checks. */
export function readEnvelope(call: Call): Envelope {
  const markup = readMarkup(call.args);
  const chat = writableChat(call);
  const reply = readReply(call, chat);
  const place = inTopic(chat, call.args.integer("message_thread_id", 0) || undefined, reply.replyTo);
  assertOpen(chat, place, call.bot.id);
  return { chat, markup, ...reply, place };
}

/** Stores and records the message, and returns it as the platform does. */
export function post(call: Call, envelope: Envelope, content: Content): Message {
  const { world, bot, args } = call;
  const { chat, markup, replyTo, quote, place } = envelope;
  const message: Message = {
    message_id: chat.nextMessageId(),
    from: bot.user,
    chat: chat.shape,
    date: world.clock.now(),
    ...place,
    ...(replyTo && { reply_to_message: withoutReply(replyTo) }),
    ...(quote && { quote }),
    ...content,
    ...(args.flag("protect_content") && { has_protected_content: true }),
    ...(markup.inline && { reply_markup: markup.inline }),
  };
  if (markup.keyboard !== undefined) {
    chat.keyboard = markup.keyboard ?? undefined;
    chat.messages.lock(message.message_id);
  }
  world.store(chat, message);
  record(call, message);
  return message;
}

/** Records a bot's action for tests. */
export function record(call: Call, message: Message): void {
  note(call, { chat_id: message.chat.id, message_id: message.message_id, message });
}

/** Records an action without a message, such as a deletion. */
export function note(call: Call, what: Pick<SentRecord, "chat_id" | "message_id" | "message">): void {
  const at = new Date(call.world.clock.nowMs()).toISOString();
  call.bot.sent.append({ method: call.method, at, ...what, request: call.args.describe() });
}

/** A quoted message contains no further quote: https://core.telegram.org/bots/api#message */
export function withoutReply(message: Message): Message {
  if (!message.reply_to_message) return message;
  const { reply_to_message: _, ...rest } = message;
  return rest;
}

/** https://core.telegram.org/bots/api#replyparameters, and the two parameters that it replaced. */
function readReply(call: Call, chat: Chat): Pick<Envelope, "replyTo" | "quote"> {
  const { args } = call;
  const parameters = args.object("reply_parameters", "reply parameters") ?? {};
  const messageId = Number(parameters["message_id"] ?? args.integer("reply_to_message_id", 0));
  if (!messageId) return { replyTo: undefined, quote: undefined };
  const replyTo = chat.messages.get(messageId);
  const tolerant = parameters["allow_sending_without_reply"] ?? args.flag("allow_sending_without_reply");
  if (!replyTo && tolerant !== true) throw badRequest("message to be replied not found");
  return { replyTo, quote: replyTo && readQuote(parameters, replyTo) };
}

function readQuote(parameters: Readonly<Record<string, unknown>>, replyTo: Message): Envelope["quote"] {
  const text = parameters["quote"];
  if (typeof text !== "string" || text === "") return undefined;
  const position = (replyTo.text ?? replyTo.caption ?? "").indexOf(text);
  if (position < 0) throw badRequest("QUOTE_TEXT_INVALID");
  return { text, position, is_manual: true };
}
