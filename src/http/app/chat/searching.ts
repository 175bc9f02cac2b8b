import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { type SearchQuery, searchChat, searchMessages } from "../../../core/inbox/search.ts";
import { positionOf } from "../../../core/position.ts";
import type { App } from "../../app.ts";
import { errorAnswers, nullableString } from "../../schema/shapes.ts";
import { cursor, limit, limitOf } from "./reading.ts";
import { chatOf, idPath, inboxOf } from "./session.ts";
import { chatShape, entryShape, writtenShape } from "./shapes.ts";

const tags = ["pages"];
const querystring = Type.Object({
  q: Type.String({ maxLength: 200, description: "Words; each matches as a prefix" }),
  limit,
  before: cursor,
});
const response = {
  200: Type.Object({
    found: Type.Array(writtenShape),
    notes: Type.Array(Type.Object({ note: entryShape, chat: chatShape }), {
      description: "On the first page: internal notes with all of these words, newest first, at most 20",
    }),
    next: nullableString,
  }),
  ...errorAnswers,
};

/** Full-text search of messages. */
export function searchingRoutes(app: App, core: Core): void {
  app.get(
    "/app/api/search",
    {
      schema: {
        operationId: "searchMessages",
        tags,
        summary: "Messages with all of these words, newest first",
        querystring,
        response,
      },
    },
    (request) => searchMessages(core, inboxOf(request), queryOf(request.query)),
  );
  app.get(
    "/app/api/chats/:id/search",
    {
      schema: {
        operationId: "searchChat",
        tags,
        summary: "Messages of one chat with all of these words, newest first",
        params: idPath,
        querystring,
        response,
      },
      config: { errors: ["CHAT_NOT_FOUND"] },
    },
    (request) => searchChat(core, inboxOf(request), chatOf(request), queryOf(request.query)),
  );
}

function queryOf(query: {
  readonly q: string;
  readonly limit?: string;
  readonly before?: string;
}): SearchQuery {
  const { q, before } = query;
  return {
    text: q,
    before: before === undefined ? null : positionOf(before, "before"),
    limit: limitOf(query),
  };
}
