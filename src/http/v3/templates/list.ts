import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { listTemplates, type StoredTemplate } from "../../../core/template/templates.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers } from "../../shapes.ts";
import { templateComponent, templatePage, templatePageQuery } from "../../template-page.ts";

const answer = Type.Array(
  Type.Object({
    templateGuid: Type.String({ description: "What template.id and templateId take" }),
    name: Type.String(),
    title: Type.String(),
    category: Type.String(),
    language: Type.String(),
    status: Type.String({ description: "APPROVED, PENDING, REJECTED, PAUSED or DISABLED" }),
    reason: Type.Optional(Type.String({ description: "Why it was refused" })),
    components: Type.Array(templateComponent),
    channels: Type.Array(Type.String({ description: "Channels that can send it" })),
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
        summary: "Templates of the business API, by name and language",
        querystring: templatePageQuery,
        response: { 200: answer, ...errorAnswers },
      },
    },
    async (request) => (await listTemplates(core, scopeOf(request), templatePage(request.query))).map(itemOf),
  );
}

function itemOf({ id, name, category, language, status, reason, components, channelIds }: StoredTemplate) {
  return {
    templateGuid: id,
    name,
    title: name,
    category,
    language,
    status,
    ...(reason === undefined ? {} : { reason }),
    components: [...components],
    channels: [...channelIds],
  };
}
