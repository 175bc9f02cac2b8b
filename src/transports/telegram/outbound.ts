import type {
  InlineKeyboardButton,
  InlineKeyboardMarkup,
  ReplyKeyboardMarkup,
  ReplyKeyboardRemove,
} from "@grammyjs/types";
import type { OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { MessageRef } from "../../core/transport/events.ts";
import type { InlineButton, Keyboard } from "../../core/transport/keyboard.ts";
import { NO_TOPIC, splitChatId, type Topic } from "./chat-id.ts";
import type { Params } from "./client.ts";
import { isLinkRefusal, isPhotoRefusal, type Refusal } from "./errors.ts";
import { chooseForm, type MediaForm, mayPassLink } from "./media-form.ts";

const SEND_METHODS = {
  photo: "sendPhoto",
  video: "sendVideo",
  animation: "sendAnimation",
  audio: "sendAudio",
  voice: "sendVoice",
  document: "sendDocument",
} as const satisfies Record<MediaForm, string>;

/** The variable parts of a send. A definite refusal may lead to an attempt with other values. */
export interface Attempt {
  readonly chatId: string;
  readonly form: MediaForm;
  readonly source: "link" | "upload";
  readonly topic: Topic;
  /** Whether the chat's id has been replaced. Only once, because chats might refer to each other. */
  readonly isMoved?: true;
}

/** A prepared Bot API call. */
export type SendCall =
  | { readonly method: "sendMessage"; readonly params: Params<"sendMessage"> }
  | {
      readonly method: (typeof SEND_METHODS)[MediaForm];
      readonly params: CommonParams & Readonly<Partial<Record<MediaForm | "caption", string>>> & AsIs;
      readonly upload?: OutboundFile;
    };

type CommonParams = Pick<
  Params<"sendMessage">,
  "chat_id" | "reply_parameters" | "reply_markup" | "message_thread_id" | "direct_messages_topic_id"
>;

/** Throws BAD_CONTACT for an invalid chat id: bots cannot resolve usernames or phone numbers. */
export function firstAttempt({ to, content }: OutboundMessage): Attempt {
  const { chatId, topic } = splitChatId(to.chatId ?? "");
  toId(chatId);
  const choice =
    content.type === "file"
      ? chooseMedia(content.file)
      : { form: "document" as const, source: "upload" as const };
  return { chatId, topic, ...choice };
}

export function chooseMedia(file: OutboundFile): Pick<Attempt, "form" | "source"> {
  const form = chooseForm(file);
  return { form, source: mayPassLink(file, form) ? "link" : "upload" };
}

/** The next form to try after a refusal, or null. Terminates, because no step is undone. */
export function nextAttempt(attempt: Attempt, refusal: Refusal): Attempt | null {
  if (refusal.newChatId !== undefined && refusal.newChatId !== attempt.chatId && attempt.isMoved !== true) {
    return { ...attempt, chatId: refusal.newChatId, isMoved: true };
  }
  if ("message_thread_id" in attempt.topic && refusal.says("message thread not found", "TOPIC_DELETED"))
    return { ...attempt, topic: NO_TOPIC };
  if (attempt.source === "link" && isLinkRefusal(refusal)) return { ...attempt, source: "upload" };
  if (attempt.form === "photo" && isPhotoRefusal(refusal))
    return { ...attempt, form: "document", source: "upload" };
  return null;
}

/** The call that sends a message, as plain text without markup (Bot API, "Available methods"). */
export function toSendCall(message: OutboundMessage, attempt: Attempt): SendCall {
  const common = commonParams(message, attempt);
  const { content } = message;
  switch (content.type) {
    case "text":
      return { method: "sendMessage", params: { ...common, text: content.text } };
    case "file": {
      const { form, source } = attempt;
      const { caption } = content;
      const params = {
        ...common,
        ...(caption === undefined ? {} : { caption }),
        [form]: fileParam(content.file, source),
        ...asIs({ form, source }),
      };
      return { method: SEND_METHODS[form], params, ...(source === "upload" && { upload: content.file }) };
    }
    case "template":
      throw new TransportError("GENERAL_ERROR", "Telegram does not support templates");
  }
}

/** The media of `editMessageMedia` (Bot API, `InputMedia`), which does not support voice notes. */
export function toInputMedia(
  file: OutboundFile,
  { form, source }: Pick<Attempt, "form" | "source">,
): Params<"editMessageMedia">["media"] {
  const media = fileParam(file, source);
  if (form === "document" || form === "voice")
    return { type: "document", media, ...asIs({ form: "document", source }) };
  return { type: form, media };
}

type AsIs = Readonly<Pick<Params<"sendDocument">, "disable_content_type_detection">>;

/** Otherwise Telegram converts WebP pictures to stickers and silent videos to animations. */
function asIs({ form, source }: Pick<Attempt, "form" | "source">): AsIs {
  return form === "document" && source === "upload" ? { disable_content_type_detection: true } : {};
}

function fileParam(file: OutboundFile, source: Attempt["source"]): string {
  return source === "link" ? file.url : "attach://file";
}

function commonParams(
  { quoted, keyboard }: OutboundMessage,
  { chatId, topic, isMoved }: Attempt,
): CommonParams {
  // A supergroup has none of the messages of the group that became it.
  const quotedId = quoted && isMoved !== true ? messageIdOf(quoted) : undefined;
  return {
    chat_id: toId(chatId),
    ...topic,
    ...(quotedId !== undefined && { reply_parameters: { message_id: quotedId } }),
    ...(keyboard && { reply_markup: toMarkup(keyboard) }),
  };
}

function toMarkup(keyboard: Keyboard): InlineKeyboardMarkup | ReplyKeyboardMarkup | ReplyKeyboardRemove {
  switch (keyboard.kind) {
    case "inline":
      return { inline_keyboard: keyboard.rows.map((row) => row.map(toInlineButton)) };
    case "reply":
      return {
        keyboard: keyboard.rows.map((row) => row.map(({ text }) => ({ text }))),
        resize_keyboard: keyboard.resize,
        one_time_keyboard: keyboard.oneTime,
        selective: keyboard.selective,
      };
    case "remove":
      return { remove_keyboard: true, selective: keyboard.selective };
    case "interactive":
    case "rows":
      throw new TransportError("GENERAL_ERROR", "Telegram does not support keyboards of this kind");
  }
}

function toInlineButton({ text, url, payload }: InlineButton): InlineKeyboardButton {
  return url === undefined ? { text, callback_data: payload ?? text } : { text, url };
}

/** Chat ids are integers below 2^53, negative for groups (Bot API, `Chat.id`). */
export function toId(chatId: string): number {
  const id = /^-?[0-9]{1,16}$/.test(chatId) ? Number(chatId) : Number.NaN;
  if (Number.isSafeInteger(id) && id !== 0) return id;
  throw new TransportError("BAD_CONTACT", "A Telegram bot requires the chat's numeric id");
}

/** Undefined for ids that are not Telegram messages, such as button presses. A part of a message has the message's. */
export function messageIdOf({ externalId }: MessageRef): number | undefined {
  const id = /^([1-9][0-9]{0,15})(?:#[0-9]+)?$/.exec(externalId)?.[1];
  return id === undefined ? undefined : Number(id);
}
