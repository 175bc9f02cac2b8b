import type { StrictFields } from "../../http/strict-fields.ts";
import { Bot } from "../bot.ts";
import { badPayload, denied, noMessage, tooManyRequests } from "../call/api-error.ts";
import { type ApiCall, bodyOf } from "../call/call.ts";
import { chatOf, chatOfBot, findMessage } from "../call/target.ts";
import type { Attachment, Chat, Link, StoredMessage } from "../chat/chat.ts";
import { readAttachments } from "../message/attachment.ts";
import { parseMarkup } from "../message/markup.ts";
import { addMessage, noteSent } from "../message/outgoing.ts";
import { messageShape } from "../shape.ts";

const maxTextCharacters = 4000;
/** The fields of a `NewMessageBody`. */
export const bodyFields = ["text", "attachments", "link", "notify", "format"] as const;
const editWindowMs = 7 * 24 * 60 * 60 * 1000;

/** The parsed `NewMessageBody`; in an edit, undefined fields stay unchanged. */
interface NewMessage {
  readonly text: string | undefined;
  readonly markup: readonly unknown[] | undefined;
  readonly attachments: readonly Attachment[] | undefined;
  readonly link: Link | undefined;
}

/** https://dev.max.ru/docs-api/methods/POST/messages */
export async function sendMessage(call: ApiCall): Promise<unknown> {
  const { world, bot, query } = call;
  query.only(["user_id", "chat_id", "disable_link_preview"]);
  const chat = chatOf(call);
  const { limits } = world;
  if (
    limits &&
    !world.limiter.take(`chat ${bot.id} ${chat.chatId}`, limits.chatPerSecond, limits.chatPerSecond)
  )
    throw tooManyRequests();
  const { text, attachments = [], markup = [], link } = await readNewMessage(call);
  if ((text ?? "") === "" && attachments.length === 0 && link?.type !== "forward")
    throw badPayload("Message must have text, attachments or a link");
  const message = addMessage(world, chat, bot, { text: text ?? null, attachments, markup, link });
  noteSent(world, bot, { method: "sendMessage", chat, message, request: call.body });
  return { message: messageShape(message) };
}

async function readNewMessage(call: ApiCall, body = bodyOf(call, bodyFields)): Promise<NewMessage> {
  const text = body.text("text");
  if (text !== undefined && text.length > maxTextCharacters)
    throw badPayload(`text: size must be between 0 and ${maxTextCharacters}`);
  body.flag("notify");
  const format = body.oneOf("format", ["markdown", "html"]);
  const parsed = text === undefined || format === undefined ? undefined : parseMarkup(text, format);
  const list = body.list("attachments");
  return {
    link: readLink(call, body),
    text: parsed?.text ?? text,
    markup: parsed?.markup ?? (text === undefined ? undefined : []),
    attachments: list && (await readAttachments(call.world, call.bot, list)),
  };
}

function readLink(call: ApiCall, body: StrictFields): Link | undefined {
  const link = body.object("link", ["type", "mid"]);
  if (!link) return undefined;
  const type = link.oneOf("type", ["reply", "forward"]);
  if (!type) throw link.missing("type");
  return { type, message: findMessage(call, link.needText("mid")) };
}

/**
 * https://dev.max.ru/docs-api/methods/PUT/messages. Where a send returns an error, an edit returns `success: false`
 * (max-messenger/max-bot-api-client-go#57).
 */
export async function editMessage(call: ApiCall): Promise<unknown> {
  const message = findMessage(call, call.query.only(["message_id"]).needText("message_id"));
  if (message.sender !== call.bot) return failed("Only own messages can be edited");
  if (!isEditable(call, message)) return failed("The message is too old to be edited");
  try {
    changeMessage(message, await readNewMessage(call));
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("attachment.not.ready: "))
      return failed(error.message.slice("attachment.not.ready: ".length));
    throw error;
  }
  noteSent(call.world, call.bot, { method: "editMessage", chat: message.chat, message, request: call.body });
  return { success: true };
}

function failed(message: string): unknown {
  return { success: false, message };
}

/** In dialogs for seven days, unless the message has a keyboard. */
function isEditable({ world }: ApiCall, { chat, attachments, timestamp }: StoredMessage): boolean {
  if (chat.type !== "dialog" || attachments.some(({ type }) => type === "inline_keyboard")) return true;
  return world.clock.nowMs() - timestamp < editWindowMs;
}

function changeMessage(message: StoredMessage, { text, markup, attachments, link }: NewMessage): void {
  const becomes = { text: text ?? message.text, attachments: attachments ?? message.attachments };
  if ((becomes.text ?? "") === "" && becomes.attachments.length === 0)
    throw badPayload("Message must have text, attachments or a link");
  Object.assign(message, becomes);
  if (markup) message.markup = markup;
  if (link) message.link = link;
}

/** Edits the message of a press: `POST /answers` with `message`. */
export async function replaceMessage(
  call: ApiCall,
  message: StoredMessage,
  body: StrictFields,
): Promise<void> {
  changeMessage(message, await readNewMessage(call, body));
}

/** https://dev.max.ru/docs-api/methods/DELETE/messages */
export function deleteMessage(call: ApiCall): unknown {
  const message = findMessage(call, call.query.only(["message_id"]).needText("message_id"));
  if (message.sender !== call.bot) throw denied("Only own messages can be deleted");
  const { chat, mid } = message;
  chat.delete(mid);
  noteSent(call.world, call.bot, { method: "deleteMessage", chat, message: undefined, mid, request: null });
  return { success: true };
}

/** https://dev.max.ru/docs-api/methods/GET/messages-{messageId} */
export function getMessage(call: ApiCall): unknown {
  call.query.only([]);
  return messageShape(findMessage(call, call.params["messageId"] ?? ""));
}

/** https://dev.max.ru/docs-api/methods/GET/messages */
export function getMessages(call: ApiCall): unknown {
  const query = call.query.only(["chat_id", "message_ids", "from", "to", "count"]);
  const ids = query.text("message_ids");
  if (ids !== undefined)
    return { messages: ids.split(",").map((mid) => messageShape(findMessage(call, mid))) };
  const chatId = query.integer("chat_id");
  if (chatId === undefined) throw badPayload("Parameter 'chat_id' or 'message_ids' is required");
  return { messages: page(call, chatOfBot(call.world, call.bot, chatId)).map(messageShape) };
}

/** Newest first. */
function page({ query }: ApiCall, chat: Chat): StoredMessage[] {
  const from = query.integer("from") ?? Number.POSITIVE_INFINITY;
  const to = query.integer("to") ?? 0;
  const [latest, earliest] = from > to ? [from, to] : [to, from];
  return chat
    .newest()
    .filter(({ timestamp }) => timestamp <= latest && timestamp >= earliest)
    .slice(0, query.between("count", 1, 100) ?? 50);
}

/** Finds the message of a press. */
export function messageOfPress(chat: Chat, mid: string): StoredMessage {
  const message = chat.get(mid);
  if (!message || !(message.sender instanceof Bot)) throw noMessage(mid);
  return message;
}
