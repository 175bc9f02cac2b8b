import type { Queryable } from "../../database/database.ts";
import type { Directory } from "./directory.ts";

/** A cell as the directory knows it. */
export interface ListedCell {
  readonly name: string;
  /** Where nodes of other cells reach its own; null: nowhere. */
  readonly address: string | null;
  readonly seenAt: Date;
  readonly accounts: number;
  readonly links: number;
}

const TAKEN_FOR = "interval '1 minute'";
const REGISTER = `insert into cells as c (name, database_id, address) values ($1, $2, $3)
  on conflict (name) do update set database_id = excluded.database_id, address = excluded.address, seen_at = now()
    where c.database_id is not distinct from excluded.database_id or c.database_id is null or c.seen_at < now() - ${TAKEN_FOR}
  returning 1`;

/**
 * Says that this cell is there, and where. False: another database has used the name within the last minute, so two cells
 * have the same one. Throws `DirectoryAway`.
 */
export async function registerCell(directory: Directory, databaseId: string | null): Promise<boolean> {
  const values = [directory.cell, databaseId, directory.address];
  return (await directory.ask((db) => db.query(REGISTER, values))).length > 0;
}

const DATABASE = "select database_id as id from cells where name = $1";

/** The database that uses the name of this cell; null: none has, or it is not known. */
export async function registeredDatabase(db: Queryable, cell: string): Promise<string | null> {
  const [row] = await db.query<{ id: string | null }>(DATABASE, [cell]);
  return row?.id ?? null;
}

const ADDRESS = `select c.name, c.address from accounts a join cells c on c.name = a.cell where a.id = $1`;

/** The cell that has the account, and its address; null: the directory does not know the account. Throws `DirectoryAway`. */
export async function cellOfAccount(
  directory: Directory,
  accountId: number,
): Promise<{ readonly name: string; readonly address: string | null } | null> {
  const [row] = await directory.ask((db) =>
    db.query<{ name: string; address: string | null }>(ADDRESS, [accountId]),
  );
  return row ?? null;
}

const LIST = `select name, address, seen_at as "seenAt",
    (select count(*)::int from accounts a where a.cell = c.name) as accounts,
    (select count(*)::int from accounts a join links l on l.account_id = a.id where a.cell = c.name) as links
  from cells c order by name`;

/** It counts all accounts and links. */
export function listCells(db: Queryable): Promise<ListedCell[]> {
  return db.query<ListedCell>(LIST);
}
