import { type Queryable, sql } from "../../database/database.ts";
import type { Core, Scope } from "../core.ts";
import { AppError } from "../errors.ts";
import { jsonRows } from "../json-rows.ts";
import type { Deal, DealChange } from "./deal.ts";
import { lastOfEach, missingOf, PAGE_SIZE, type Page } from "./entity.ts";

const SAVE = sql(
  "deals_save",
  `insert into deals (account_id, id, responsible_user_id, name, uri, closed)
   select $1, id, responsible_user_id, name, uri, closed
   from json_to_recordset($2::json) as r(id text, responsible_user_id text, name text, uri text, closed boolean)
   order by id collate "C"
   on conflict (account_id, id) do update set
     responsible_user_id = excluded.responsible_user_id, name = excluded.name, uri = excluded.uri,
     closed = excluded.closed`,
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

/**
 * Adds the deals, or changes those that exist, all or none of them; what they had before is replaced. Repeating it
 * changes nothing.
 */
export function saveDeals(core: Core, scope: Scope, deals: readonly Deal[]): Promise<void> {
  return core.db.tx((tx) => storeDeals(tx, scope, deals));
}

/** The same in the caller's transaction. */
async function storeDeals(tx: Queryable, { accountId }: Scope, deals: readonly Deal[]): Promise<void> {
  const each = lastOfEach(deals);
  // The rows of the deals are locked first: whoever saves the same ones waits until their contacts are complete.
  await tx.query(SAVE, [accountId, jsonRows(each.map(dealRow))]);
  await tx.query(FORGET_CONTACTS, [accountId, each.map(({ id }) => id)]);
  await tx.query(SAVE_CONTACTS, [accountId, jsonRows(each.flatMap(contactRows))]);
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

const COLUMNS = `d.id, d.responsible_user_id, d.name, d.uri, d.closed,
  array(select k.contact_id::text from deal_contacts k where k.account_id = d.account_id and k.deal_id = d.id
        order by k.position) as contacts`;

const COUNT = sql("deals_count", "select count(*) as count from deals where account_id = $1");
const LIST = sql(
  "deals_list",
  `select ${COLUMNS} from deals d where d.account_id = $1 order by d.id offset $2 limit ${PAGE_SIZE}`,
);

/** A page of deals by id, from the place `offset`. */
export async function listDeals(core: Core, { accountId }: Scope, offset: number): Promise<Page<Deal>> {
  const [[total], rows] = await Promise.all([
    core.db.query<{ count: number }>(COUNT, [accountId]),
    core.db.query<Row>(LIST, [accountId, offset]),
  ]);
  return { count: total?.count ?? 0, data: rows.map(dealOfRow) };
}

const FIND = sql("deal_find", `select ${COLUMNS} from deals d where d.account_id = $1 and d.id = $2`);

/** Throws DEAL_NOT_FOUND for an unknown id and for another account's. */
export async function getDeal(core: Core, { accountId }: Scope, id: string): Promise<Deal> {
  const [row] = await core.db.query<Row>(FIND, [accountId, id]);
  if (row === undefined) throw new AppError("DEAL_NOT_FOUND");
  return dealOfRow(row);
}

function dealOfRow({ id, responsible_user_id: responsibleUserId, name, uri, contacts, closed }: Row): Deal {
  return { id, responsibleUserId, name, ...(uri === null ? {} : { uri }), contacts, closed };
}

const LOCK = sql(
  "deals_lock",
  "select id from deals where account_id = $1 and id = any($2) order by id for update",
);
const FIND_EACH = sql(
  "deals_find_each",
  `select ${COLUMNS} from deals d where d.account_id = $1 and d.id = any($2)`,
);

/** Changes deals that exist, as far as a change says, and returns the ids of those that do not. */
export function changeDeals(core: Core, scope: Scope, changes: readonly DealChange[]): Promise<string[]> {
  const changeById = new Map(changes.map((change) => [change.id, change]));
  const ids = [...changeById.keys()];
  return core.db.tx(async (tx) => {
    // Read after the lock: what somebody saved meanwhile is there.
    await tx.query(LOCK, [scope.accountId, ids]);
    const rows = await tx.query<Row>(FIND_EACH, [scope.accountId, ids]);
    const changed = rows.map((row) => ({ ...dealOfRow(row), ...changeById.get(row.id) }));
    await storeDeals(tx, scope, changed);
    return missingOf(ids, rows);
  });
}

/**
 * Stores one deal in the caller's transaction, completed by what is stored of it (null: it is new). Returns it as it
 * is now.
 */
export async function completeDeal(
  tx: Queryable,
  scope: Scope,
  id: string,
  complete: (stored: Deal | null) => Deal,
): Promise<Deal> {
  await tx.query(LOCK, [scope.accountId, [id]]);
  const [row] = await tx.query<Row>(FIND_EACH, [scope.accountId, [id]]);
  const deal = complete(row === undefined ? null : dealOfRow(row));
  await storeDeals(tx, scope, [deal]);
  return deal;
}

const REMOVE = sql("deals_remove", "delete from deals where account_id = $1 and id = any($2) returning id");

/** Removes deals and returns the ids of those that were not there. */
export async function removeDeals(
  core: Core,
  { accountId }: Scope,
  ids: readonly string[],
): Promise<string[]> {
  const gone = await core.db.tx((tx) => tx.query<{ id: string }>(REMOVE, [accountId, ids]));
  return missingOf(ids, gone);
}
