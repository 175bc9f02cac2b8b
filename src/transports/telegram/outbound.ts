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

/** What can change between two tries of one message, each after a definite refusal. */
export interface Attempt {
  readonly chatId: string;
  readonly form: MediaForm;
  readonly source: "link" | "upload";
}

/** A call of the Bot API, ready to go. */
export type SendCall =
  | { readonly method: "sendMessage"; readonly params: Params<"sendMessage"> }
  | {
      readonly method: (typeof SEND_METHODS)[MediaForm];
      readonly params: CommonParams & Readonly<Partial<Record<MediaForm, string>>> & AsIs;
      readonly upload?: OutboundFile;
    };

type CommonParams = Pick<Params<"sendMessage">, "chat_id" | "reply_parameters" | "reply_markup">;

/** Throws BAD_CONTACT for what cannot be a chat of Telegram: bots cannot look up names or phones. */
export function firstAttempt({ to, content }: OutboundMessage): Attempt {
  const chatId = to.chatId ?? "";
  toId(chatId);
  const choice =
    content.type === "file"
      ? chooseMedia(content.file)
      : { form: "document" as const, source: "upload" as const };
  return { chatId, ...choice };
}

export function chooseMedia(file: OutboundFile): Pick<Attempt, "form" | "source"> {
  const form = chooseForm(file);
  return { form, source: mayPassLink(file, form) ? "link" : "upload" };
}

/** Another way to send what was refused, or null. Ends, since no step is taken back. */
export function nextAttempt(attempt: Attempt, refusal: Refusal): Attempt | null {
  if (refusal.newChatId !== undefined && refusal.newChatId !== attempt.chatId) {
    return { ...attempt, chatId: refusal.newChatId };
  }
  if (attempt.source === "link" && isLinkRefusal(refusal)) return { ...attempt, source: "upload" };
  if (attempt.form === "photo" && isPhotoRefusal(refusal))
    return { ...attempt, form: "document", source: "upload" };
  return null;
}

/** The call for a message, plain text without markup (Bot API, "Available methods"). */
export function toSendCall(message: OutboundMessage, attempt: Attempt): SendCall {
  const common = commonParams(message, attempt.chatId);
  const { content } = message;
  switch (content.type) {
    case "text":
      return { method: "sendMessage", params: { ...common, text: content.text } };
    case "file": {
      const { form, source } = attempt;
      const params = { ...common, [form]: fileParam(content.file, source), ...asIs({ form, source }) };
      return { method: SEND_METHODS[form], params, ...(source === "upload" && { upload: content.file }) };
    }
    case "template":
      throw new TransportError("GENERAL_ERROR", "Telegram has no templates");
  }
}

/** The media of `editMessageMedia` (Bot API, `InputMedia`), which knows no voice notes. */
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

/** Else Telegram makes stickers of webp pictures and animations of silent videos. */
function asIs({ form, source }: Pick<Attempt, "form" | "source">): AsIs {
  return form === "document" && source === "upload" ? { disable_content_type_detection: true } : {};
}

function fileParam(file: OutboundFile, source: Attempt["source"]): string {
  return source === "link" ? file.url : "attach://file";
}

function commonParams({ quoted, keyboard }: OutboundMessage, chatId: string): CommonParams {
  const quotedId = quoted && messageIdOf(quoted);
  return {
    chat_id: toId(chatId),
    ...(quotedId !== undefined && {
      reply_parameters: { message_id: quotedId, allow_sending_without_reply: true },
    }),
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
      throw new TransportError("GENERAL_ERROR", "Telegram has no keyboards of this kind");
  }
}

function toInlineButton({ text, url, payload }: InlineButton): InlineKeyboardButton {
  return url === undefined ? { text, callback_data: payload ?? text } : { text, url };
}

/** Ids are whole numbers below 2^53, negative for groups (Bot API, `Chat.id`). */
export function toId(chatId: string): number {
  const id = /^-?[0-9]{1,16}$/.test(chatId) ? Number(chatId) : Number.NaN;
  if (Number.isSafeInteger(id) && id !== 0) return id;
  throw new TransportError("BAD_CONTACT", "A Telegram bot needs the chat's numeric id");
}

/** Undefined for what has no id in Telegram, such as the press of a button. */
export function messageIdOf({ externalId }: MessageRef): number | undefined {
  return /^[1-9][0-9]{0,15}$/.test(externalId) ? Number(externalId) : undefined;
}
