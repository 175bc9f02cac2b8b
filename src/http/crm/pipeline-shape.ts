import { Type } from "typebox";
import type { Pipeline } from "../../core/crm/pipelines.ts";

/** A pipeline in responses of both versions. */
export const pipelineAnswer = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    stages: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }, { title: "PipelineStage" })),
  },
  { title: "Pipeline" },
);

export function pipelineFields({ id, name, stages }: Pipeline) {
  return { id, name, stages: [...stages] };
}
