import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { HasLive } from "../event/live-notifier.ts";
import { jsonRows } from "../json-rows.ts";
import { withinCrmQuota } from "../quota/crm.ts";
import type { Scope } from "../scope.ts";
import { notifyingClientChanges } from "./client-changes.ts";
import type { Deal, DealChange } from "./deal.ts";
import { deduplicateById } from "./entity.ts";
import { entityTable } from "./entity-table.ts";

const SAVE = sql(
  "deals_save",
  `insert into deals (account_id, id, responsible_user_id, name, uri, closed)
   select $1, id, responsible_user_id, name, uri, closed
   from json_to_recordset($2::json) as r(id text, responsible_user_id text, name text, uri text, closed boolean)
   order by id collate "C"
   on conflict (account_id, id) do update set
     responsible_user_id = excluded.responsible_user_id, name = excluded.name, uri = excluded.uri,
     closed = excluded.closed
   where (deals.responsible_user_id, deals.name, deals.uri, deals.closed)
     is distinct from (excluded.responsible_user_id, excluded.name, excluded.uri, excluded.closed)`,
);
const CHANGED_CONTACTS = sql(
  "deal_contacts_changed",
  `select r.deal_id from json_to_recordset($2::json) as r(deal_id text, contacts jsonb)
   where r.contacts <> coalesce(
     (select jsonb_agg(c.contact_id order by c.position)
      from deal_contacts c where c.account_id = $1 and c.deal_id = r.deal_id), '[]')`,
);
const FORGET_CONTACTS = sql(
  "deal_contacts_forget",
  "delete from deal_contacts where account_id = $1 and deal_id = any($2)",
);
const SAVE_CONTACTS = sql(
  "deal_contacts_save",
  `insert into deal_contacts (account_id, deal_id, position, contact_id)
   select $1, deal_id, position, contact_id
   from json_to_recordset($2::json) as r(deal_id text, position integer, contact_id text)`,
);

/** Adds or replaces deals, all or none. Idempotent: what is stored already is not written. Throws QUOTA_EXCEEDED. */
export function saveDeals(core: Base & HasLive, scope: Scope, deals: readonly Deal[]): Promise<void> {
  const rows = deals.reduce((sum, deal) => sum + rowsOf(deal), 0);
  return notifying(core, scope, deals, () =>
    core.db.bulk({ owner: scope.accountId, rows }, (tx) =>
      withinCrmQuota(core, { tx, scope }, () => storeDeals(tx, scope, deals)),
    ),
  );
}

function rowsOf({ contacts = [] }: Partial<Deal>): number {
  return 1 + contacts.length;
}

/** The same in the caller's transaction. */
async function storeDeals(tx: Queryable, { accountId }: Scope, deals: readonly Deal[]): Promise<void> {
  const each = deduplicateById(deals);
  // Locks the rows of the deals first, so that a concurrent transaction with the same deals waits until their
  // contacts are complete.
  await tx.query(SAVE, [accountId, jsonRows(each.map(dealRow))]);
  const compared = each.map(({ id, contacts }) => ({ deal_id: id, contacts }));
  const changed = await tx.query<{ deal_id: string }>(CHANGED_CONTACTS, [accountId, jsonRows(compared)]);
  if (changed.length === 0) return;
  const ids = new Set(changed.map((row) => row.deal_id));
  await tx.query(FORGET_CONTACTS, [accountId, [...ids]]);
  const contacts = each.filter(({ id }) => ids.has(id)).flatMap(contactRows);
  await tx.query(SAVE_CONTACTS, [accountId, jsonRows(contacts)]);
}

function dealRow({ id, responsibleUserId, name, uri, closed }: Deal): object {
  return { id, responsible_user_id: responsibleUserId, name, uri, closed };
}

function contactRows({ id, contacts }: Deal): object[] {
  return contacts.map((contact, position) => ({ deal_id: id, position, contact_id: contact }));
}

interface Row {
  readonly id: string;
  readonly responsible_user_id: string;
  readonly name: string;
  readonly uri: string | null;
  readonly closed: boolean;
  readonly contacts: readonly string[];
}

const COLUMNS = `t.id, t.responsible_user_id, t.name, t.uri, t.closed,
  array(select k.contact_id::text from deal_contacts k where k.account_id = t.account_id and k.deal_id = t.id
        order by k.position) as contacts`;

function dealOfRow({ id, responsible_user_id: responsibleUserId, name, uri, contacts, closed }: Row): Deal {
  return { id, responsibleUserId, name, ...(uri === null ? {} : { uri }), contacts, closed };
}

const table = entityTable<Row, Deal>({
  table: "deals",
  columns: COLUMNS,
  blank: { columns: "responsible_user_id, name, closed", values: "'', '', false" },
  notFound: "DEAL_NOT_FOUND",
  entityOf: dealOfRow,
  rowsOf,
  store: storeDeals,
});
export const { list: listDeals, get: getDeal, findEach: findDeals, complete: completeDeal } = table;

/** As `EntityTable.change`. */
export function changeDeals(
  core: Base & HasLive,
  scope: Scope,
  changes: readonly DealChange[],
): Promise<string[]> {
  return notifying(core, scope, changes, () => table.change(core, scope, changes));
}

/** As `EntityTable.remove`. */
export function removeDeals(core: Base & HasLive, scope: Scope, ids: readonly string[]): Promise<string[]> {
  return notifyingClientChanges(core, scope, { deals: ids }, () => table.remove(core, scope, ids));
}

function notifying<T>(
  core: Base & HasLive,
  scope: Scope,
  deals: readonly { readonly id: string }[],
  work: () => Promise<T>,
): Promise<T> {
  return notifyingClientChanges(core, scope, { deals: deals.map(({ id }) => id) }, work);
}
