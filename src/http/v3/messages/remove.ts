import type { Core } from "../../../core/core.ts";
import { removeMessage } from "../../../core/message/change.ts";
import { type App, scopeOf } from "../../app.ts";
import { REMOVAL_ERRORS } from "../../message/message-errors.ts";
import { errorAnswers } from "../../schema/shapes.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { changedShape, messagePath } from "./message-shapes.ts";

/** `DELETE /v3/message/{id}` */
export function removeMessageRoute(app: App, core: Core): void {
  app.delete(
    "/v3/message/:id",
    {
      schema: {
        operationId: "removeV3Message",
        tags: ["messages"],
        summary: "Delete a sent message for both sides",
        params: messagePath,
        response: { 200: changedShape, ...errorAnswers },
      },
      config: { errors: REMOVAL_ERRORS },
    },
    (request) => removeMessage(core, scopeOf(request), idFromPath(request.params.id, "MESSAGES_NOT_FOUND")),
  );
}
