import { type Static, Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { messageV2Item } from "../../../core/payload/v2-message-item.ts";
import { messageItem } from "../../../core/payload/v2-shapes.ts";
import { type ReadChat, readChats } from "../../../core/reading/chats.ts";
import { readMessages } from "../../../core/reading/messages.ts";
import type { ReadRange } from "../../../core/reading/range.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, nullableString, patterned, uuidText } from "../../schema/shapes.ts";
import { pageEnvelope, pageEnveloped } from "../envelope.ts";
import { messagePage } from "../messages/message-page.ts";
import { chatPath, chatTypeShape } from "./chat-path.ts";
import { boundOf } from "./range.ts";

const tags = ["chats"];
const LIMIT = 50;
const position = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 100, description }));

const pageQuery = Type.Object({
  channel_id: Type.Optional(patterned("uuid", { description: "Only of this channel" })),
  before: position("Only what is older: a cursor from `meta.next`, or a time"),
  after: position("Only what is newer: a cursor from `meta.next`, or a time. Alone: oldest first"),
  limit: Type.Optional(
    patterned("pageLimit", {
      description: "1 to 100; default 50. A page of long texts is shorter",
    }),
  ),
});

const chatShape = Type.Object(
  {
    channel_id: uuidText({ description: "Channel" }),
    transport: Type.String({ description: "Kind of channel" }),
    chat_type: chatTypeShape,
    chat_id: Type.String({ description: "The chat's id in the messenger" }),
    name: Type.String({ description: "Name in the messenger; of a group, its title" }),
    username: { ...nullableString, description: "Username without @" },
    phone: { ...nullableString, description: "International, digits only" },
    avatar_uri: { ...nullableString, description: "Link to the picture" },
    unanswered: Type.Integer({ description: "Unanswered messages of the last seven days, at most 1,000" }),
    last_message: Type.Union([messageItem, Type.Null()], {
      description: "The last message, as in `message.add`",
    }),
  },
  { title: "Chat" },
);

/** `GET /v2/chats` and `GET /v2/chats/{chat_type}/{chat_id}/messages` */
export function chatReadingRoutes(app: App, core: Core): void {
  app.get(
    "/v2/chats",
    {
      schema: {
        operationId: "listChats",
        tags,
        summary:
          "List chats, most recent message first. While messages arrive, chats move to the top of the list",
        querystring: pageQuery,
        response: { 200: pageEnvelope(chatShape), ...errorAnswers },
      },
      config: { errors: ["CHANNEL_NOT_FOUND"] },
    },
    async (request) => {
      const { items, next } = await readChats(core, scopeOf(request), rangeOf(request.query));
      return pageEnveloped(core, { items: items.map(chatItem), next });
    },
  );
  app.get(
    "/v2/chats/:chat_type/:chat_id/messages",
    {
      schema: {
        operationId: "listMessages",
        tags,
        summary:
          "List the messages of a chat, newest first, as the event `message.add` contains them. The order, and times in `before` and `after`, are those at which the service stored the messages; of imported messages, those at which they were sent",
        params: chatPath,
        querystring: pageQuery,
        response: { 200: messagePage, ...errorAnswers },
      },
      config: { errors: ["CHANNEL_NOT_FOUND", "CHAT_NOT_FOUND"] },
    },
    async (request) => {
      const { chat_type: chatType, chat_id: chatId } = request.params;
      const range = rangeOf(request.query);
      const { items, next } = await readMessages(core, scopeOf(request), { chatType, chatId }, range);
      return pageEnveloped(core, { items: items.map((fact) => messageV2Item(fact)), next });
    },
  );
}

function rangeOf({ channel_id: channelId, before, after, limit }: Static<typeof pageQuery>): ReadRange {
  return {
    channelId: channelId?.toLowerCase() ?? null,
    before: before === undefined ? null : boundOf(before, "before"),
    after: after === undefined ? null : boundOf(after, "after"),
    limit: limit === undefined ? LIMIT : Number(limit),
  };
}

function chatItem(chat: ReadChat): Static<typeof chatShape> {
  return {
    channel_id: chat.channelId,
    transport: chat.transport,
    chat_type: chat.chatType,
    chat_id: chat.chatId,
    name: chat.name,
    username: chat.username,
    phone: chat.phone,
    avatar_uri: chat.avatarUri,
    unanswered: chat.unanswered,
    last_message: chat.lastMessage === null ? null : messageV2Item(chat.lastMessage),
  };
}
