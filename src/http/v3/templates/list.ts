import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { templateCodeOf } from "../../../core/template/code.ts";
import { listTemplates, type StoredTemplate } from "../../../core/template/templates.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers } from "../../schema/shapes.ts";
import { templateFields, templatePage, templatePageQuery, templateProperties } from "../../template-page.ts";

const answer = Type.Array(
  Type.Object({
    templateGuid: Type.String({ description: "What template.id and templateId take" }),
    ...templateProperties,
    status: Type.String({ description: "approved, pending, rejected, paused or disabled" }),
    templateCode: Type.String({
      description:
        "The template as a text, which a message may have in its place, with its variables for the values",
    }),
  }),
);

/** `GET /v3/templates/whatsapp` */
export function listTemplatesRoute(app: App, core: Core): void {
  app.get(
    "/v3/templates/whatsapp",
    {
      schema: {
        operationId: "listTemplates",
        tags: ["templates"],
        summary: "List the templates of the business API, by name and language",
        querystring: templatePageQuery,
        response: { 200: answer, ...errorAnswers },
      },
    },
    async (request) => (await listTemplates(core, scopeOf(request), templatePage(request.query))).map(itemOf),
  );
}

function itemOf(template: StoredTemplate) {
  const { id } = template;
  const fields = templateFields(template);
  return {
    templateGuid: id,
    ...fields,
    status: fields.status.toLowerCase(),
    templateCode: templateCodeOf(id, template),
  };
}
