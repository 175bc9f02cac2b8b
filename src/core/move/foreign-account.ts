import { type Database, sql } from "../../database/database.ts";
import { cellOfAccount } from "../directory/cells.ts";
import { awayError, DirectoryAway, type HasDirectory } from "../directory/directory.ts";
import { AccountElsewhere } from "../errors.ts";
import type { HasMoves } from "./moves.ts";

// While it arrives, its rows are incomplete, and its cell is still another one.
const HERE = sql(
  "account_is_here",
  `select 1 from accounts where id = $1 and not exists (
     select from account_moves where account_id = $1 and side = 'target' and state = 'arriving')`,
);
const LEFT = sql(
  "account_left_to",
  "select address from account_moves where account_id = $1 and side = 'source' and state in ('moved', 'left')",
);

/**
 * For requests of partners, which name their account: throws `AccountElsewhere` if it is in another cell. Returns if it is
 * here, or nowhere. Throws UNAVAILABLE if the directory would have to be asked, and is away.
 */
export async function refuseForeignAccount(
  { db, moves, directory }: { readonly db: Database } & HasMoves & HasDirectory,
  accountId: number,
): Promise<void> {
  if ((await db.query(HERE, [accountId])).length > 0) return moves.refuseElsewhere(accountId);
  const [left] = await db.query<{ address: string }>(LEFT, [accountId]);
  if (left !== undefined) throw new AccountElsewhere(left.address);
  if (directory === null) return;
  const cell = await cellOfAccount(directory, accountId).catch((error: unknown) => {
    throw error instanceof DirectoryAway ? awayError(error) : error;
  });
  if (cell !== null && cell.name !== directory.cell && cell.address !== null)
    throw new AccountElsewhere(cell.address);
}
