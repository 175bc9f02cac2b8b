import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { changeTemplate, createTemplate, removeTemplate } from "../../../core/template/change.ts";
import { getTemplate, listTemplates, type StoredTemplate } from "../../../core/template/templates.ts";
import type { TemplateComponent } from "../../../core/transport/template.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, patterned, strictObject } from "../../schema/shapes.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { templateFields, templatePage, templatePageQuery, templateProperties } from "../../template-page.ts";
import { envelope, enveloped } from "../envelope.ts";

const PATH = "/v2/templates/waba";
const BY_ID = `${PATH}/:template_id`;
const templateAnswer = Type.Object(
  {
    template_id: Type.String({ description: "What template.id takes" }),
    ...templateProperties,
  },
  { title: "Template" },
);
function answerOf(template: StoredTemplate) {
  return { template_id: template.id, ...templateFields(template) };
}

const tags = ["templates"];
const category = Type.Enum(["AUTHENTICATION", "MARKETING", "UTILITY"]);
const components = Type.Array(
  Type.Unsafe<TemplateComponent>({
    type: "object",
    required: ["type"],
    properties: { type: { type: "string", description: "HEADER, BODY, FOOTER or BUTTONS" } },
  }),
  {
    minItems: 1,
    maxItems: 10,
    description: "As the messenger defines them; text has variables such as {{1}}",
  },
);
const templateId = patterned("uuid", { description: "Id of the template" });
const CHANGE_ERRORS = [
  "TEMPLATE_NOT_FOUND",
  "TEMPLATE_REFUSED",
  "MESSAGE_CHANNEL_UNAVAILABLE",
  "MESSENGER_UNAVAILABLE",
] as const;

/** `/v2/templates/waba`: templates of the WhatsApp Business Platform. */
export function templateRoutes(app: App, core: Core): void {
  listRoute(app, core);
  getRoute(app, core);
  createRoute(app, core);
  changeRoute(app, core);
  changeByIdRoute(app, core);
  removeRoute(app, core);
  removeByIdRoute(app, core);
}

/** The template's fields may also be in an object `template`; fields beside it keep their place. */
function unwrap(request: FastifyRequest, _reply: unknown, done: () => void): void {
  const body = request.body as Readonly<Record<string, unknown>> | null | undefined;
  const template = body?.["template"];
  if (typeof template === "object" && template !== null && !Array.isArray(template)) {
    const { template: _, ...beside } = body ?? {};
    request.body = { ...beside, ...template };
  }
  done();
}

/** Throws TEMPLATE_NOT_FOUND if it is no id. */
const idOf = ({ template_id: id }: { readonly template_id: string }): string =>
  idFromPath(id, "TEMPLATE_NOT_FOUND");

const templatePath = Type.Object({ template_id: Type.String({ description: "Id of the template" }) });

function getRoute(app: App, core: Core): void {
  app.get(
    BY_ID,
    {
      schema: {
        operationId: "getWabaTemplate",
        tags,
        summary: "Get a template of the WhatsApp Business Platform",
        params: templatePath,
        response: { 200: envelope(templateAnswer), ...errorAnswers },
      },
      config: { errors: ["TEMPLATE_NOT_FOUND"] },
    },
    async (request) =>
      enveloped(core, answerOf(await getTemplate(core, scopeOf(request), idOf(request.params)))),
  );
}

function listRoute(app: App, core: Core): void {
  app.get(
    PATH,
    {
      schema: {
        operationId: "listWabaTemplates",
        tags,
        summary: "List the templates of the WhatsApp Business Platform, by name and language",
        querystring: templatePageQuery,
        response: { 200: envelope(Type.Array(templateAnswer)), ...errorAnswers },
      },
    },
    async (request) => {
      const templates = await listTemplates(core, scopeOf(request), templatePage(request.query));
      return enveloped(core, templates.map(answerOf));
    },
  );
}

