import { type Static, Type } from "typebox";
import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { jsonRows } from "../json-rows.ts";
import type { Scope } from "../scope.ts";
import { deduplicateById, idOrNumber } from "./entity.ts";

const stageSchema = Type.Object(
  { id: idOrNumber(100), name: Type.String({ maxLength: 100 }) },
  { title: "NewPipelineStage" },
);

/** Maximum stages of one pipeline. */
export const MAX_STAGES = 200;

/** A sales pipeline as spelled in requests. Without stages the field is omitted: an empty list is rejected. */
export const pipelineSchema = Type.Object(
  {
    id: idOrNumber(100),
    name: Type.String({ maxLength: 100 }),
    stages: Type.Optional(Type.Array(stageSchema, { minItems: 1, maxItems: MAX_STAGES })),
  },
  { title: "NewPipeline" },
);

export interface Pipeline {
  readonly id: string;
  readonly name: string;
  readonly stages: readonly { readonly id: string; readonly name: string }[];
}

/** With each stage once. */
export function pipelineOf({ id, name, stages = [] }: Static<typeof pipelineSchema>): Pipeline {
  return {
    id,
    name,
    stages: deduplicateById(stages.map((stage) => ({ id: stage.id, name: stage.name }))),
  };
}

const LOCK = sql("account_lock", "select id from accounts where id = $1 for no key update");
const FORGET = sql("pipelines_forget", "delete from pipelines where account_id = $1");
const SAVE = sql(
  "pipelines_save",
  `insert into pipelines (account_id, position, id, name, stages)
   select $1, row_number() over (), id, name, stages
   from json_to_recordset($2::json) as r(id text, name text, stages jsonb)`,
);

/** Replaces all pipelines of the account, and returns them as stored, each id once. */
export async function replacePipelines(
  core: Base,
  { accountId }: Scope,
  pipelines: readonly Pipeline[],
): Promise<Pipeline[]> {
  const each = deduplicateById(pipelines);
  await core.db.tx(async (tx) => {
    await tx.query(LOCK, [accountId]);
    await tx.query(FORGET, [accountId]);
    await tx.query(SAVE, [accountId, jsonRows(each)]);
  });
  return each;
}

const LIST = sql(
  "pipelines_list",
  "select id, name, stages from pipelines where account_id = $1 order by position",
);

/** In the CRM's order. */
export function listPipelines(db: Queryable, { accountId }: Scope): Promise<Pipeline[]> {
  return db.query<Pipeline>(LIST, [accountId]);
}
