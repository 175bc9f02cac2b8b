import type { InboundMessage, MessageBody } from "../../core/transport/events.ts";
import { toBody } from "./body.ts";
import type { TgChat, TgUser } from "./content.ts";
import { knownName, nameOf } from "./names.ts";
import { noticeOf } from "./notices.ts";
import { isServiceMessage } from "./service-messages.ts";
import type { TgMessage } from "./update.ts";
import { storyAddress, textOf } from "./words.ts";

type Quoted = NonNullable<InboundMessage["quoted"]>;

/** What a message replies to: a message of the chat or of another chat, or a story; or a part of it. */
export function quotedOf(message: TgMessage): Quoted | undefined {
  const { reply_to_message: reply, external_reply: external, reply_to_story: story } = message;
  if (reply?.message_id !== undefined) return quotedReply(message) ?? quotedPart(message);
  if (external) {
    const { chat, message_id } = external;
    const place = chat?.id ? `${chat.id}:${message_id}` : message.message_id;
    const { sender_user: from, sender_chat, chat: origin } = external.origin ?? {};
    const author = authorOf({ from, sender_chat: chat ?? origin ?? sender_chat });
    return {
      externalId: `external:${place}`,
      ...bodyOf(partBody(message) ?? toBody(external)),
      ...named(author ?? external.origin?.sender_user_name),
      ...(chat?.username && message_id && { link: `https://t.me/${chat.username}/${message_id}` }),
    };
  }
  if (story?.chat?.id === undefined || story.id === undefined) return quotedPart(message);
  const link = storyAddress(story);
  return {
    externalId: `story:${story.chat.id}:${story.id}`,
    body: { type: "unsupported", what: "story", ...(link !== undefined && { text: link }) },
    ...named(knownName(story.chat) || undefined),
    ...(link !== undefined && { link }),
  };
}

/** Telegram may tell a part of a message without the message itself. */
function quotedPart(message: TgMessage): Quoted | undefined {
  const [body, part] = [partBody(message), partOf(message)];
  if (message.quote?.text === undefined || body === undefined) return undefined;
  return {
    externalId: `external:${message.message_id}`,
    body,
    ...(part !== undefined && { part }),
  };
}

/** In a forum topic, every message "replies" to the service message that created the topic. */
function quotedReply(message: TgMessage): Quoted | undefined {
  const { reply_to_message: reply } = message;
  if (reply?.message_id === undefined) return undefined;
  const notice = isServiceMessage(reply) ? noticeOf(reply) : null;
  if (isServiceMessage(reply) && notice === null) return undefined;
  const part = partOf(message);
  return {
    externalId: reply.message_id,
    ...bodyOf(partBody(message) ?? notice?.bodies[0] ?? toBody(reply)),
    ...(part !== undefined && { part }),
    ...named(authorOf(reply)),
  };
}

/** A part that the person chose: of the text, or a task or an option. Otherwise Telegram cut a long text. */
function partOf(message: TgMessage): string | undefined {
  const { quote, reply_to_message: reply } = message;
  if (quote?.text !== undefined)
    return quote.is_manual === true ? textOf(quote.text, quote.entities) : undefined;
  const { reply_to_checklist_task_id: taskId, reply_to_poll_option_id: optionId } = message;
  const task = reply?.checklist?.tasks?.find(({ id }) => id !== undefined && id === taskId);
  const option = reply?.poll?.options?.find(({ persistent_id: id }) => id !== undefined && id === optionId);
  return task?.text ?? option?.text;
}

function partBody(message: TgMessage): MessageBody | undefined {
  const { quote } = message;
  const text = textOf(quote?.text, quote?.entities) ?? partOf(message);
  return text === undefined ? undefined : { type: "text", text };
}

const bodyOf = (body: MessageBody | undefined): Pick<Quoted, "body"> => (body ? { body } : {});
const named = (name: string | undefined): Pick<Quoted, "authorName"> =>
  name === undefined ? {} : { authorName: name };

interface Authored {
  readonly from?: TgUser | undefined;
  readonly sender_chat?: TgChat | undefined;
}

function authorOf({ from, sender_chat }: Authored): string | undefined {
  const author: TgChat | TgUser | undefined = sender_chat ?? from;
  return author && (nameOf(author) || undefined);
}
