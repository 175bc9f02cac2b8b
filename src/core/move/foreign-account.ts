import { type Database, type Queryable, sql } from "../../database/database.ts";
import { cellOfAccount } from "../directory/cells.ts";
import { awayError, DirectoryAway, type HasDirectory } from "../directory/directory.ts";
import { AccountElsewhere } from "../errors.ts";
import type { HasMoves } from "./moves.ts";

// While it arrives, and after it has left, its rows are incomplete, and its cell is another one.
const HERE = sql(
  "account_is_here",
  `select 1 from accounts where id = $1 and not exists (
     select from account_moves where account_id = $1 and (
       (side = 'target' and state = 'arriving') or (side = 'source' and state in ('moved', 'left'))))`,
);
const LEFT = sql(
  "account_left_to",
  "select address from account_moves where account_id = $1 and side = 'source' and state in ('moved', 'left')",
);

/** Whether the account is in this cell. */
export async function worksHere(db: Queryable, accountId: number): Promise<boolean> {
  return (await db.query(HERE, [accountId])).length > 0;
}

export interface ForeignCell {
  /** Null: not known. */
  readonly name: string | null;
  /** Where other cells reach it; null: nowhere. */
  readonly address: string | null;
}

/**
 * The cell of an account that is not in this one: where it has left for, or as the directory knows it. Null: it is nowhere.
 * Throws `DirectoryAway` if the directory would have to be asked.
 */
export async function foreignCell(
  { db, directory }: { readonly db: Queryable } & HasDirectory,
  accountId: number,
): Promise<ForeignCell | null> {
  const [left] = await db.query<{ address: string }>(LEFT, [accountId]);
  if (left !== undefined) return { name: null, address: left.address };
  const cell = directory === null ? null : await cellOfAccount(directory, accountId);
  return cell === null || cell.name === directory?.cell ? null : cell;
}

/**
 * For requests of partners, which name their account: throws `AccountElsewhere` if it is in another cell. Returns if it is
 * here, or nowhere. Throws UNAVAILABLE if the directory would have to be asked, and is away.
 */
export async function refuseForeignAccount(
  { db, moves, directory }: { readonly db: Database } & HasMoves & HasDirectory,
  accountId: number,
): Promise<void> {
  if (await worksHere(db, accountId)) return moves.refuseElsewhere(accountId);
  const cell = await foreignCell({ db, directory }, accountId).catch((error: unknown) => {
    throw error instanceof DirectoryAway ? awayError(error) : error;
  });
  if (cell !== null && cell.address !== null) throw new AccountElsewhere(cell.address);
}
