import { type Database, type Queryable, sql } from "../../database/database.ts";
import type { Directory } from "../directory/directory.ts";

const AT_A_TIME = 500;
/**
 * Those that stay: nothing of the others may be written. After a hold that is over the account has gone on. One that
 * arrives is still in another cell.
 */
const STAYS = `not exists (
  select from account_moves m where m.account_id = accounts.id and m.side = 'source' and m.state <> 'copying'
    and (m.hold_until is null or m.hold_until > clock_timestamp()))
  and not exists (
  select from account_moves m where m.account_id = accounts.id and m.side = 'target' and m.state = 'arriving')`;
const UNLISTED = sql(
  "accounts_unlisted",
  `select id, moves from accounts where listed_moves is distinct from moves and ${STAYS} order by id limit ${AT_A_TIME}`,
);
const PAGE = sql(
  "accounts_compare",
  `select id, moves from accounts where id > $1 and ${STAYS} order by id limit ${AT_A_TIME}`,
);
const LISTED = sql(
  "accounts_listed",
  `update accounts a set listed_moves = r.moves, listed_cell = r.cell
   from json_to_recordset($1::json) as r(id bigint, moves integer, cell text)
   where a.id = any(array[r.id]) and a.moves = r.moves
     and (a.listed_moves is distinct from r.moves or a.listed_cell is distinct from r.cell)`,
);
const PLACE = `select r.id, p.cell, p.moves from json_to_recordset($1::json) as r(id bigint, moves integer)
  cross join lateral place_account(r.id, $2, r.moves) p order by r.id`;

/** An account of this cell that the directory has in another one. */
export interface ListedElsewhere {
  readonly accountId: number;
  readonly cell: string;
  /** It has moved there, and this cell does not know: its database is an older backup. Otherwise both have the id. */
  readonly hasMoved: boolean;
}

const ELSEWHERE = sql(
  "accounts_listed_elsewhere",
  `select id as "accountId", listed_cell as cell from accounts where listed_cell is not null order by id limit 20`,
);

/** Accounts of this cell that the directory has in another one, as last compared; at most 20. */
export function accountsElsewhere(
  db: Queryable,
): Promise<{ readonly accountId: number; readonly cell: string }[]> {
  return db.query(ELSEWHERE, []);
}

export interface Listing {
  readonly count: number;
  /** Where to continue; null: all are listed. */
  readonly next: number | null;
  readonly elsewhere: readonly ListedElsewhere[];
}

/** Lists accounts that are new in this cell in the directory, some hundred at a time. Throws `DirectoryAway`. Idempotent. */
export async function listNewAccounts(db: Database, directory: Directory): Promise<Listing> {
  return list(db, directory, await db.query<Account>(UNLISTED, []));
}

/** The same for the accounts behind this one, whether they are new or not: the directory may have been restored. */
export async function compareAccounts(db: Database, directory: Directory, after: number): Promise<Listing> {
  return list(db, directory, await db.query<Account>(PAGE, [after]));
}

const ONE = sql("account_compare", "select id, moves from accounts where id = $1");

/** The same for one account, which has just moved to this cell. */
export async function listAccount(db: Database, directory: Directory, accountId: number): Promise<void> {
  await list(db, directory, await db.query<Account>(ONE, [accountId]));
}

async function list(db: Database, directory: Directory, accounts: readonly Account[]): Promise<Listing> {
  if (accounts.length === 0) return { count: 0, next: null, elsewhere: [] };
  const places = new Map((await place(directory, accounts)).map((each) => [each.id, each]));
  const elsewhere: ListedElsewhere[] = [];
  const rows = accounts.map(({ id, moves }) => {
    const listed = places.get(id);
    const cell = listed === undefined || listed.cell === directory.cell ? null : listed.cell;
    if (cell !== null) elsewhere.push({ accountId: id, cell, hasMoved: (listed?.moves ?? 0) > moves });
    return { id, moves, cell };
  });
  await db.query(LISTED, [JSON.stringify(rows)]);
  const next = accounts.length < AT_A_TIME ? null : (accounts.at(-1)?.id ?? null);
  return { count: accounts.length, next, elsewhere };
}

type Account = { readonly id: number; readonly moves: number };

async function place(
  directory: Directory,
  accounts: readonly Account[],
): Promise<(Account & { readonly cell: string })[]> {
  return directory.askTogether((tx) => tx.query(PLACE, [JSON.stringify(accounts), directory.cell]));
}
