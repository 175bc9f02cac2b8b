import { type Static, Type } from "typebox";
import type { Identity } from "../../../core/account/authenticate.ts";
import type { Attachment } from "../../../core/content.ts";
import type { Core } from "../../../core/core.ts";
import { type SendRequest, sendMessage } from "../../../core/message/send.ts";
import { CHAT_TYPES } from "../../../core/transport/definition.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { MAX_TEMPLATE_VALUES } from "../../message/keyboard-shape.ts";
import { SENDING_ERRORS } from "../../message/message-errors.ts";
import { voiceShape } from "../../message/voice-shape.ts";
import { errorAnswers, patterned, uuidText } from "../../schema/shapes.ts";
import { buttonsObjectShape, keyboardOf, templateButtonsOf } from "./buttons.ts";
import { inV3Names } from "./fields.ts";
import { authorOf, authorShape, contentUriShape } from "./message-shapes.ts";

const body = Type.Object({
  channelId: patterned("uuid", { description: "Channel that sends" }),
  chatType: Type.Enum([...CHAT_TYPES], { description: "Kind of chat; must fit the channel's transport" }),
  chatId: Type.Optional(
    patterned("printable", {
      maxLength: 255,
      description:
        "The chat's id in the messenger: a phone number for whatsapp and viber, the username for instagram",
    }),
  ),
  username: Type.Optional(
    patterned("printable", {
      maxLength: 255,
      description: "telegram only: used if chatId is unknown",
    }),
  ),
  phone: Type.Optional(
    patterned("printable", {
      maxLength: 255,
      description: "telegram and max only, with its country code: used if chatId is unknown",
    }),
  ),
  text: Type.Optional(
    Type.String({ description: "Text. Exactly one of text, contentUri and templateId may be given" }),
  ),
  contentUri: Type.Optional(contentUriShape),
  voice: Type.Optional(voiceShape),
  templateId: Type.Optional(
    patterned("uuid", { description: "Template of the WhatsApp Business Platform (templateGuid)" }),
  ),
  templateValues: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_TEMPLATE_VALUES,
      description: "Values of the template's variables, in order",
    }),
  ),
  refMessageId: Type.Optional(patterned("uuid", { description: "Message of the same chat to quote" })),
  crmUserId: Type.Optional(authorShape),
  crmMessageId: Type.Optional(
    patterned("printable", {
      maxLength: 255,
      description: "The CRM's id of the message; the same one within 60 seconds is refused",
    }),
  ),
  clearUnanswered: Type.Optional(
    Type.Boolean({ description: "false: the chat's unanswered messages stay unanswered" }),
  ),
  buttonsObject: Type.Optional(buttonsObjectShape),
});
type Body = Static<typeof body>;

const EMPTY = [
  "chatId",
  "username",
  "phone",
  "text",
  "contentUri",
  "templateId",
  "templateValues",
  "refMessageId",
  "crmUserId",
  "crmMessageId",
  "buttonsObject",
];

const answer = Type.Object({
  messageId: uuidText({ description: "Id of the message; webhooks about its status contain it" }),
  chatId: Type.String({
    description: "The chat; while its id is unknown, the given phone or username",
  }),
});

/** `POST /v3/message` */
export function sendMessageRoute(app: App, core: Core): void {
  app.post(
    "/v3/message",
    {
      schema: {
        operationId: "sendV3Message",
        tags: ["messages"],
        summary: "Send a message; webhooks report its status",
        body,
        response: { 201: answer, ...errorAnswers },
      },
      config: {
        emptyIsAbsent: EMPTY,
        body: "message",
        errors: [
          ...SENDING_ERRORS,
          "REPEATED_CRM_MESSAGE_ID",
          "MESSAGE_TEXT_TOO_LONG",
          "MESSAGES_CONTENT_SIZE_EXCEEDED",
          "MESSAGE_CONTENT_NOT_SUPPORTED",
          "CHANNEL_WAPI_REJECTED",
        ],
      },
    },
    (request, reply) => {
      reply.code(201);
      const scope = scopeOf(request);
      return answerOnce(core, request, reply, (operationId) =>
        inV3Names(request.body, () =>
          sendMessage(core, scope, sendRequestOf(scope, request.body), operationId),
        ),
      );
    },
  );
}

function sendRequestOf(identity: Identity, from: Body): SendRequest {
  const { chatType, chatId, username, phone, text, crmMessageId, buttonsObject } = from;
  return {
    channelId: from.channelId.toLowerCase(),
    recipient: {
      chatType,
      ...(chatId === undefined ? {} : { chatId }),
      ...(username === undefined ? {} : { username }),
      ...(phone === undefined ? {} : { phone }),
    },
    ...(text === undefined ? {} : { text }),
    ...(from.contentUri === undefined ? {} : { attachment: attachmentOf(from.contentUri, from.voice) }),
    ...(from.templateId === undefined ? {} : { template: templateOf(from.templateId, from) }),
    ...(buttonsObject === undefined || from.templateId !== undefined
      ? {}
      : { keyboard: keyboardOf(buttonsObject) }),
    ...(from.refMessageId === undefined ? {} : { quotedMessageId: from.refMessageId.toLowerCase() }),
    ...authorOf(identity, from.crmUserId),
    ...(crmMessageId === undefined ? {} : { crmMessageId }),
    ...(from.clearUnanswered === undefined ? {} : { resetUnanswered: from.clearUnanswered }),
    refusedAtOnce: true,
  };
}

function attachmentOf(url: string, voice: boolean | undefined): Attachment {
  return voice === undefined ? { url } : { url, voice };
}

/** A template has its own buttons: `buttonsObject` sets their payloads. */
function templateOf(
  id: string,
  { templateValues, buttonsObject }: Body,
): NonNullable<SendRequest["template"]> {
  return {
    id: id.toLowerCase(),
    values: templateValues ?? [],
    buttons: buttonsObject === undefined ? [] : templateButtonsOf(buttonsObject),
  };
}
