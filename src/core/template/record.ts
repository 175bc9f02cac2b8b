import { type Queryable, sql } from "../../database/database.ts";
import { derivedId } from "../../platform/ids.ts";
import type { Base } from "../base.ts";
import { announce, publish } from "../event/publish.ts";
import { jsonRows } from "../json-rows.ts";
import type { Fact } from "../payload/facts.ts";
import type { Template, TemplateStatus } from "../transport/template.ts";

/** The channel that reported the templates. */
export interface TemplateSource {
  readonly accountId: number;
  readonly channelId: string;
}

type TemplateUpdate = Omit<Template, "components"> & Partial<Pick<Template, "components">>;

const BUSINESS = sql(
  "template_business",
  `select transport, business_id from channels
   where account_id = $1 and id = $2 and deleted_at is null and business_id is not null for no key update`,
);

// `before` is read from the statement's snapshot, so it contains the replaced status.
const STORE = sql(
  "templates_store",
  `with input as materialized (
     select * from json_to_recordset($1::json) as r(
       account_id bigint, id uuid, transport text, business_id text, external_id text, name text, language text,
       category text, status text, reason text, components jsonb)
   ), stored as (
     insert into templates as t (account_id, id, transport, business_id, external_id, name, language, category, status,
                                 reason, components)
     select account_id, id, transport, business_id, external_id, name, language, category, status, reason,
            coalesce(components, '[]')
     from input order by id
     on conflict (account_id, id) do update set
       name = excluded.name, language = excluded.language, status = excluded.status, reason = excluded.reason,
       category = case when excluded.category = '' then t.category else excluded.category end,
       components = case when excluded.components = '[]' then t.components else excluded.components end,
       updated_at = now(), deleted_at = null
     where t.deleted_at is not null
       or (t.name, t.language, t.status, t.reason) is distinct from
          (excluded.name, excluded.language, excluded.status, excluded.reason)
       or (excluded.category <> '' and t.category <> excluded.category)
       or (excluded.components <> '[]' and t.components <> excluded.components)
     returning t.account_id, t.id, t.name, t.status
   )
   select s.id, s.name, s.status, b.status as before
   from stored s left join templates b on b.account_id = s.account_id and b.id = s.id`,
);

interface StoredRow {
  readonly id: string;
  readonly name: string;
  readonly status: TemplateStatus;
  /** Null for a new template. */
  readonly before: TemplateStatus | null;
}

const FORGET = sql(
  "templates_forget",
  `update templates set deleted_at = now(), updated_at = now()
   where business_id = $1 and account_id = $2 and deleted_at is null and transport = $3 and id <> all($4::uuid[])`,
);

/**
 * Stores all templates of a channel's business; missing ones are deleted. Publishes each whose moderation has
 * changed, except new ones. Idempotent.
 */
export async function recordTemplates(
  core: Base,
  source: TemplateSource,
  templates: readonly Template[],
): Promise<void> {
  await record(core, source, async (tx, business) => {
    const rows = await store(tx, business, templates);
    const ids = templates.map(({ externalId }) => idOf(business, externalId));
    await tx.query(FORGET, [business.businessId, source.accountId, business.transport, ids]);
    return rows.filter(({ before }) => before !== null);
  });
}

/** Stores the result of a template's moderation and publishes it, even if the template is new. */
export async function recordModeration(
  core: Base,
  source: TemplateSource,
  template: TemplateUpdate,
): Promise<void> {
  await record(core, source, (tx, business) => store(tx, business, [template]));
}

/**
 * Stores a template that a client has just created or changed; returns our id of it, or null if the channel was
 * deleted.
 */
export async function rememberTemplate(
  core: Base,
  source: TemplateSource,
  template: Template,
): Promise<string | null> {
  let id: string | null = null;
  await record(core, source, async (tx, business) => {
    await store(tx, business, [template]);
    id = idOf(business, template.externalId);
    return [];
  });
  return id;
}

interface Business extends TemplateSource {
  readonly transport: string;
  readonly businessId: string;
}

/** A deleted channel, or one without a business, has no templates. */
async function record(
  core: Base,
  source: TemplateSource,
  change: (tx: Queryable, business: Business) => Promise<StoredRow[]>,
): Promise<void> {
  const published = await core.db.tx(async (tx) => {
    const [row] = await tx.query<{ transport: string; business_id: string }>(BUSINESS, [
      source.accountId,
      source.channelId,
    ]);
    if (row === undefined) return [];
    const business = { ...source, transport: row.transport, businessId: row.business_id };
    const changed = await change(tx, business);
    return publish(tx, changed.filter(({ status, before }) => status !== before).map(factOf(source)));
  });
  announce(core, published);
}

function store(
  tx: Queryable,
  business: Business,
  templates: readonly TemplateUpdate[],
): Promise<StoredRow[]> {
  const { accountId, transport, businessId } = business;
  const rows = templates.map(({ externalId, name, language, category, status, reason, components }) => ({
    account_id: accountId,
    id: idOf(business, externalId),
    transport,
    business_id: businessId,
    external_id: externalId,
    name,
    language,
    category,
    status,
    reason,
    components,
  }));
  return tx.query<StoredRow>(STORE, [jsonRows(rows)]);
}

/** The same on every node and at every retry; different for each account. */
function idOf(
  { accountId, transport, businessId }: Pick<Business, "accountId" | "transport" | "businessId">,
  externalId: string,
): string {
  return derivedId("template", String(accountId), transport, businessId, externalId);
}

function factOf({ accountId, channelId }: TemplateSource) {
  return ({ id, name, status }: StoredRow): Fact => ({
    kind: "template",
    template: { accountId, channelId, templateId: id, name, status },
  });
}
