import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { findMessages } from "../../../core/inbox/found-messages.ts";
import { messageV2Item } from "../../../core/payload/v2-message-item.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, patterned } from "../../schema/shapes.ts";
import { boundOf } from "../chats/range.ts";
import { pageEnveloped } from "../envelope.ts";
import { messagePage } from "./message-page.ts";

const LIMIT = 50;

/** `GET /v2/messages/search` */
export function searchMessagesRoute(app: App, core: Core): void {
  app.get(
    "/v2/messages/search",
    {
      schema: {
        operationId: "searchMessages",
        tags: ["messages"],
        summary:
          "Find messages by their words in all chats, newest first. Messages of the last seconds may be missing",
        querystring: Type.Object({
          text: Type.String({
            minLength: 1,
            maxLength: 200,
            pattern: "\\S",
            description:
              "Words that the message has, in any order; each also matches the beginning of a word",
          }),
          before: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 100,
              description: "Only what is older: a cursor from `meta.next`, or a time",
            }),
          ),
          limit: Type.Optional(
            patterned("pageLimit", { description: "1 to 100; default 50. A page of long texts is shorter" }),
          ),
        }),
        response: { 200: messagePage, ...errorAnswers },
      },
    },
    async (request) => {
      const { text, before, limit } = request.query;
      const { items, next } = await findMessages(core, scopeOf(request), {
        text,
        before: before === undefined ? null : boundOf(before, "before"),
        limit: limit === undefined ? LIMIT : Number(limit),
      });
      return pageEnveloped(core, { items: items.map((fact) => messageV2Item(fact)), next });
    },
  );
}
