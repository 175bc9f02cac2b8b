import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { AppError } from "../errors.ts";
import type { Scope } from "../scope.ts";
import type { Template } from "../transport/template.ts";

/** A template of an account; `id` is ours, and the same for all channels of the business. */
export interface StoredTemplate extends Template {
  readonly id: string;
  readonly transport: string;
  readonly businessId: string;
  /** Channels of the account that can send it. */
  readonly channelIds: readonly string[];
}

interface TemplateRow {
  readonly id: string;
  readonly transport: string;
  readonly business_id: string;
  readonly external_id: string;
  readonly name: string;
  readonly language: string;
  readonly category: string;
  readonly status: Template["status"];
  readonly reason: string | null;
  readonly components: Template["components"];
  readonly channel_ids: readonly string[];
}

// Templates of a business without channels are useless until it has one again.
const READ = `select t.id, t.transport, t.business_id, t.external_id, t.name, t.language, t.category, t.status, t.reason,
    t.components, c.ids as channel_ids
  from templates t
  cross join lateral (select array(
    select c.id::text from channels c
    where c.account_id = t.account_id and c.transport = t.transport and c.business_id = t.business_id
      and c.deleted_at is null
    order by c.id) as ids) c
  where t.account_id = $1 and t.deleted_at is null and c.ids <> '{}'`;

const LIST = sql("templates_list", `${READ} order by t.name, t.language, t.id limit $2 offset $3`);

/** A page of the account's templates, by name and language. */
export async function listTemplates(
  { db }: Base,
  { accountId }: Scope,
  page: { readonly limit: number; readonly offset: number },
): Promise<StoredTemplate[]> {
  return (await db.query<TemplateRow>(LIST, [accountId, page.limit, page.offset])).map(templateOf);
}

const FIND = sql("template_find", `${READ} and t.id = $2`);
const FIND_BY_ALIAS = sql(
  "template_find_by_alias",
  `${READ} and exists (
     select from template_aliases a
     where a.account_id = $1 and a.id = $2 and a.name = t.name and coalesce(a.language, t.language) = t.language)
   order by c.ids && (select a.channel_ids::text[] from template_aliases a where a.account_id = $1 and a.id = $2) desc,
     t.id
   limit 1`,
);

/** By our id or by an alias. Throws TEMPLATE_NOT_FOUND for an unknown id and for another account's. */
export async function getTemplate(core: Base, scope: Scope, templateId: string): Promise<StoredTemplate> {
  const template = await findTemplate(core.db, scope, templateId);
  if (template === null) throw new AppError("TEMPLATE_NOT_FOUND");
  return template;
}

/** The same for callers that handle a missing template. */
export async function findTemplate(
  db: Queryable,
  { accountId }: Scope,
  templateId: string,
): Promise<StoredTemplate | null> {
  const values = [accountId, templateId];
  const [row] = await db.query<TemplateRow>(FIND, values);
  const [found] = row === undefined ? await db.query<TemplateRow>(FIND_BY_ALIAS, values) : [row];
  return found === undefined ? null : templateOf(found);
}

function templateOf(row: TemplateRow): StoredTemplate {
  return {
    id: row.id,
    transport: row.transport,
    businessId: row.business_id,
    externalId: row.external_id,
    name: row.name,
    language: row.language,
    category: row.category,
    status: row.status,
    ...(row.reason === null ? {} : { reason: row.reason }),
    components: row.components,
    channelIds: row.channel_ids,
  };
}
