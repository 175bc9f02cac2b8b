import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { templateCodeOf } from "../../../core/template/code.ts";
import { listTemplates, type StoredTemplate } from "../../../core/template/templates.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers } from "../../schema/shapes.ts";
import { templateFields, templatePage, templatePageQuery, templateProperties } from "../../template-page.ts";

const answer = Type.Array(
  Type.Object(
    {
      templateGuid: Type.String({ description: "The value for template.id and templateId" }),
      ...templateProperties,
      status: Type.String({ description: "approved, pending, rejected, paused or disabled" }),
      templateCode: Type.String({
        description:
          "The template as text, with its variables in place of values; a message may contain such text instead of the template",
      }),
    },
    { title: "Template" },
  ),
);

/** `GET /v3/templates/whatsapp` */
export function listTemplatesRoute(app: App, core: Core): void {
  app.get(
    "/v3/templates/whatsapp",
    {
      schema: {
        operationId: "listTemplates",
        tags: ["templates"],
        summary: "List the templates of the WhatsApp Business Platform, by name and language",
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
