import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { editMessage } from "../../../core/message/change.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, strictObject } from "../../shapes.ts";
import { idFromPath } from "../../uuid.ts";
import { envelope, enveloped } from "../envelope.ts";
import { attachmentOf, attachmentShape, changedShape, messagePath } from "./message-shapes.ts";

const body = strictObject({
  text: Type.Optional(Type.String()),
  attachment: Type.Optional(attachmentShape),
  crm_user_id: Type.Optional(Type.String({ maxLength: 255 })),
});

/** `PATCH /v2/messages/{id}` */
export function editMessageRoute(app: App, core: Core): void {
  app.patch(
    "/v2/messages/:id",
    {
      schema: {
        operationId: "editMessage",
        tags: ["messages"],
        summary: "Change a sent message in the messenger",
        params: messagePath,
        body,
        response: { 200: envelope(changedShape), ...errorAnswers },
      },
      config: {
        errors: [
          "MESSAGES_NOT_FOUND",
          "MESSAGE_ONLY_TEXT_OR_CONTENT",
          "MESSAGE_NOTHING_TO_SEND",
          "CHANNEL_INVALID_TRANSPORT_FOR_EDITING",
          "CHANNEL_INVALID_TRANSPORT_FOR_CONTENT_EDITING",
          "MESSAGES_EDITING_TIME_EXPIRED",
          "MESSAGES_CONTAIN_BUTTONS",
          "MESSAGE_TEXT_TOO_LONG",
          "MESSAGES_NOT_SENT",
          "MESSAGES_NOT_OUTGOING",
          "MESSAGES_ALREADY_DELETED",
          "MESSAGES_CHANGE_REFUSED",
        ],
      },
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