function createRoute(app: App, core: Core): void {
  const body = strictObject({
    channel_id: patterned("uuid", { description: "A channel of the business that the template is for" }),
    name: Type.String({
      pattern: "^[a-z0-9_]{1,512}$",
      description: "Lower-case letters, digits and underscores",
    }),
    language: Type.String({ minLength: 2, maxLength: 15, description: "For example en_US" }),
    category,
    components,
    is_draft: Type.Optional(
      Type.Literal(false, { description: "Drafts are not stored: a template is submitted at once" }),
    ),
  });
  app.post(
    PATH,
    {
      preValidation: unwrap,
      schema: {
        operationId: "createWabaTemplate",
        tags,
        summary:
          "Submit a template for approval; a webhook reports the result. The fields may also be in `template`",
        body,
        response: { 200: envelope(templateAnswer), ...errorAnswers },
      },
      config: {
        body: "list",
        errors: [...CHANGE_ERRORS, "CHANNEL_NOT_FOUND", "MESSAGE_TEMPLATE_NOT_SUPPORTED"],
      },
    },
    (request, reply) =>
      answerOnce(core, request, reply, async () => {
        const { channel_id: channelId, is_draft: _, ...draft } = request.body;
        const created = await createTemplate(core, scopeOf(request), channelId.toLowerCase(), draft);
        return enveloped(core, answerOf(created));
      }),
  );
}

function changeRoute(app: App, core: Core): void {
  const body = strictObject({
    template_id: templateId,
    category: Type.Optional(category),
    components: Type.Optional(components),
  });
  app.patch(
    PATH,
    {
      schema: {
        operationId: "changeWabaTemplate",
        tags,
        summary: "Change a template's content or category; it is moderated again",
        body,
        response: { 200: envelope(templateAnswer), ...errorAnswers },
      },
      config: { errors: CHANGE_ERRORS, body: "list" },
    },
    async (request) => {
      const { template_id: id, ...change } = request.body;
      const changed = await changeTemplate(core, scopeOf(request), id.toLowerCase(), change);
      return enveloped(core, answerOf(changed));
    },
  );
}

function changeByIdRoute(app: App, core: Core): void {
  const body = strictObject({ category: Type.Optional(category), components: Type.Optional(components) });
  app.patch(
    BY_ID,
    {
      preValidation: unwrap,
      schema: {
        operationId: "changeWabaTemplateById",
        tags,
        summary: "Change a template's content or category; it is moderated again",
        params: templatePath,
        body,
        response: { 200: envelope(templateAnswer), ...errorAnswers },
      },
      config: { errors: CHANGE_ERRORS, body: "list" },
    },
    async (request) => {
      const id = idOf(request.params);
      return enveloped(core, answerOf(await changeTemplate(core, scopeOf(request), id, request.body)));
    },
  );
}

function removeByIdRoute(app: App, core: Core): void {
  app.delete(
    BY_ID,
    {
      schema: {
        operationId: "removeWabaTemplateById",
        tags,
        summary: "Delete a template of the business",
        params: templatePath,
        response: { 200: envelope(Type.Null()), ...errorAnswers },
      },
      config: { errors: CHANGE_ERRORS },
    },
    async (request) => {
      await removeTemplate(core, scopeOf(request), idOf(request.params));
      return enveloped(core, null);
    },
  );
}

function removeRoute(app: App, core: Core): void {
  app.delete(
    PATH,
    {
      schema: {
        operationId: "removeWabaTemplate",
        tags,
        summary: "Delete a template of the business",
        querystring: Type.Object({ template_id: templateId }),
        response: { 200: envelope(Type.Null()), ...errorAnswers },
      },
      config: { errors: CHANGE_ERRORS },
    },
    async (request) => {
      await removeTemplate(core, scopeOf(request), request.query.template_id.toLowerCase());
      return enveloped(core, null);
    },
  );
}
