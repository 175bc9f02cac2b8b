import type { Core } from "../../../core/core.ts";
import { removeMessage } from "../../../core/message/change.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers } from "../../shapes.ts";
import { idFromPath } from "../../uuid.ts";
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
        summary: "Remove a sent message for sender and recipient",
        params: messagePath,
        response: { 200: envelope(changedShape), ...errorAnswers },
      },
      config: {
        errors: [
          "MESSAGES_NOT_FOUND",
          "CHANNEL_INVALID_TRANSPORT_FOR_DELETION",
          "MESSAGES_DELETION_TIME_EXPIRED",
          "MESSAGES_NOT_SENT",
          "MESSAGES_NOT_OUTGOING",
          "MESSAGES_ALREADY_DELETED",
          "MESSAGES_CHANGE_REFUSED",
        ],
      },
    },
    async (request) => {
      const messageId = idFromPath(request.params.id, "MESSAGES_NOT_FOUND");
      const removed = await removeMessage(core, scopeOf(request), messageId);
      return enveloped(core, { message_id: removed.messageId, chat_id: removed.chatId });
    },
  );
}
