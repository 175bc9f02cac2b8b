import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { countUnanswered } from "../../../core/crm/unanswered.ts";
import { AppError } from "../../../core/errors.ts";
import { getAbilities, listChannels } from "../../../core/inbox/abilities.ts";
import { getChat, listChats } from "../../../core/inbox/chat-list.ts";
import { listChatTemplates } from "../../../core/inbox/templates.ts";
import { readThread, type ThreadPart } from "../../../core/inbox/thread.ts";
import { positionOf } from "../../../core/position.ts";
import { isUuid } from "../../../platform/ids.ts";
import type { App } from "../../app.ts";
import { errorAnswers, nullableString } from "../../schema/shapes.ts";
import { chatOf, idPath, inboxOf } from "./session.ts";
import { abilitiesShape, channelViewShape, chatShape, messageShape, templateShape } from "./shapes.ts";

const tags = ["pages"];
const LIMIT = 50;
export const limit = Type.Optional(
  Type.String({ pattern: "^([1-9]|[1-9][0-9]|100)$", description: "1 to 100" }),
);
export const cursor = Type.Optional(Type.String({ maxLength: 100 }));
const CHAT = { errors: ["CHAT_NOT_FOUND"] } as const;

/** The chat page's read routes. */
export function readingRoutes(app: App, core: Core): void {
  listRoute(app, core);
  chatRoute(app, core);
  threadRoute(app, core);
  abilityRoutes(app, core);
  unansweredRoute(app, core);
}

function listRoute(app: App, core: Core): void {
  app.get(
    "/app/api/chats",
    {
      schema: {
        operationId: "listChats",
        tags,
        summary: "List chats, most recent message first",
        querystring: Type.Object({
          limit,
          before: cursor,
          search: Type.Optional(
            Type.String({ maxLength: 100, description: "Part of a name, phone number or username" }),
          ),
          unanswered: Type.Optional(
            Type.Literal("true", { description: "Only chats with unanswered messages" }),
          ),
        }),
        response: {
          200: Type.Object({ chats: Type.Array(chatShape), next: nullableString }),
          ...errorAnswers,
        },
      },
    },
    async (request) => {
      const { before, search } = request.query;
      return listChats(core, inboxOf(request), {
        before: before === undefined ? null : positionOf(before, "before"),
        limit: limitOf(request.query),
        search: search?.trim() ?? "",
        onlyUnanswered: request.query.unanswered !== undefined,
      });
    },
  );
}

export function limitOf({ limit: given }: { readonly limit?: string }): number {
  return given === undefined ? LIMIT : Number(given);
}

function chatRoute(app: App, core: Core): void {
  app.get(
    "/app/api/chats/:id",
    {
      schema: {
        operationId: "getChat",
        tags,
        summary: "A chat",
        params: idPath,
        response: { 200: chatShape, ...errorAnswers },
      },
      config: CHAT,
    },
    (request) => getChat(core, inboxOf(request), chatOf(request)),
  );
}

const partQuery = Type.Object({
  limit,
  before: cursor,
  after: cursor,
  around: Type.Optional(Type.String({ maxLength: 100, description: "Id of a message" })),
});

function threadRoute(app: App, core: Core): void {
  app.get(
    "/app/api/chats/:id/messages",
    {
      schema: {
        operationId: "listMessages",
        tags,
        summary:
          "Messages of a chat, oldest first: the end of the chat, or those before, after or around a position",
        params: idPath,
        querystring: partQuery,
        response: {
          200: Type.Object({
            messages: Type.Array(messageShape),
            before: { ...nullableString, description: "Cursor of the previous page; null: there is none" },
            after: nullableString,
          }),
          ...errorAnswers,
        },
      },
      config: { errors: ["CHAT_NOT_FOUND", "MESSAGES_NOT_FOUND"] },
    },
    async (request) => {
      const asked = { part: partOf(request.query), limit: limitOf(request.query) };
      return readThread(core, inboxOf(request), chatOf(request), asked);
    },
  );
}

function partOf({ before, after, around }: { before?: string; after?: string; around?: string }): ThreadPart {
  if (around !== undefined) {
    if (!isUuid(around)) throw new AppError("MESSAGES_NOT_FOUND");
    return { kind: "around", messageId: around.toLowerCase() };
  }
  if (before !== undefined) return { kind: "before", position: positionOf(before, "before") };
  if (after !== undefined) return { kind: "after", position: positionOf(after, "after") };
  return { kind: "end" };
}

function abilityRoutes(app: App, core: Core): void {
  app.get(
    "/app/api/chats/:id/abilities",
    {
      schema: {
        operationId: "getAbilities",
        tags,
        summary: "What can be done in a chat, by its messenger and the state of its channel",
        params: idPath,
        response: { 200: abilitiesShape, ...errorAnswers },
      },
      config: { errors: ["CHAT_NOT_FOUND", "TRANSPORT_NOT_AVAILABLE"] },
    },
    (request) => getAbilities(core, inboxOf(request), chatOf(request)),
  );
  app.get(
    "/app/api/chats/:id/templates",
    {
      schema: {
        operationId: "listChatTemplates",
        tags,
        summary: "Approved templates that can be sent in a chat",
        params: idPath,
        response: { 200: Type.Array(templateShape), ...errorAnswers },
      },
      config: CHAT,
    },
    (request) => listChatTemplates(core, inboxOf(request), chatOf(request)),
  );
  app.get(
    "/app/api/chat-channels",
    {
      schema: {
        operationId: "listChatChannels",
        tags,
        summary: "Channels in which a chat can be started",
        response: { 200: Type.Array(channelViewShape), ...errorAnswers },
      },
    },
    (request) => listChannels(core, inboxOf(request)),
  );
}

function unansweredRoute(app: App, core: Core): void {
  app.get(
    "/app/api/unanswered",
    {
      schema: {
        operationId: "getUnanswered",
        tags,
        summary: "Count the employee's unanswered messages of the last seven days",
        response: {
          200: Type.Object({
            counter: Type.Integer(),
            type: Type.Union([
              Type.Unsafe<"red" | "grey">({ type: "string", enum: ["red", "grey"] }),
              Type.Null(),
            ]),
            last_message_at: nullableString,
          }),
          ...errorAnswers,
        },
      },
    },
    async (request) => {
      const { scope, opening } = inboxOf(request);
      const { counter, type, lastMessageAt } = await countUnanswered(core, scope, opening.userId).catch(
        ofNobody,
      );
      return { counter, type, last_message_at: lastMessageAt?.toISOString() ?? null };
    },
  );
}

/** An employee who is not uploaded has no unanswered messages. */
function ofNobody(error: unknown): Awaited<ReturnType<typeof countUnanswered>> {
  if (error instanceof AppError && error.code === "USER_NOT_FOUND")
    return { counter: 0, type: null, lastMessageAt: null };
  throw error;
}
