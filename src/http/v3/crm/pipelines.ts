import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { entities } from "../../../core/crm/entity.ts";
import { listPipelines, pipelineOf, pipelineSchema, replacePipelines } from "../../../core/crm/pipelines.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { entityFaults } from "../../crm/entity-faults.ts";
import { pipelineAnswer, pipelineFields } from "../../crm/pipeline-shape.ts";
import { errorAnswers, nothing } from "../../schema/shapes.ts";

/** `GET` and `POST /v3/pipelines` */
export function pipelineRoutes(app: App, core: Core): void {
  app.get(
    "/v3/pipelines",
    {
      schema: {
        operationId: "listPipelines",
        tags: ["crm"],
        summary: "List the pipelines with their stages",
        response: { 200: Type.Array(pipelineAnswer), ...errorAnswers },
      },
    },
    async (request) => (await listPipelines(core.db, scopeOf(request))).map(pipelineFields),
  );
  app.post(
    "/v3/pipelines",
    {
      schema: {
        operationId: "replacePipelines",
        tags: ["crm"],
        summary: "Replace all pipelines",
        body: entities(pipelineSchema),
        response: { 200: nothing, ...errorAnswers },
      },
      config: { errors: ["INVALID_PIPELINES_DATA", "TOO_MANY_ENTITIES"], body: "entities" },
      schemaErrorFormatter: entityFaults("INVALID_PIPELINES_DATA"),
    },
    (request, reply) =>
      answerOnce(core, request, reply, async () => {
        await replacePipelines(core, scopeOf(request), request.body.map(pipelineOf));
        return {};
      }),
  );
}
