import { type Database, type Queryable, sql } from "../../database/database.ts";
import { audit } from "../audit/audit.ts";
import type { Scope } from "../scope.ts";

/** Who gets a client that the CRM does not know yet. */
export const NEW_CLIENT_RULES = ["nobody", "first_respondent", "in_turn"] as const;
export type NewClientRule = (typeof NEW_CLIENT_RULES)[number];

export interface CrmSettings {
  readonly newClients: NewClientRule;
  /** Where new deals go; null until set. */
  readonly funnel: Funnel | null;
}

export interface Funnel {
  readonly pipelineId: string;
  readonly stageId: string;
}

interface Row {
  readonly new_clients: NewClientRule;
  readonly pipeline_id: string | null;
  readonly stage_id: string | null;
}

const FIND = sql(
  "crm_settings_find",
  "select new_clients, pipeline_id, stage_id from crm_settings where account_id = $1",
);

/** By default, new clients are not assigned. */
export async function getCrmSettings(db: Queryable, { accountId }: Scope): Promise<CrmSettings> {
  const [row] = await db.query<Row>(FIND, [accountId]);
  return row === undefined ? { newClients: "nobody", funnel: null } : settingsOf(row);
}

function settingsOf({
  new_clients: newClients,
  pipeline_id: pipelineId,
  stage_id: stageId,
}: Row): CrmSettings {
  return { newClients, funnel: pipelineId === null || stageId === null ? null : { pipelineId, stageId } };
}

const SAVE = sql(
  "crm_settings_save",
  `insert into crm_settings as s (account_id, new_clients, pipeline_id, stage_id)
   select id, coalesce($2, 'nobody'), $3, $4 from accounts where id = $1
   on conflict (account_id) do update set
     new_clients = coalesce($2, s.new_clients),
     pipeline_id = coalesce($3, s.pipeline_id),
     stage_id = coalesce($4, s.stage_id)
   returning new_clients, pipeline_id, stage_id`,
);

/** Changes the given settings and keeps the others. Null: there is no such account. */
export function changeCrmSettings(
  db: Database,
  { accountId }: Scope,
  change: { readonly newClients?: NewClientRule; readonly funnel?: Funnel },
): Promise<CrmSettings | null> {
  const { newClients = null, funnel } = change;
  const values = [accountId, newClients, funnel?.pipelineId ?? null, funnel?.stageId ?? null];
  return db.tx(async (tx) => {
    const [row] = await tx.query<Row>(SAVE, values);
    if (row === undefined) return null;
    await audit(tx, { accountId, action: "crm.settings", details: { ...change } });
    return settingsOf(row);
  });
}
