import { type Queryable, sql } from "../../database/database.ts";
import { jsonRows } from "../json-rows.ts";
import type { Scope } from "../scope.ts";

/** An id that a template had in another service. */
export interface TemplateAlias {
  readonly id: string;
  /** As the messenger calls it. */
  readonly name: string;
  /** Null: any. */
  readonly language: string | null;
  readonly channelIds: readonly string[];
}

const KNOWN = sql(
  "template_aliases_known",
  "select id from template_aliases where account_id = $1 and id = any($2::uuid[])",
);

/** Those of the ids that are aliases of the account. */
export async function knownAliases(
  db: Queryable,
  { accountId }: Scope,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ id: string }>(KNOWN, [accountId, ids]);
  return new Set(rows.map(({ id }) => id));
}

const SAVE = sql(
  "template_aliases_save",
  `insert into template_aliases (account_id, id, name, language, channel_ids)
   select $1, id, name, language, array(select jsonb_array_elements_text(channel_ids)::uuid)
   from json_to_recordset($2::json) as r(id uuid, name text, language text, channel_ids jsonb)
   on conflict (account_id, id) do update set
     name = excluded.name, language = excluded.language, channel_ids = excluded.channel_ids`,
);

/** Lets clients name templates by these ids as well, wherever they name them by ours. Idempotent; the last one of an id counts. */
export async function saveAliases(
  db: Queryable,
  { accountId }: Scope,
  aliases: readonly TemplateAlias[],
): Promise<void> {
  const each = [...new Map(aliases.map((alias) => [alias.id, alias])).values()];
  const rows = each.map(({ id, name, language, channelIds }) => ({
    id,
    name,
    language,
    channel_ids: channelIds,
  }));
  await db.query(SAVE, [accountId, jsonRows(rows)]);
}
