import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import { listColleagues } from "../../../core/inbox/colleagues.ts";
import { addNote, editNote, MAX_NOTE_LENGTH, removeNote } from "../../../core/inbox/entries.ts";
import { PRESENCES, tellPresence } from "../../../core/inbox/presence.ts";
import { markUnread, pinChat } from "../../../core/inbox/seen.ts";
import { assignChat, snoozeChat } from "../../../core/inbox/work.ts";
import type { App } from "../../app.ts";
import { errorAnswers, patterned } from "../../schema/shapes.ts";
import { parseTime } from "../../schema/time.ts";
import { chatOf, idPath, inboxOf } from "./session.ts";
import { chatShape, colleagueShape, entryShape } from "./shapes.ts";

const tags = ["pages"];
const CHAT = { errors: ["CHAT_NOT_FOUND"] } as const;
const user = Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Null()]);

/** What employees do with chats together: marks, assignment, snoozing and internal notes. */
export function togetherRoutes(app: App, core: Core): void {
  markRoutes(app, core);
  assignmentRoutes(app, core);
  snoozeRoute(app, core);
  noteRoutes(app, core);
  presenceRoute(app, core);
}

function markRoutes(app: App, core: Core): void {
  const answers = { params: idPath, response: { 200: chatShape, ...errorAnswers } };
  app.post(
    "/app/api/chats/:id/unread",
    {
      schema: {
        operationId: "markUnread",
        tags,
        summary: "Mark the chat as unread for the employee, until they open it again",
        body: Type.Object({}),
        ...answers,
      },
      config: CHAT,
    },
    (request) => markUnread(core, inboxOf(request), chatOf(request)),
  );
  app.put(
    "/app/api/chats/:id/pin",
    {
      schema: {
        operationId: "pinChat",
        tags,
        summary: "Keep the chat at the top of the employee's list, or no longer; at most 50 chats",
        body: Type.Object({ pinned: Type.Boolean() }),
        ...answers,
      },
      config: CHAT,
    },
    (request) => pinChat(core, inboxOf(request), chatOf(request), request.body.pinned),
  );
}

function assignmentRoutes(app: App, core: Core): void {
  app.get(
    "/app/api/colleagues",
    {
      schema: {
        operationId: "listColleagues",
        tags,
        summary: "Employees to whom a chat can be handed over",
        response: { 200: Type.Array(colleagueShape), ...errorAnswers },
      },
    },
    (request) => listColleagues(core, inboxOf(request)),
  );
  app.put(
    "/app/api/chats/:id/assignee",
    {
      schema: {
        operationId: "assignChat",
        tags,
        summary: "Assign the chat to an employee or to nobody, if it is still assigned as the page shows it",
        params: idPath,
        body: Type.Object({
          before: { ...user, description: "The assignee that the page shows; null: nobody" },
          assignee: { ...user, description: "Id of an employee; null: nobody" },
        }),
        response: {
          200: Type.Object({
            assigned: Type.Boolean({ description: "false: somebody else was first, and nothing changed" }),
            chat: chatShape,
          }),
          ...errorAnswers,
        },
      },
      config: { errors: ["CHAT_NOT_FOUND", "USER_NOT_FOUND"] },
    },
    (request) => assignChat(core, inboxOf(request), chatOf(request), request.body),
  );
}

function snoozeRoute(app: App, core: Core): void {
  app.put(
    "/app/api/chats/:id/snooze",
    {
      schema: {
        operationId: "snoozeChat",
        tags,
        summary:
          "Take the chat out of everybody's lists until a time, or until its customer writes; then it is unread",
        params: idPath,
        body: Type.Object({
          until: Type.Union([Type.String({ maxLength: 40 }), Type.Null()], {
            description: "At most a year ahead; null ends a snooze",
          }),
        }),
        response: { 200: chatShape, ...errorAnswers },
      },
      config: CHAT,
    },
    (request) => {
      const { until } = request.body;
      return snoozeChat(core, inboxOf(request), chatOf(request), until === null ? null : timeOf(until));
    },
  );
}

function timeOf(text: string): Date {
  const time = parseTime(text);
  if (time !== null) return time;
  throw new AppError("VALIDATION_ERROR", {
    data: { fields: [{ field: "until", message: "must be a time, as 2030-01-02T03:04:05Z" }] },
  });
}

function noteRoutes(app: App, core: Core): void {
  const text = Type.String({ minLength: 1, maxLength: MAX_NOTE_LENGTH });
  const answer = { 200: entryShape, ...errorAnswers };
  app.post(
    "/app/api/chats/:id/notes",
    {
      schema: {
        operationId: "addNote",
        tags,
        summary: "Write an internal note, which only employees see",
        params: idPath,
        body: Type.Object({
          id: patterned("uuid", {
            description: "Chosen by the page; a request repeated with the same id is stored once",
          }),
          text,
        }),
        response: answer,
      },
      config: { errors: ["CHAT_NOT_FOUND", "MESSAGES_NOT_FOUND"] },
    },
    (request) => {
      const { id, text: note } = request.body;
      return addNote(core, inboxOf(request), chatOf(request), { id: id.toLowerCase(), text: note });
    },
  );
  const own = { errors: ["MESSAGES_NOT_FOUND", "FORBIDDEN"] } as const;
  app.patch(
    "/app/api/notes/:id",
    {
      schema: {
        operationId: "editNote",
        tags,
        summary: "Change the employee's own note",
        params: idPath,
        body: Type.Object({ text }),
        response: answer,
      },
      config: own,
    },
    (request) => editNote(core, inboxOf(request), request.params.id.toLowerCase(), request.body.text),
  );
  app.delete(
    "/app/api/notes/:id",
    {
      schema: {
        operationId: "removeNote",
        tags,
        summary: "Delete the employee's own note",
        params: idPath,
        response: answer,
      },
      config: own,
    },
    (request) => removeNote(core, inboxOf(request), request.params.id.toLowerCase()),
  );
}

function presenceRoute(app: App, core: Core): void {
  app.post(
    "/app/api/chats/:id/presence",
    {
      schema: {
        operationId: "tellPresence",
        tags,
        summary:
          "Tell colleagues that the employee looks at the chat, for 25 seconds, types in it, for 8, or has left it",
        params: idPath,
        body: Type.Object({
          state: Type.Unsafe<(typeof PRESENCES)[number]>({ type: "string", enum: [...PRESENCES] }),
          asks: Type.Boolean({ description: "The others who are in the chat shall tell it" }),
        }),
        response: { 200: Type.Object({}), ...errorAnswers },
      },
      config: CHAT,
    },
    async (request) => {
      await tellPresence(core, inboxOf(request), chatOf(request), request.body);
      return {};
    },
  );
}
