import { type Static, Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { AppError, type ErrorCode } from "../../../core/errors.ts";
import { createDeal, getClient } from "../../../core/inbox/crm.ts";
import { markRead, markUnanswered } from "../../../core/inbox/seen.ts";
import { showMark } from "../../../core/inbox/show-mark.ts";
import {
  editWritten,
  type NewChat,
  type NewPageMessage,
  reactTo,
  removeWritten,
  resendMessage,
  writeMessage,
} from "../../../core/inbox/write.ts";
import type { ChatMark } from "../../../core/transport/definition.ts";
import { isUuid } from "../../../platform/ids.ts";
import type { App } from "../../app.ts";
import { MAX_TEMPLATE_VALUES } from "../../message/keyboard-shape.ts";
import {
  EDIT_ERRORS,
  REACTION_ERRORS,
  REMOVAL_ERRORS,
  SENDING_ERRORS,
} from "../../message/message-errors.ts";
import { errorAnswers, patterned } from "../../schema/shapes.ts";
import { chatOf, idPath, inboxOf } from "./session.ts";
import { chatShape, clientShape, messageShape, writtenShape } from "./shapes.ts";

const tags = ["pages"];
const uuid = patterned("uuid");
const name = patterned("printable", { maxLength: 255 });

const body = Type.Object({
  id: patterned("uuid", {
    description: "Chosen by the page; a request repeated with the same id is sent once",
  }),
  chat_id: Type.Optional(uuid),
  to: Type.Optional(
    Type.Object(
      {
        channel_id: uuid,
        chat_type: Type.Optional(Type.String({ maxLength: 50 })),
        phone: Type.Optional(name),
        username: Type.Optional(name),
        messenger_chat_id: Type.Optional(name),
        name: Type.Optional(Type.String({ maxLength: 255 })),
      },
      { description: "A person without a chat" },
    ),
  ),
  text: Type.Optional(
    Type.String({
      description: "With `file_id`: its caption, if `max_caption_length` of the file's kind allows it",
    }),
  ),
  file_id: Type.Optional(patterned("uuid", { description: "Id of an upload" })),
  file_of_message_id: Type.Optional(
    patterned("uuid", { description: "In place of `file_id`: the file of this message is sent" }),
  ),
  voice: Type.Optional(Type.Boolean({ description: "The file is a recording, sent as a voice note" })),
  template: Type.Optional(
    Type.Object({
      id: uuid,
      values: Type.Optional(Type.Array(Type.String(), { maxItems: MAX_TEMPLATE_VALUES })),
      payloads: Type.Optional(Type.Array(Type.String(), { maxItems: 20 })),
    }),
  ),
  quoted_message_id: Type.Optional(uuid),
  keyboard: Type.Optional(
    Type.Unknown({ description: "As `keyboard` of POST /v2/messages for the chat's transport" }),
  ),
  reset_unanswered: Type.Optional(Type.Boolean()),
});
type Body = Static<typeof body>;

const AT_ONCE = [
  "CHAT_NOT_FOUND",
  "MESSAGES_NOT_FOUND",
  "NOT_FOUND",
  "MESSAGE_TEXT_TOO_LONG",
  "MESSAGES_CONTENT_SIZE_EXCEEDED",
  "MESSAGE_CONTENT_NOT_SUPPORTED",
  "CHANNEL_WAPI_REJECTED",
  "QUOTA_EXCEEDED",
] as const satisfies readonly ErrorCode[];

/** The chat page's write routes. */
export function writingRoutes(app: App, core: Core): void {
  sendRoute(app, core);
  changeRoutes(app, core);
  reactionRoutes(app, core);
  seenRoutes(app, core);
  crmRoutes(app, core);
}

function sendRoute(app: App, core: Core): void {
  app.post(
    "/app/api/messages",
    {
      schema: {
        operationId: "sendChatMessage",
        tags,
        summary: "Send a message to a chat, or to a person without one",
        body,
        response: { 201: writtenShape, ...errorAnswers },
      },
      config: {
        body: "message",
        emptyIsAbsent: ["text"],
        errors: [...new Set<ErrorCode>([...SENDING_ERRORS, ...AT_ONCE])],
      },
    },
    async (request, reply) => {
      const written = await writeMessage(core, inboxOf(request), writingOf(request.body));
      return reply.code(201).send(written);
    },
  );
  app.post(
    "/app/api/messages/:id/resend",
    {
      schema: {
        operationId: "resendMessage",
        tags,
        summary: "Send the content of a failed message again, as a new message",
        params: idPath,
        body: Type.Object({ id: uuid }),
        response: { 201: writtenShape, ...errorAnswers },
      },
      config: { errors: [...new Set<ErrorCode>([...SENDING_ERRORS, ...AT_ONCE, "MESSAGES_NOT_FAILED"])] },
    },
    async (request, reply) => {
      const which = { failedId: messageOf(request), id: request.body.id.toLowerCase() };
      return reply.code(201).send(await resendMessage(core, inboxOf(request), which));
    },
  );
}

function writingOf(from: Body): NewPageMessage {
  const { text, file_id: fileId, template, quoted_message_id: quoted, keyboard } = from;
  return {
    id: from.id.toLowerCase(),
    to: from.chat_id === undefined ? newChatOf(from.to) : { chat: from.chat_id.toLowerCase() },
    ...(text === undefined ? {} : { text }),
    ...(fileId === undefined ? {} : { fileId: fileId.toLowerCase() }),
    ...(from.file_of_message_id === undefined
      ? {}
      : { fileOfMessageId: from.file_of_message_id.toLowerCase() }),
    ...(from.voice === undefined ? {} : { voice: from.voice }),
    ...(template === undefined ? {} : { template: templateOf(template) }),
    ...(quoted === undefined ? {} : { quotedMessageId: quoted.toLowerCase() }),
    ...(keyboard === undefined ? {} : { keyboard }),
    ...(from.reset_unanswered === undefined ? {} : { resetUnanswered: from.reset_unanswered }),
  };
}

function newChatOf(to: Body["to"]): NewChat {
  if (to === undefined) throw new AppError("MESSAGE_RECIPIENT_REQUIRED");
  const { channel_id: channelId, chat_type: chatType, messenger_chat_id: chatId, ...names } = to;
  return {
    channelId: channelId.toLowerCase(),
    ...(chatType === undefined ? {} : { chatType }),
    ...(chatId === undefined ? {} : { chatId }),
    ...names,
  };
}

function templateOf({
  id,
  values = [],
  payloads = [],
}: NonNullable<Body["template"]>): NewPageMessage["template"] & {} {
  return { id: id.toLowerCase(), values, buttons: payloads.map((payload) => ({ payload })) };
}

/** Throws MESSAGES_NOT_FOUND if it is not a valid message id. */
function messageOf({ params: { id } }: { readonly params: { readonly id: string } }): string {
  if (!isUuid(id)) throw new AppError("MESSAGES_NOT_FOUND");
  return id.toLowerCase();
}

function changeRoutes(app: App, core: Core): void {
  const answers = { params: idPath, response: { 200: messageShape, ...errorAnswers } };
  app.patch(
    "/app/api/messages/:id",
    {
      schema: {
        operationId: "editChatMessage",
        tags,
        summary: "Edit a sent message in the messenger",
        body: Type.Object({ text: Type.Optional(Type.String()), file_id: Type.Optional(uuid) }),
        ...answers,
      },
      config: {
        body: "message",
        errors: [...EDIT_ERRORS, "NOT_FOUND"],
      },
    },
    (request) => {
      const { text, file_id: fileId } = request.body;
      return editWritten(core, inboxOf(request), messageOf(request), {
        ...(text === undefined ? {} : { text }),
        ...(fileId === undefined ? {} : { fileId: fileId.toLowerCase() }),
      });
    },
  );
  app.delete(
    "/app/api/messages/:id",
    {
      schema: {
        operationId: "deleteChatMessage",
        tags,
        summary: "Remove a sent message for both sides, or cancel one that still waits",
        ...answers,
      },
      config: { errors: REMOVAL_ERRORS },
    },
    (request) => removeWritten(core, inboxOf(request), messageOf(request)),
  );
}

function reactionRoutes(app: App, core: Core): void {
  const answers = { params: idPath, response: { 200: messageShape, ...errorAnswers } };
  const path = "/app/api/messages/:id/reaction";
  app.put(
    path,
    {
      schema: {
        operationId: "reactToChatMessage",
        tags,
        summary: "React to a message; replaces the channel's earlier reaction",
        body: Type.Object({ emoji: Type.String({ maxLength: 32 }) }),
        ...answers,
      },
      config: { errors: REACTION_ERRORS },
    },
    (request) => reactTo(core, inboxOf(request), messageOf(request), request.body.emoji),
  );
  app.delete(
    path,
    {
      schema: {
        operationId: "removeChatReaction",
        tags,
        summary: "Remove the channel's reaction to a message",
        ...answers,
      },
      config: { errors: REACTION_ERRORS },
    },
    (request) => reactTo(core, inboxOf(request), messageOf(request), null),
  );
}

function seenRoutes(app: App, core: Core): void {
  const answers = { params: idPath, response: { 200: chatShape, ...errorAnswers } };
  app.post(
    "/app/api/chats/:id/read",
    {
      schema: {
        operationId: "markRead",
        tags,
        summary: "Mark the chat as seen by the employee",
        body: Type.Object({}),
        ...answers,
      },
      config: { errors: ["CHAT_NOT_FOUND"] },
    },
    (request) => markRead(core, inboxOf(request), chatOf(request)),
  );
  app.post(
    "/app/api/chats/:id/unanswered",
    {
      schema: {
        operationId: "markUnanswered",
        tags,
        summary: "Mark the chat as answered or unanswered",
        body: Type.Object({ unanswered: Type.Boolean() }),
        ...answers,
      },
      config: { errors: ["CHAT_NOT_FOUND"] },
    },
    (request) => markUnanswered(core, inboxOf(request), chatOf(request), request.body.unanswered),
  );
  app.post(
    "/app/api/chats/:id/mark",
    {
      schema: {
        operationId: "showMark",
        tags,
        summary: "Show the people of the chat that their messages were read, or that the employee is typing",
        params: idPath,
        body: Type.Object({ mark: Type.Unsafe<ChatMark>({ type: "string", enum: ["read", "typing"] }) }),
        response: {
          200: Type.Object({
            shown: Type.Boolean({
              description: "false: the channel cannot show it now, or there were too many",
            }),
          }),
          ...errorAnswers,
        },
      },
      config: { errors: ["CHAT_NOT_FOUND"] },
    },
    async (request) => ({
      shown: await showMark(core, inboxOf(request), chatOf(request), request.body.mark),
    }),
  );
}

function crmRoutes(app: App, core: Core): void {
  app.get(
    "/app/api/chats/:id/client",
    {
      schema: {
        operationId: "getClient",
        tags,
        summary: "The contact and deals that the CRM has uploaded for the chat",
        params: idPath,
        response: { 200: clientShape, ...errorAnswers },
      },
      config: { errors: ["CHAT_NOT_FOUND", "FORBIDDEN"] },
    },
    (request) => getClient(core, inboxOf(request), chatOf(request)),
  );
  app.post(
    "/app/api/chats/:id/deals",
    {
      schema: {
        operationId: "createDeal",
        tags,
        summary:
          "Request a deal with the chat's client from the CRM; if there is no contact, that is requested first",
        params: idPath,
        body: Type.Object({}),
        response: {
          200: Type.Object({ asked: Type.Boolean({ description: "A request is pending, new or not" }) }),
          ...errorAnswers,
        },
      },
      config: { errors: ["CHAT_NOT_FOUND", "FORBIDDEN"] },
    },
    (request) => createDeal(core, inboxOf(request), chatOf(request)),
  );
}
