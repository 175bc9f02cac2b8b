import { type Static, Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import { messageV2Item } from "../../../core/payload/v2-message-item.ts";
import { messageItem } from "../../../core/payload/v2-shapes.ts";
import { type Position, positionOf } from "../../../core/position.ts";
import { type ReadChat, readChats } from "../../../core/reading/chats.ts";
import { readMessages } from "../../../core/reading/messages.ts";
import type { ReadRange } from "../../../core/reading/range.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, nullableString, patterned } from "../../schema/shapes.ts";
import { parseTime } from "../../schema/time.ts";
import { pageEnvelope, pageEnveloped } from "../envelope.ts";
import { chatPath, chatTypeShape } from "./chat-path.ts";

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
    channel_id: Type.String({ description: "Channel" }),
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
        response: { 200: pageEnvelope(messageItem), ...errorAnswers },
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

const FIRST_ID = "00000000-0000-0000-0000-000000000000";
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const LAST_YEAR = 2100;

/** What is stored at the given time is on neither side. */
function boundOf(given: string, field: "before" | "after"): Position {
  const time = parseTime(given);
  if (time === null) return positionOf(given, field);
  const year = time.getUTCFullYear();
  if (year < 1970 || year >= LAST_YEAR)
    throw new AppError("VALIDATION_ERROR", {
      data: { fields: [{ field, message: `must lie between 1970 and ${LAST_YEAR}` }] },
    });
  return { at: time.getTime() * 1_000, id: field === "before" ? FIRST_ID : LAST_ID };
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
