import { type Database, type Queryable, sql } from "../../database/database.ts";
import { audit } from "../audit/audit.ts";
import type { Base } from "../base.ts";
import { AppError } from "../errors.ts";
import { jsonRows } from "../json-rows.ts";
import { checkQuota, lockAccount } from "../quota/quotas.ts";
import type { Scope } from "../scope.ts";
import { deduplicateById, missingOf } from "./entity.ts";
import { type User, type UserChange, withSoundPhone } from "./user.ts";

const SAVE = sql(
  "crm_users_save",
  `insert into crm_users (account_id, id, name, phone)
   select $1, id, name, phone from json_to_recordset($2::json) as r(id text, name text, phone text)
   order by id collate "C"
   on conflict (account_id, id) do update set name = excluded.name, phone = excluded.phone
   returning xmax = 0 as is_new`,
);
const COUNT = sql("crm_users_count", "select count(*)::int as n from crm_users where account_id = $1");

/**
 * Adds or changes employees, all or none. The switch "gets new clients" keeps its value. Idempotent. Throws
 * QUOTA_EXCEEDED if the account would have more than allowed.
 */
export async function saveUsers(core: Base, { accountId }: Scope, users: readonly User[]): Promise<void> {
  const rows = jsonRows(deduplicateById(users).map(withSoundPhone));
  const { quotas } = core.settings;
  await core.db.tx(async (tx) => {
    if (quotas.employees > 0) await lockAccount(tx, { accountId });
    const saved = await tx.query<{ is_new: boolean }>(SAVE, [accountId, rows]);
    // Existing employees may be changed even if the quota was lowered in the meantime.
    if (quotas.employees === 0 || saved.every((row) => !row.is_new)) return;
    const [counted] = await tx.query<{ n: number }>(COUNT, [accountId]);
    checkQuota(quotas, "employees", counted?.n ?? 0);
  });
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly phone: string | null;
  readonly gets_new_clients: boolean;
}

/** An employee with the switch that decides who is assigned new clients. */
export type Employee = User & { readonly getsNewClients: boolean };

const COLUMNS = "id, name, phone, gets_new_clients";
const LIST = sql(
  "crm_users_list",
  `select ${COLUMNS} from crm_users where account_id = $1 order by name, id`,
);

/** All employees, ordered by name. */
export async function listUsers(db: Queryable, { accountId }: Scope): Promise<Employee[]> {
  return (await db.query<Row>(LIST, [accountId])).map(employeeOf);
}

const FIND = sql("crm_user_find", `select ${COLUMNS} from crm_users where account_id = $1 and id = $2`);

/** Throws USER_NOT_FOUND for an unknown id or another account's employee. */
export async function getUser(core: Base, scope: Scope, id: string): Promise<Employee> {
  const user = await findUser(core.db, scope, id);
  if (user === null) throw new AppError("USER_NOT_FOUND");
  return user;
}

/** Null for an unknown id or another account's employee. */
async function findUser(db: Queryable, { accountId }: Scope, id: string): Promise<Employee | null> {
  const [row] = await db.query<Row>(FIND, [accountId, id]);
  return row === undefined ? null : employeeOf(row);
}

function employeeOf({ id, name, phone, gets_new_clients: getsNewClients }: Row): Employee {
  return { id, name, ...(phone === null ? {} : { phone }), getsNewClients };
}

const CHANGE = sql(
  "crm_users_change",
  `update crm_users u set name = coalesce(c.name, u.name), phone = coalesce(c.phone, u.phone)
   from json_to_recordset($2::json) as c(id text, name text, phone text)
   where u.account_id = $1 and u.id = c.id returning u.id`,
);

/** Applies changes to existing employees, and returns the ids that do not exist. */
export async function changeUsers(
  core: Base,
  { accountId }: Scope,
  changes: readonly UserChange[],
): Promise<string[]> {
  const rows = deduplicateById(changes).map(withSoundPhone);
  const changed = await core.db.tx((tx) => tx.query<{ id: string }>(CHANGE, [accountId, jsonRows(rows)]));
  return missingOf(
    rows.map(({ id }) => id),
    changed,
  );
}

const REMOVE = sql(
  "crm_users_remove",
  "delete from crm_users where account_id = $1 and id = any($2) returning id",
);

/** Deletes employees and returns the ids that did not exist. Contacts and deals keep references to them. */
export async function removeUsers(
  core: Base,
  { accountId }: Scope,
  ids: readonly string[],
): Promise<string[]> {
  const removed = await core.db.tx((tx) => tx.query<{ id: string }>(REMOVE, [accountId, ids]));
  return missingOf(ids, removed);
}

const SWITCH = sql(
  "crm_user_switch",
  "update crm_users set gets_new_clients = $3 where account_id = $1 and id = $2 returning id",
);

/** Sets the employee's switch "gets new clients". False: there is no such employee. */
export function switchNewClients(
  db: Database,
  { accountId }: Scope,
  { id, getsNewClients }: { readonly id: string; readonly getsNewClients: boolean },
): Promise<boolean> {
  return db.tx(async (tx) => {
    if ((await tx.query(SWITCH, [accountId, id, getsNewClients])).length === 0) return false;
    await audit(tx, { accountId, action: "crm.user", subject: id, details: { getsNewClients } });
    return true;
  });
}
