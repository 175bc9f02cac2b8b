import { type Static, Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { type RecipientRequest, type SendRequest, sendMessage } from "../../../core/message/send.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { anyObject, errorAnswers, nullableString, patterned, strictObject } from "../../shapes.ts";
import { envelope, enveloped } from "../envelope.ts";
import {
  attachmentOf,
  attachmentShape,
  recipientShape,
  templateButtonShape,
  templateShape,
} from "./message-shapes.ts";

const body = strictObject(
  {
    channel_id: patterned("uuid"),
    quoted_message_id: Type.Optional(patterned("uuid")),
    recipient: recipientShape,
    text: Type.Optional(Type.String()),
    attachment: Type.Optional(attachmentShape),
    template: Type.Optional(templateShape),
    /** Buttons of the template; clients put them here or inside of it. */
    buttons: Type.Optional(Type.Array(templateButtonShape)),
    keyboard: Type.Optional(anyObject),
    crm_user_id: Type.Optional(Type.String({ maxLength: 255 })),
    reset_unanswered: Type.Optional(Type.Boolean()),
  },
  { dependencies: { buttons: ["template"] } },
);
type Body = Static<typeof body>;

const answer = envelope(Type.Object({ request_id: Type.String(), chat_id: nullableString }));

/** `POST /v2/messages` */
export function sendMessageRoute(app: App, core: Core): void {
  app.post(
    "/v2/messages",
    {
      schema: {
        operationId: "sendMessage",
        tags: ["messages"],
        summary: "Send a message; its outcome comes by webhook",
        body,
        response: { 200: answer, ...errorAnswers },
      },
      config: {
        errors: [
          "CHANNEL_NOT_FOUND",
          "CHANNEL_BLOCKED",
          "CHANNEL_NO_MONEY",
          "MESSAGE_CHANNEL_UNAVAILABLE",
          "WRONG_TRANSPORT",
          "MESSAGE_ONLY_TEXT_OR_CONTENT",
          "MESSAGE_NOTHING_TO_SEND",
          "MESSAGE_RECIPIENT_REQUIRED",
          "MESSAGE_TEMPLATE_NOT_SUPPORTED",
          "MESSAGE_QUOTING_NOT_SUPPORTED",
          "MESSAGE_KEYBOARD_INVALID",
          "QUOTED_MESSAGE_NOT_FOUND",
          "ATTACHMENT_URL_NOT_ALLOWED",
        ],
      },
    },
    (request, reply) =>
      answerOnce(core, request, reply, async (operationId) => {
        const sent = await sendMessage(core, scopeOf(request), sendRequestOf(request.body), operationId);
        return enveloped(core, { request_id: sent.messageId, chat_id: sent.chatId });
      }),
  );
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

// Field by field: this is the busiest path, and spreading would copy every object once more.
function sendRequestOf(from: Body): SendRequest {
  const to: Writable<SendRequest> = {
    channelId: from.channel_id.toLowerCase(),
    recipient: recipientOf(from.recipient),
  };
  if (from.text !== undefined) to.text = from.text;
  if (from.attachment !== undefined) to.attachment = attachmentOf(from.attachment);
  if (from.template !== undefined) to.template = templateOf(from.template, from.buttons);
  if (from.keyboard !== undefined) to.keyboard = from.keyboard;
  if (from.quoted_message_id !== undefined) to.quotedMessageId = from.quoted_message_id.toLowerCase();
  if (from.crm_user_id !== undefined) to.authorId = from.crm_user_id;
  if (from.reset_unanswered !== undefined) to.resetUnanswered = from.reset_unanswered;
  return to;
}

function recipientOf(from: Body["recipient"]): RecipientRequest {
  const to: Writable<RecipientRequest> = { chatType: from.chat_type };
  if (from.chat_id !== undefined) to.chatId = from.chat_id;
  if (from.username !== undefined) to.username = from.username;
  if (from.phone !== undefined) to.phone = from.phone;
  if (from.crm_contact_name !== undefined) to.contactName = from.crm_contact_name;
  return to;
}

function templateOf(
  template: NonNullable<Body["template"]>,
  buttons: Body["buttons"],
): SendRequest["template"] & {} {
  return {
    id: template.id.toLowerCase(),
    values: template.values ?? [],
    buttons: template.buttons ?? buttons ?? [],
  };
}
