import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { editMessage } from "../../../core/message/change.ts";
import { type App, scopeOf } from "../../app.ts";
import { EDIT_ERRORS } from "../../message/message-errors.ts";
import { authorId, errorAnswers, strictObject } from "../../schema/shapes.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { envelope, enveloped } from "../envelope.ts";
import { attachmentOf, attachmentShape, changedShape, messagePath } from "./message-shapes.ts";

const body = strictObject({
  text: Type.Optional(Type.String({ description: "The new text; one of text and attachment is required" })),
  attachment: Type.Optional(attachmentShape),
  crm_user_id: Type.Optional(authorId({ description: "The editing employee: the id in the CRM" })),
});

const EMPTY = ["text", "crm_user_id", "attachment.name", "attachment.mimetype", "attachment.sha1"];

/** `PATCH /v2/messages/{id}` */
export function editMessageRoute(app: App, core: Core): void {
  app.patch(
    "/v2/messages/:id",
    {
      schema: {
        operationId: "editMessage",
        tags: ["messages"],
        summary: "Edit a sent message in the messenger",
        params: messagePath,
        body,
        response: { 200: envelope(changedShape), ...errorAnswers },
      },
      config: { emptyIsAbsent: EMPTY, errors: EDIT_ERRORS, body: "message" },
    },
    async (request) => {
      const messageId = idFromPath(request.params.id, "MESSAGES_NOT_FOUND");
      const { text, attachment, crm_user_id: authorId } = request.body;
      const changed = await editMessage(core, scopeOf(request), messageId, {
        ...(text === undefined ? {} : { text }),
        ...(attachment === undefined ? {} : { attachment: attachmentOf(attachment) }),
        ...(authorId === undefined ? {} : { authorId }),
      });
      return enveloped(core, { message_id: changed.messageId, chat_id: changed.chatId });
    },
  );
}
