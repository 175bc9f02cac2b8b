import { Type } from "typebox";
import type { Pipeline } from "../../core/crm/pipelines.ts";

/** A sales funnel as answers of both versions carry it. */
export const pipelineAnswer = Type.Object({
  id: Type.String(),
  name: Type.String(),
  stages: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
});

export function pipelineFields({ id, name, stages }: Pipeline) {
  return { id, name, stages: [...stages] };
}
