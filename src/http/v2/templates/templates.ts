import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { changeTemplate, createTemplate, removeTemplate } from "../../../core/template/change.ts";
import { listTemplates, type StoredTemplate } from "../../../core/template/templates.ts";
import type { TemplateComponent } from "../../../core/transport/template.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, patterned, strictObject } from "../../schema/shapes.ts";
import { templateFields, templatePage, templatePageQuery, templateProperties } from "../../template-page.ts";
import { envelope, enveloped } from "../envelope.ts";

const PATH = "/v2/templates/waba";
const templateAnswer = Type.Object({
  template_id: Type.String({ description: "What template.id takes" }),
  ...templateProperties,
});
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
  createRoute(app, core);
  changeRoute(app, core);
  removeRoute(app, core);
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
  });
  app.post(
    PATH,
    {
      schema: {
        operationId: "createWabaTemplate",
        tags,
        summary: "Submit a template for approval; a webhook reports the result",
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
        const { channel_id: channelId, ...draft } = request.body;
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
