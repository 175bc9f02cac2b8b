import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { markChat } from "../../../core/message/mark.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { MARK_ERRORS } from "../../message/message-errors.ts";
import { errorAnswers, patterned, strictObject } from "../../schema/shapes.ts";
import { envelope, enveloped } from "../envelope.ts";
import { chatPath } from "./chat-path.ts";

const body = Type.Optional(
  strictObject(
    {
      channel_id: Type.Optional(
        patterned("uuid", { description: "The channel; required if several channels have the chat" }),
      ),
    },
    { title: "ChatMark" },
  ),
);

const MARKS = [
  ["read", "markChatAsRead", "Show the people of a chat that their messages were read"],
  [
    "typing",
    "showTyping",
    "Show the people of a chat that somebody is typing: for some seconds, or until a message is sent",
  ],
] as const;

/** `POST /v2/chats/{chat_type}/{chat_id}/read` and `/typing` */
export function chatMarkRoutes(app: App, core: Core): void {
  for (const [mark, operationId, summary] of MARKS) {
    app.post(
      `/v2/chats/:chat_type/:chat_id/${mark}`,
      {
        schema: {
          operationId,
          tags: ["chats"],
          summary,
          params: chatPath,
          body,
          response: { 200: envelope(Type.Null()), ...errorAnswers },
        },
        config: { errors: MARK_ERRORS },
      },
      (request, reply) =>
        answerOnce(core, request, reply, async () => {
          const { chat_type: chatType, chat_id: chatId } = request.params;
          const channelId = request.body?.channel_id?.toLowerCase() ?? null;
          await markChat(core, scopeOf(request), { chatType, chatId, channelId }, mark);
          return enveloped(core, null);
        }),
    );
  }
}
