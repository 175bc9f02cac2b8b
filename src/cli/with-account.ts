import { isAccount } from "../core/account/accounts.ts";
import { foreignCell, worksHere } from "../core/move/foreign-account.ts";
import { commandLine } from "../platform/command-line.ts";
import { CommandFailed } from "./command.ts";
import { type DatabaseContext, withDatabase } from "./with-database.ts";
import { withOwnDirectory } from "./with-directory.ts";

/** `withDatabase` for a command on one account. Throws `CommandFailed`, which says where the account is, if not here. */
export function withAccount<T>(id: number, work: (place: DatabaseContext) => Promise<T>): Promise<T> {
  return withDatabase(async (place) => {
    await requireAccount(place, id);
    return work(place);
  });
}

/** `withDatabase` for a command on what exists, of this account if one is given: one that does not exist has nothing. */
export function withAccountFilter<T>(
  id: number | null,
  work: (place: DatabaseContext) => Promise<T>,
): Promise<T> {
  return withDatabase(async (place) => {
    if (id !== null) await refuseForeignAccount(place, id);
    return work(place);
  });
}

/** Throws `CommandFailed` if there is no such account here. */
export async function requireAccount(place: DatabaseContext, id: number): Promise<void> {
  await refuseForeignAccount(place, id);
  if (!(await isAccount(place.db, id))) throw noAccount(id);
}

export function noAccount(id: number): CommandFailed {
  return new CommandFailed(
    `There is no account ${id}; "${commandLine("account list")}" shows those there are, "${commandLine("account create")}" creates one`,
  );
}

/** Throws `CommandFailed` if the account is in another cell. */
export async function refuseForeignAccount(place: DatabaseContext, id: number): Promise<void> {
  const { db } = place;
  if (await worksHere(db, id)) return;
  const cell = await withOwnDirectory(place, (directory) => foreignCell({ db, directory }, id));
  if (cell === null) return;
  const name = cell.name === null ? "the cell" : `the cell ${cell.name}`;
  const address = cell.address === null ? "" : ` at ${cell.address}`;
  throw new CommandFailed(
    `The account ${id} is in ${name}${address}. Run the command with the settings of that cell.`,
  );
}
