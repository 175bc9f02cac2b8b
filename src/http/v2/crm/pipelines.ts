import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { entities } from "../../../core/crm/entity.ts";
import {
  listPipelines,
  MAX_STAGES,
  pipelineOf,
  pipelineSchema,
  replacePipelines,
} from "../../../core/crm/pipelines.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { entityFaults } from "../../crm/entity-faults.ts";
import { pipelineAnswer, pipelineFields } from "../../crm/pipeline-shape.ts";
import { errorAnswers, strictObject } from "../../schema/shapes.ts";
import { envelope, enveloped } from "../envelope.ts";

const { id, name, stages } = pipelineSchema.properties;
const stage = strictObject(stages.items.properties, { title: "NewPipelineStage" });
const body = strictObject({
  pipelines: entities(
    strictObject(
      {
        id,
        name,
        stages: Type.Optional(Type.Array(stage, { minItems: 1, maxItems: MAX_STAGES })),
      },
      { title: "NewPipeline" },
    ),
  ),
});

/** `GET` and `POST /v2/pipelines` */
export function pipelineRoutes(app: App, core: Core): void {
  app.get(
    "/v2/pipelines",
    {
      schema: {
        operationId: "listV2Pipelines",
        tags: ["crm"],
        summary: "List the pipelines with their stages",
        response: { 200: envelope(Type.Array(pipelineAnswer)), ...errorAnswers },
      },
    },
    async (request) => enveloped(core, (await listPipelines(core.db, scopeOf(request))).map(pipelineFields)),
  );
  app.post(
    "/v2/pipelines",
    {
      schema: {
        operationId: "replaceV2Pipelines",
        tags: ["crm"],
        summary: "Replace all pipelines",
        body,
        response: {
          200: envelope(Type.Object({ pipelines_created: Type.Integer(), stages_created: Type.Integer() })),
          ...errorAnswers,
        },
      },
      config: { errors: ["INVALID_PIPELINES_DATA", "TOO_MANY_ENTITIES"], body: "entities" },
      schemaErrorFormatter: entityFaults("INVALID_PIPELINES_DATA"),
    },
    (request, reply) =>
      answerOnce(core, request, reply, async () => {
        const stored = await replacePipelines(core, scopeOf(request), request.body.pipelines.map(pipelineOf));
        const stageCount = stored.reduce((count, { stages }) => count + stages.length, 0);
        return enveloped(core, { pipelines_created: stored.length, stages_created: stageCount });
      }),
  );
}
