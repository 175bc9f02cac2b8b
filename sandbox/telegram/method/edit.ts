import { isDeepStrictEqual } from "node:util";
import { badRequest } from "../call/api-error.ts";
import type { Call } from "../call/call.ts";
import { record } from "../chat/outgoing.ts";
import { targetMessage, writableChat } from "../chat/target.ts";
import { amend } from "../inbound.ts";
import type { Content, InlineKeyboard, Message } from "../shape.ts";
import { readCaption, readText } from "../text/formatted-text.ts";
import { readMarkup } from "../text/markup.ts";
import { inputMediaKinds, readInputMedia } from "./media.ts";
import { captionContent, contentOf, textContent } from "./message.ts";

/** https://core.telegram.org/bots/api#editmessagetext */
export function editMessageText(call: Call): Message {
  const content = textContent(readText(call.args));
  return change(call, (message) => {
    if (message.text === undefined) throw badRequest("there is no text in the message to edit");
    return content;
  });
}

/** https://core.telegram.org/bots/api#editmessagecaption */
export function editMessageCaption(call: Call): Message {
  const caption = captionContent(readCaption(call.args));
  return change(call, (message) => {
    if (!hasCaption(message)) throw badRequest("there is no caption in the message to edit");
    const { caption: _c, caption_entities: _e, ...rest } = contentOf(message);
    return { ...rest, ...caption };
  });
}

/** https://core.telegram.org/bots/api#editmessagemedia */
export async function editMessageMedia(call: Call): Promise<Message> {
  const item = call.args.object("media", "input media");
  if (!item) throw badRequest("input media is empty");
  const content = await readInputMedia(call, item, inputMediaKinds);
  return change(call, () => content);
}

/** https://core.telegram.org/bots/api#editmessagereplymarkup */
export function editMessageReplyMarkup(call: Call): Message {
  return change(call, contentOf);
}

/** https://core.telegram.org/bots/api#stoppoll: returns the poll, not the message. */
export function stopPoll(call: Call): unknown {
  const { poll } = change(call, (message) => {
    if (!message.poll) throw badRequest("message with poll to stop not found");
    if (message.poll["is_closed"] === true) throw badRequest("poll has already been closed");
    return { ...contentOf(message), poll: { ...message.poll, is_closed: true } };
  });
  return poll;
}

/** Replaces the content and inline keyboard of the bot's own message; without a keyboard, it is removed. */
function change(call: Call, contentFor: (message: Message) => Content): Message {
  const { world, bot, args } = call;
  const markup = readMarkup(args);
  const chat = writableChat(call);
  const message = targetMessage(call, chat, "edit");
  const foreign = message.from?.id !== bot.id || message.forward_origin !== undefined;
  if (foreign || chat.messages.isLocked(message.message_id)) throw badRequest("message can't be edited");
  const content = contentFor(message);
  const edited = assemble(message, content, markup.inline);
  if (isDeepStrictEqual(edited, assemble(message, contentOf(message), message.reply_markup))) {
    throw badRequest(
      "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
    );
  }
  const stored = amend(world, chat, edited, {});
  record(call, stored);
  return stored;
}

function assemble(message: Message, content: Content, markup: InlineKeyboard | undefined): Message {
  const { message_id, from, chat, date, reply_to_message, quote, media_group_id } = message;
  return {
    message_id,
    ...(from && { from }),
    chat,
    date,
    ...(reply_to_message && { reply_to_message }),
    ...(quote && { quote }),
    ...(media_group_id && { media_group_id }),
    ...content,
    ...(markup && { reply_markup: markup }),
  };
}

function hasCaption(message: Message): boolean {
  const fields = ["photo", "video", "audio", "voice", "document", "animation"];
  return fields.some((field) => field in message);
}
