import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { editMessage } from "../../../core/message/change.ts";
import { type App, scopeOf } from "../../app.ts";
import { EDIT_ERRORS } from "../../message/message-errors.ts";
import { errorAnswers } from "../../schema/shapes.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { inV3Names } from "./fields.ts";
import { authorOf, authorShape, changedShape, contentUriShape, messagePath } from "./message-shapes.ts";

const body = Type.Object({
  text: Type.Optional(Type.String({ description: "The new text; one of text and contentUri is required" })),
  contentUri: Type.Optional(contentUriShape),
  crmUserId: Type.Optional(authorShape),
});

/** `PATCH /v3/message/{id}` */
export function editMessageRoute(app: App, core: Core): void {
  app.patch(
    "/v3/message/:id",
    {
      schema: {
        operationId: "editV3Message",
        tags: ["messages"],
        summary: "Edit a sent message in the messenger, within 15 minutes of its delivery",
        params: messagePath,
        body,
        response: { 200: changedShape, ...errorAnswers },
      },
      config: {
        emptyIsAbsent: ["text", "contentUri", "crmUserId"],
        errors: EDIT_ERRORS,
        body: "message",
      },
    },
    (request) => {
      const scope = scopeOf(request);
      const messageId = idFromPath(request.params.id, "MESSAGES_NOT_FOUND");
      const { text, contentUri, crmUserId } = request.body;
      return inV3Names({}, () =>
        editMessage(core, scope, messageId, {
          ...(text === undefined ? {} : { text }),
          ...(contentUri === undefined ? {} : { attachment: { url: contentUri } }),
          ...authorOf(scope, crmUserId),
        }),
      );
    },
  );
}
