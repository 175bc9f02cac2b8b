import { type Static, Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { type RecipientRequest, type SendRequest, sendMessage } from "../../../core/message/send.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { MAX_BUTTONS } from "../../message/keyboard-shape.ts";
import { SENDING_ERRORS } from "../../message/message-errors.ts";
import { authorId, errorAnswers, patterned, strictObject, uuidText } from "../../schema/shapes.ts";
import { envelope, enveloped } from "../envelope.ts";
import {
  attachmentOf,
  attachmentShape,
  keyboardShape,
  recipientShape,
  templateButtonShape,
  templateShape,
} from "./message-shapes.ts";

const body = strictObject(
  {
    channel_id: patterned("uuid", { description: "Channel that sends" }),
    quoted_message_id: Type.Optional(patterned("uuid", { description: "Message of the same chat to quote" })),
    recipient: recipientShape,
    text: Type.Optional(
      Type.String({ description: "Text. Exactly one of text, attachment and template may be given" }),
    ),
    attachment: Type.Optional(attachmentShape),
    template: Type.Optional(templateShape),
    /** Clients put them here or inside the template. */
    buttons: Type.Optional(
      Type.Array(templateButtonShape, {
        maxItems: MAX_BUTTONS,
        description: "Payloads of the template's buttons, as in template.buttons",
      }),
    ),
    keyboard: Type.Optional(keyboardShape),
    crm_user_id: Type.Optional(authorId({ description: "The author: the employee's id in the CRM" })),
    reset_unanswered: Type.Optional(
      Type.Boolean({ description: "false: the chat's unanswered messages stay unanswered" }),
    ),
  },
  { dependencies: { buttons: ["template"] } },
);
type Body = Static<typeof body>;

/** An empty `text` beside other content means none. */
const EMPTY = [
  "text",
  "quoted_message_id",
  "crm_user_id",
  "buttons",
  "recipient.chat_id",
  "recipient.username",
  "recipient.phone",
  "attachment.name",
  "attachment.mimetype",
  "attachment.sha1",
  "template.values",
  "template.buttons",
];

const answer = envelope(
  Type.Object({
    request_id: uuidText({ description: "Id of the message; webhooks about its status contain it" }),
    chat_id: Type.String({
      description: "The chat; while its id is unknown, the given phone or username",
    }),
  }),
);

/** `POST /v2/messages` */
export function sendMessageRoute(app: App, core: Core): void {
  app.post(
    "/v2/messages",
    {
      schema: {
        operationId: "sendMessage",
        tags: ["messages"],
        summary: "Send a message; webhooks report its status",
        body,
        response: { 200: answer, ...errorAnswers },
      },
      config: { emptyIsAbsent: EMPTY, errors: SENDING_ERRORS, body: "message" },
    },
    (request, reply) =>
      answerOnce(core, request, reply, async (operationId) => {
        const sent = await sendMessage(core, scopeOf(request), sendRequestOf(request.body), operationId);
        return enveloped(core, { request_id: sent.messageId, chat_id: sent.chatId });
      }),
  );
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

// Field by field: this is the hottest path, and spreading would copy every object once more.
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
