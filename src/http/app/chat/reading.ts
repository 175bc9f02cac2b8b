import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import { getAbilities, listChannels } from "../../../core/inbox/abilities.ts";
import { countWaiting, getChat, listChats } from "../../../core/inbox/chat-list.ts";
import { GALLERY_KINDS, type GalleryKind, readGallery } from "../../../core/inbox/gallery.ts";
import { listChatTemplates } from "../../../core/inbox/templates.ts";
import { readThread, type ThreadPart } from "../../../core/inbox/thread.ts";
import { positionOf } from "../../../core/position.ts";
import { isUuid } from "../../../platform/ids.ts";
import type { App } from "../../app.ts";
import { errorAnswers, nullableString, patterned } from "../../schema/shapes.ts";
import { chatOf, idPath, inboxOf } from "./session.ts";
import {
  abilitiesShape,
  channelViewShape,
  chatShape,
  entryShape,
  messageShape,
  templateShape,
} from "./shapes.ts";

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
  galleryRoute(app, core);
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
          transport: Type.Optional(
            Type.String({ maxLength: 50, description: "Only chats of this messenger" }),
          ),
          channel_id: Type.Optional(patterned("uuid", { description: "Only chats of this channel" })),
          assigned: Type.Optional(
            Type.Unsafe<"mine" | "nobody">({
              type: "string",
              enum: ["mine", "nobody"],
              description: "Only chats assigned to the employee, or to nobody",
            }),
          ),
          failed: Type.Optional(
            Type.Literal("true", {
              description: "Only chats of the last seven days whose last message could not be sent",
            }),
          ),
          snoozed: Type.Optional(Type.Literal("true", { description: "Only snoozed chats" })),
        }),
        response: {
          200: Type.Object({
            chats: Type.Array(chatShape),
            pinned: Type.Array(chatShape, {
              description:
                "On the first page without search and filter: the chats that the employee has pinned, also if `chats` has them",
            }),
            next: {
              ...nullableString,
              description:
                "Of the next page; with a filter, a page may be short, or empty, although there are more",
            },
          }),
          ...errorAnswers,
        },
      },
      config: { errors: ["CHANNEL_NOT_FOUND"] },
    },
    async (request) => {
      const { before, search, transport, channel_id: channelId, assigned, failed, snoozed } = request.query;
      return listChats(core, inboxOf(request), {
        before: before === undefined ? null : positionOf(before, "before"),
        limit: limitOf(request.query),
        search: search?.trim() ?? "",
        onlyUnanswered: request.query.unanswered !== undefined,
        filter: {
          transport: transport ?? null,
          channelId: channelId?.toLowerCase() ?? null,
          assigned: assigned ?? null,
          onlyFailed: failed !== undefined,
          onlySnoozed: snoozed !== undefined,
        },
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
  around: Type.Optional(Type.String({ maxLength: 100, description: "Id of a message or an internal note" })),
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
            entries: Type.Array(entryShape, {
              description:
                "Internal notes and changes of this part; `order` places them between the messages",
            }),
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

function galleryRoute(app: App, core: Core): void {
  app.get(
    "/app/api/chats/:id/gallery",
    {
      schema: {
        operationId: "listGallery",
        tags,
        summary: "Messages of a chat with pictures, videos, other files or links, newest first",
        params: idPath,
        querystring: Type.Object({
          kind: Type.Unsafe<GalleryKind>({ type: "string", enum: [...GALLERY_KINDS] }),
          limit,
          before: cursor,
        }),
        response: {
          200: Type.Object({
            messages: Type.Array(messageShape),
            next: {
              ...nullableString,
              description: "Cursor of the next page, also after one without messages; null: there is none",
            },
          }),
          ...errorAnswers,
        },
      },
      config: CHAT,
    },
    (request) => {
      const { kind, before } = request.query;
      return readGallery(core, inboxOf(request), chatOf(request), {
        kind,
        before: before === undefined ? null : positionOf(before, "before"),
        limit: limitOf(request.query),
      });
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
        summary:
          "Count the employee's unanswered messages of the last seven days, in the chats that the page shows",
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
      const { counter, type, lastMessageAt } = await countWaiting(core, inboxOf(request));
      return { counter, type, last_message_at: lastMessageAt?.toISOString() ?? null };
    },
  );
}
