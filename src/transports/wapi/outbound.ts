import type { OutboundContent, OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { InteractiveButton, Keyboard } from "../../core/transport/keyboard.ts";
import { templateOf } from "./outbound/filled-template.ts";
import type { MediaForm } from "./outbound/media.ts";

/** A file for Meta: the URL to fetch it from, or the id of an upload. */
export interface MediaPart {
  readonly form: MediaForm;
  readonly source: { readonly link: string } | { readonly id: string };
}

const MAX_BODY = 1024;
const MAX_REPLY_BUTTONS = 3;

/**
 * The body of `POST /{number}/messages` (page "Send messages"). `media` is required for a message with a file. Throws
 * `TransportError` for content that WhatsApp does not support, before anything is sent.
 */
export function toPayload(
  message: OutboundMessage,
  options: { readonly media: MediaPart | null; readonly listLabel: string },
): object {
  const { quoted, keyboard } = message;
  const buttons = keyboard === undefined ? [] : interactiveButtons(keyboard);
  return {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    ...toRecipient(message.to.chatId ?? ""),
    ...(quoted === undefined ? {} : { context: { message_id: quoted.externalId } }),
    // Returned in every status, which may arrive before the response to this request.
    biz_opaque_callback_data: message.id,
    ...contentOf(message.content, { ...options, buttons, messageId: message.id }),
  };
}

/** Digits are a phone number; anything else is the user id of a person with a hidden number. */
export function toRecipient(chatId: string): { to: string } | { recipient: string } {
  if (/^[A-Z]{2}(\.[A-Za-z0-9_-]+)+$/.test(chatId)) return { recipient: chatId };
  const digits = chatId.replace(/[\s()+-]/g, "");
  if (/^[0-9]{5,20}$/.test(digits)) return { to: digits };
  throw new TransportError(
    "BAD_CONTACT",
    "WhatsApp requires a phone number with the country code, digits only",
  );
}

interface Parts {
  readonly media: MediaPart | null;
  readonly listLabel: string;
  readonly buttons: readonly InteractiveButton[];
  readonly messageId: string;
}

function contentOf(content: OutboundContent, parts: Parts): object {
  switch (content.type) {
    case "text":
      return parts.buttons.length > 0 ? interactiveOf(content.text, parts, null) : textOf(content.text);
    case "file":
      return fileOf(content, parts);
    case "template":
      return templateOf(content, parts.messageId);
  }
}

function textOf(text: string): object {
  return { type: "text", text: { body: text, preview_url: /https?:\/\//i.test(text) } };
}

function fileOf({ file, caption }: Extract<OutboundContent, { type: "file" }>, parts: Parts): object {
  if (parts.media === null) throw new Error("A message with a file needs its media");
  const { form, source } = parts.media;
  const media = {
    ...source,
    ...(form === "document" ? { filename: file.name } : {}),
    ...voiceOf(file, form),
  };
  const captioned = caption === undefined ? media : { ...media, caption };
  if (parts.buttons.length === 0) return { type: form, [form]: captioned };
  if (form === "audio" || parts.buttons.length > MAX_REPLY_BUTTONS)
    throw new TransportError(
      "GENERAL_ERROR",
      "WhatsApp shows at most three buttons under a picture, video or document",
    );
  // Meta requires a text there.
  return interactiveOf(caption ?? file.name, parts, { type: form, [form]: media });
}

/** Shown with the sender's picture and played as a voice message, if it is Ogg with Opus (Cloud API, "Audio messages"). */
function voiceOf({ mimeType }: OutboundFile, form: MediaForm): { voice?: true } {
  return form === "audio" && /^audio\/ogg\b/i.test(mimeType) ? { voice: true } : {};
}

function interactiveButtons(keyboard: Keyboard): readonly InteractiveButton[] {
  if (keyboard.kind === "interactive") return keyboard.buttons;
  throw new TransportError("GENERAL_ERROR", "WhatsApp does not support keyboards of this kind");
}

/** Up to three buttons are shown under the text; more become a list. */
function interactiveOf(text: string, { buttons, listLabel }: Parts, header: object | null): object {
  if (text.length > MAX_BODY)
    throw new TransportError(
      "TOO_LONG_TEXT",
      `A text with buttons can have at most ${MAX_BODY} characters on WhatsApp`,
    );
  const body = { text };
  if (buttons.length > MAX_REPLY_BUTTONS) {
    const rows = buttons.map(({ text: title, payload }) => ({ id: payload, title }));
    const action = { button: listLabel.slice(0, 20), sections: [{ rows }] };
    return { type: "interactive", interactive: { type: "list", body, action } };
  }
  const action = {
    buttons: buttons.map(({ text: title, payload }) => ({ type: "reply", reply: { id: payload, title } })),
  };
  const top = header === null ? {} : { header };
  return { type: "interactive", interactive: { type: "button", ...top, body, action } };
}
