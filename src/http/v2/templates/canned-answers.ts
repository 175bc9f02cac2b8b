import { type Static, Type } from "typebox";
import {
  addCannedAnswer,
  type CannedAnswer,
  changeCannedAnswer,
  getCannedAnswer,
  listCannedAnswers,
  MAX_NAME_LENGTH,
  MAX_TEXT_LENGTH,
  removeCannedAnswer,
} from "../../../core/canned-answer/canned-answers.ts";
import type { Core } from "../../../core/core.ts";
import { newId } from "../../../platform/ids.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, patterned, strictObject } from "../../schema/shapes.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { envelope, enveloped } from "../envelope.ts";

const PATH = "/v2/templates/wz";
const BY_ID = `${PATH}/:template_id`;
const tags = ["templates"];

const name = patterned("answerName", {
  minLength: 1,
  maxLength: MAX_NAME_LENGTH,
  description: "One word, typed after `/` on the chat page; unique within the account regardless of case",
});
const text = patterned("notBlank", {
  maxLength: MAX_TEXT_LENGTH,
  description: "The text; the chat page fills in `{{contact}}` and `{{employee}}`",
});
const order = Type.Integer({
  minimum: -2_147_483_648,
  maximum: 2_147_483_647,
  description: "Its place in lists; answers with the same place are sorted by name",
});
const files = Type.Array(Type.Unknown(), { maxItems: 0, description: "Canned answers have no files" });

const body = strictObject({ name, text, order: Type.Optional(order), files: Type.Optional(files) });
const change = strictObject({
  name: Type.Optional(name),
  text: Type.Optional(text),
  order: Type.Optional(order),
  files: Type.Optional(files),
});
const answerShape = Type.Object(
  {
    template_id: Type.String({ description: "Id of the canned answer" }),
    name: Type.String({ description: "Its name" }),
    text: Type.String({ description: "Its text" }),
    order,
    files,
  },
  { title: "CannedAnswer" },
);
const path = Type.Object({ template_id: Type.String({ description: "Id of the canned answer" }) });

function answerOf({ id, name, text, order }: CannedAnswer): Static<typeof answerShape> {
  return { template_id: id, name, text, order, files: [] };
}

const idOf = ({ template_id: id }: Static<typeof path>): string => idFromPath(id, "CANNED_ANSWER_NOT_FOUND");

/** `/v2/templates/wz`: the canned answers of the account, which the chat page offers to its employees. */
export function cannedAnswerRoutes(app: App, core: Core): void {
  readRoutes(app, core);
  addRoute(app, core);
  changeRoutes(app, core);
}

function readRoutes(app: App, core: Core): void {
  app.get(
    PATH,
    {
      schema: {
        operationId: "listCannedAnswers",
        tags,
        summary: "List the canned answers of the account, by order and name",
        response: { 200: envelope(Type.Array(answerShape)), ...errorAnswers },
      },
    },
    async (request) => {
      const answers = await listCannedAnswers(core.db, scopeOf(request));
      return enveloped(core, answers.map(answerOf));
    },
  );
  app.get(
    BY_ID,
    {
      schema: {
        operationId: "getCannedAnswer",
        tags,
        summary: "Get a canned answer",
        params: path,
        response: { 200: envelope(answerShape), ...errorAnswers },
      },
      config: { errors: ["CANNED_ANSWER_NOT_FOUND"] },
    },
    async (request) => {
      const found = await getCannedAnswer(core.db, scopeOf(request), idOf(request.params));
      return enveloped(core, answerOf(found));
    },
  );
}

function addRoute(app: App, core: Core): void {
  app.post(
    PATH,
    {
      schema: {
        operationId: "addCannedAnswer",
        tags,
        summary: "Add a canned answer",
        body,
        response: { 200: envelope(answerShape), ...errorAnswers },
      },
      config: { errors: ["CANNED_ANSWER_NAME_TAKEN", "QUOTA_EXCEEDED"] },
    },
    (request, reply) =>
      answerOnce(core, request, reply, async (operationId) => {
        const { name, text, order = 0 } = request.body;
        const content = { id: operationId ?? newId(), name, text, order };
        return enveloped(core, answerOf(await addCannedAnswer(core, scopeOf(request), content)));
      }),
  );
}

function changeRoutes(app: App, core: Core): void {
  app.patch(
    BY_ID,
    {
      schema: {
        operationId: "changeCannedAnswer",
        tags,
        summary: "Change a canned answer; omitted fields keep their value",
        params: path,
        body: change,
        response: { 200: envelope(answerShape), ...errorAnswers },
      },
      config: { errors: ["CANNED_ANSWER_NOT_FOUND", "CANNED_ANSWER_NAME_TAKEN"] },
    },
    async (request) => {
      const { files: _, ...content } = request.body;
      const state = { id: idOf(request.params), version: null };
      return enveloped(
        core,
        answerOf(await changeCannedAnswer(core, scopeOf(request), { ...state, ...content })),
      );
    },
  );
  app.delete(
    BY_ID,
    {
      schema: {
        operationId: "removeCannedAnswer",
        tags,
        summary: "Delete a canned answer",
        params: path,
        response: { 200: envelope(Type.Null()), ...errorAnswers },
      },
      config: { errors: ["CANNED_ANSWER_NOT_FOUND"] },
    },
    async (request) => {
      await removeCannedAnswer(core, scopeOf(request), { id: idOf(request.params), version: null });
      return enveloped(core, null);
    },
  );
}
