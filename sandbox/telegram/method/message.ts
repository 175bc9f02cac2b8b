import { badRequest } from "../call/api-error.ts";
import type { Call } from "../call/call.ts";
import { post, readEnvelope } from "../chat/outgoing.ts";
import { knownChat } from "../chat/target.ts";
import type { Content, FormattedText, Message } from "../shape.ts";
import { readCaption, readText } from "../text/formatted-text.ts";

/** https://core.telegram.org/bots/api#sendmessage */
export function sendMessage(call: Call): Message {
  const content = textContent(readText(call.args));
  const options = call.args.object("link_preview_options", "link preview options");
  return post(call, readEnvelope(call), { ...content, ...(options && { link_preview_options: options }) });
}

/** A text as the fields of a message. */
export function textContent({ text, entities }: FormattedText): Content {
  return entities.length > 0 ? { text, entities } : { text };
}

/** A caption as the fields of a message; none if it is empty. */
export function captionContent({ text, entities }: FormattedText): Content {
  if (text === "") return {};
  return entities.length > 0 ? { caption: text, caption_entities: entities } : { caption: text };
}

/** https://core.telegram.org/bots/api#forwardmessage */
export function forwardMessage(call: Call): Message {
  const envelope = readEnvelope(call);
  const source = sourceMessage(call, "forward");
  if (source.has_protected_content) throw badRequest("message can't be forwarded");
  const origin = source.forward_origin ?? {
    type: "user",
    date: source.date,
    sender_user: source.from ?? call.bot.user,
  };
  return post(call, envelope, { ...contentOf(source), forward_origin: origin });
}

/** https://core.telegram.org/bots/api#copymessage */
export function copyMessage(call: Call): { message_id: number } {
  const envelope = readEnvelope(call);
  const source = sourceMessage(call, "copy");
  const content = contentOf(source);
  const { caption: _c, caption_entities: _e, ...rest } = content;
  const replaced =
    call.args.values["caption"] === undefined
      ? content
      : { ...rest, ...captionContent(readCaption(call.args)) };
  return { message_id: post(call, envelope, replaced).message_id };
}

function sourceMessage(call: Call, purpose: string): Message {
  const messageId = call.args.integer("message_id", 0);
  const source = knownChat(call, "from_chat_id").messages.get(messageId);
  if (!source) throw badRequest(`message to ${purpose} not found`);
  return source;
}

/** The content of a message, without fields that depend on its chat. */
export function contentOf(message: Message): Content {
  const {
    message_id: _id,
    date: _date,
    chat: _chat,
    from: _from,
    edit_date: _edit,
    reply_to_message: _reply,
    quote: _quote,
    reply_markup: _markup,
    forward_origin: _origin,
    media_group_id: _group,
    has_protected_content: _protected,
    ...content
  } = message;
  return content;
}
