import type { Core } from "../../../core/core.ts";
import { removeMessage } from "../../../core/message/change.ts";
import { type App, scopeOf } from "../../app.ts";
import { REMOVAL_ERRORS } from "../../message/message-errors.ts";
import { errorAnswers } from "../../schema/shapes.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { envelope, enveloped } from "../envelope.ts";
import { changedShape, messagePath } from "./message-shapes.ts";

/** `DELETE /v2/messages/{id}` */
export function removeMessageRoute(app: App, core: Core): void {
  app.delete(
    "/v2/messages/:id",
    {
      schema: {
        operationId: "removeMessage",
        tags: ["messages"],
        summary: "Delete a sent message for both sides",
        params: messagePath,
        response: { 200: envelope(changedShape), ...errorAnswers },
      },
      config: { errors: REMOVAL_ERRORS },
    },
    async (request) => {
      const messageId = idFromPath(request.params.id, "MESSAGES_NOT_FOUND");
      const removed = await removeMessage(core, scopeOf(request), messageId);
      return enveloped(core, { message_id: removed.messageId, chat_id: removed.chatId });
    },
  );
}
