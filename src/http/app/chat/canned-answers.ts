import { Type } from "typebox";
import {
  addCannedAnswer,
  changeCannedAnswer,
  listCannedAnswers,
  MAX_NAME_LENGTH,
  MAX_TEXT_LENGTH,
  removeCannedAnswer,
} from "../../../core/canned-answer/canned-answers.ts";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import { isUuid } from "../../../platform/ids.ts";
import type { App } from "../../app.ts";
import { errorAnswers, patterned } from "../../schema/shapes.ts";
import { idPath, inboxOf } from "./session.ts";

const tags = ["pages"];
const name = patterned("answerName", {
  maxLength: MAX_NAME_LENGTH,
  description: "Typed after `/`; unique within the account regardless of case",
});
const text = patterned("notBlank", {
  maxLength: MAX_TEXT_LENGTH,
  description: "`{{contact}}` and `{{employee}}` are filled in by the page",
});
const version = Type.Integer({ minimum: 1, description: "Grows with each change" });
const order = Type.Integer({ description: "Its place in lists" });
const answerShape = Type.Object({ id: Type.String(), name, text, order, version });

/** `/app/api/canned-answers`: texts that all employees of the account share. */
export function cannedAnswerRoutes(app: App, core: Core): void {
  listRoute(app, core);
  addRoute(app, core);
  changeRoute(app, core);
  removeRoute(app, core);
}

function listRoute(app: App, core: Core): void {
  app.get(
    "/app/api/canned-answers",
    {
      schema: {
        operationId: "listCannedAnswers",
        tags,
        summary: "All canned answers of the account, by `order` and name",
        response: { 200: Type.Array(answerShape), ...errorAnswers },
      },
    },
    (request) => listCannedAnswers(core.db, inboxOf(request).scope),
  );
}

function addRoute(app: App, core: Core): void {
  app.post(
    "/app/api/canned-answers",
    {
      schema: {
        operationId: "addCannedAnswer",
        tags,
        summary: "Add a canned answer",
        body: Type.Object({
          id: patterned("uuid", { description: "Made by the page: the same request again adds nothing" }),
          name,
          text,
        }),
        response: { 201: answerShape, ...errorAnswers },
      },
      config: { errors: ["CANNED_ANSWER_NAME_TAKEN", "CANNED_ANSWER_CHANGED", "QUOTA_EXCEEDED"] },
    },
    async (request, reply) => {
      const { id, ...content } = request.body;
      const added = await addCannedAnswer(core, inboxOf(request).scope, {
        id: id.toLowerCase(),
        ...content,
        order: 0,
      });
      return reply.code(201).send(added);
    },
  );
}

function changeRoute(app: App, core: Core): void {
  app.patch(
    "/app/api/canned-answers/:id",
    {
      schema: {
        operationId: "changeCannedAnswer",
        tags,
        summary: "Change a canned answer, unless somebody else has changed it since it was read",
        params: idPath,
        body: Type.Object({ version, name, text }),
        response: { 200: answerShape, ...errorAnswers },
      },
      config: {
        errors: ["CANNED_ANSWER_NOT_FOUND", "CANNED_ANSWER_NAME_TAKEN", "CANNED_ANSWER_CHANGED"],
      },
    },
    (request) => {
      const { name, text, version } = request.body;
      return changeCannedAnswer(core, inboxOf(request).scope, { id: answerOf(request), name, text, version });
    },
  );
}

function removeRoute(app: App, core: Core): void {
  app.delete(
    "/app/api/canned-answers/:id",
    {
      schema: {
        operationId: "removeCannedAnswer",
        tags,
        summary: "Delete a canned answer, unless somebody else has changed it since it was read",
        params: idPath,
        querystring: Type.Object({
          version: Type.String({ pattern: "^[1-9][0-9]{0,8}$", description: "The version that was read" }),
        }),
        response: { 200: Type.Object({}), ...errorAnswers },
      },
      config: { errors: ["CANNED_ANSWER_NOT_FOUND", "CANNED_ANSWER_CHANGED"] },
    },
    async (request) => {
      const state = { id: answerOf(request), version: Number(request.query.version) };
      await removeCannedAnswer(core, inboxOf(request).scope, state);
      return {};
    },
  );
}

/** Throws CANNED_ANSWER_NOT_FOUND if it is not a valid id. */
function answerOf({ params: { id } }: { readonly params: { readonly id: string } }): string {
  if (!isUuid(id)) throw new AppError("CANNED_ANSWER_NOT_FOUND");
  return id.toLowerCase();
}
