import type { Core } from "../../../core/core.ts";
import { reactToMessage } from "../../../core/message/react.ts";
import { type App, scopeOf } from "../../app.ts";
import { REACTION_ERRORS } from "../../message/message-errors.ts";
import { errorAnswers, strictObject } from "../../schema/shapes.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { envelope, enveloped } from "../envelope.ts";
import { changedShape, emojiShape, messagePath } from "./message-shapes.ts";

const PATH = "/v2/messages/:id/reaction";
const answers = { params: messagePath, response: { 200: envelope(changedShape), ...errorAnswers } };

/** `PUT` and `DELETE /v2/messages/{id}/reaction` */
export function reactionRoutes(app: App, core: Core): void {
  app.put(
    PATH,
    {
      schema: {
        operationId: "reactToMessage",
        tags: ["messages"],
        summary: "React to a message of either side; replaces the channel's earlier reaction",
        body: strictObject({ emoji: emojiShape }),
        ...answers,
      },
      config: { errors: REACTION_ERRORS },
    },
    async (request) => {
      const messageId = idFromPath(request.params.id, "MESSAGES_NOT_FOUND");
      const changed = await reactToMessage(core, scopeOf(request), messageId, request.body.emoji);
      return enveloped(core, { message_id: changed.messageId, chat_id: changed.chatId });
    },
  );
  app.delete(
    PATH,
    {
      schema: {
        operationId: "removeReaction",
        tags: ["messages"],
        summary: "Remove the channel's reaction to a message",
        ...answers,
      },
      config: { errors: REACTION_ERRORS },
    },
    async (request) => {
      const messageId = idFromPath(request.params.id, "MESSAGES_NOT_FOUND");
      const changed = await reactToMessage(core, scopeOf(request), messageId, null);
      return enveloped(core, { message_id: changed.messageId, chat_id: changed.chatId });
    },
  );
}
