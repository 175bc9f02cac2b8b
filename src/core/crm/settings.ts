import { type Database, type Queryable, sql } from "../../database/database.ts";
import { audit } from "../audit/audit.ts";
import type { Scope } from "../scope.ts";

/** Who gets a client that the CRM does not know yet. */
export const NEW_CLIENT_RULES = ["nobody", "first_respondent", "in_turn"] as const;
export type NewClientRule = (typeof NEW_CLIENT_RULES)[number];

export interface CrmSettings {
  readonly newClients: NewClientRule;
}

const FIND = sql(
  "crm_settings_find",
  'select new_clients as "newClients" from crm_settings where account_id = $1',
);

/** By default, new clients are not assigned. */
export async function getCrmSettings(db: Queryable, { accountId }: Scope): Promise<CrmSettings> {
  const [settings] = await db.query<CrmSettings>(FIND, [accountId]);
  return settings ?? { newClients: "nobody" };
}

const SAVE = sql(
  "crm_settings_save",
  `insert into crm_settings (account_id, new_clients) select id, $2 from accounts where id = $1
   on conflict (account_id) do update set new_clients = excluded.new_clients
   returning new_clients as "newClients"`,
);

/** Null: there is no such account. */
export function changeCrmSettings(
  db: Database,
  { accountId }: Scope,
  { newClients }: CrmSettings,
): Promise<CrmSettings | null> {
  return db.tx(async (tx) => {
    const [settings] = await tx.query<CrmSettings>(SAVE, [accountId, newClients]);
    if (settings === undefined) return null;
    await audit(tx, { accountId, action: "crm.settings", details: { newClients } });
    return settings;
  });
}
