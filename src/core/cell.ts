import type { Queryable } from "../database/database.ts";
import { knownFact, rememberFact } from "./installation.ts";

/** The database belongs to a cell of another name, or the name to another cell; the message says what to set. */
class OtherCell extends Error {
  override readonly name = "OtherCell";
}

function otherName(known: string, given: string | null): OtherCell {
  const set = `Set CELL=${known}`;
  return new OtherCell(
    given === null
      ? `This database belongs to the cell "${known}", and CELL is not set. ${set}.`
      : `This database belongs to the cell "${known}", and CELL is "${given}". ${set}, or use the database of the cell "${given}".`,
  );
}

const NAME = "cell";
const RANGE = "cell_id_range";
const HAS_JOINED = "select joined_at from cells where name = $1";

/** The name of this cell, as stored; null in an installation without names. */
export function cellName(db: Queryable): Promise<string | null> {
  return knownFact(db, NAME);
}

/**
 * The name of this cell, which is stored at the first start that gives one: then all addresses and tokens contain it, so it
 * never changes. Of two nodes that start at once with different names, one is refused. Throws `OtherCell`.
 */
export async function openCell(db: Queryable, given: string | null): Promise<string | null> {
  await refuseOtherCell(db, given);
  if (given !== null && (await cellName(db)) === null && (await db.query(HAS_JOINED, [given])).length > 0)
    throw new OtherCell(`Another cell of this installation is named "${given}". Set CELL to another name.`);
  const known = given === null ? await cellName(db) : await rememberFact(db, NAME, given);
  if (known !== given) throw otherName(known ?? "", given);
  return known;
}

/** For commands, which may leave the name out: throws `OtherCell` if they give another one. Stores nothing. */
export async function refuseOtherCell(db: Queryable, given: string | null): Promise<void> {
  const known = given === null ? null : await cellName(db);
  if (known !== null && known !== given) throw otherName(known, given);
}

/** Why a start with this name is refused; null if it is not, as far as the stored name tells. */
export async function cellFault(db: Queryable, given: string | null): Promise<string | null> {
  const known = await cellName(db);
  return known === null || known === given ? null : otherName(known, given).message;
}

/** How the path of an address names a cell: `/c/CELL` before the path of the route. */
const PATH = /^\/c\/([a-z][a-z0-9]{0,7})(?=[/?]|$)/;

/** The base of a cell's links, without a trailing slash; `cell` null: in an installation without names. */
export function cellUrl(installationUrl: string, cell: string | null): string {
  return cell === null ? installationUrl : `${installationUrl}/c/${cell}`;
}

/** The cell that a path names; null if it names none. */
export function cellOfPath(path: string): string | null {
  return PATH.exec(path)?.[1] ?? null;
}

/** A path with its query, without the cell that it names. */
export function withoutCell(path: string): string {
  const rest = path.replace(PATH, "");
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** Ids of new accounts, both bounds included. */
export interface IdRange {
  readonly first: number;
  readonly last: number;
}

const IDS_OF_A_RANGE = 1_000_000;
const FIRST_CELL: IdRange = { first: 10_000_000, last: 99_999_999 };

/** Of this cell. That of the first one has eight digits, those of cells that joined it have ten. */
export async function idRange(db: Queryable): Promise<IdRange> {
  const range = await joinedRange(db);
  if (range === null) return FIRST_CELL;
  return { first: range * IDS_OF_A_RANGE, last: (range + 1) * IDS_OF_A_RANGE - 1 };
}

/** The cells that joined this one, by name. */
export async function joinedCells(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>("select name from cells order by name", []);
  return rows.map(({ name }) => name);
}

// Random, so that one that a restored first cell has forgotten is unlikely to be given again.
const JOIN = `insert into cells (name, id_range, database_id)
  select $1, r, $2 from generate_series(1000, 2146) r
  where r not in (select id_range from cells) and ($3::int is null or r = $3)
  order by random() limit 1 on conflict do nothing`;
const JOINED = `select id_range as "range", database_id = $2 as "isOurs", joined_at as "at" from cells where name = $1`;

/** A cell that joins, or has joined, the first one. */
interface JoiningCell {
  readonly name: string;
  /** Identifies its database. */
  readonly databaseId: string;
  /** Of its ids, if it has one already; null at first. */
  readonly range: number | null;
}

/**
 * Registers a cell at the first one, under its name, and returns the range of its ids. Idempotent: a first cell that was
 * restored from a backup learns again what the cell has. Throws `OtherCell` if another database has the name or the range.
 */
export async function joinCells(first: Queryable, { name, databaseId, range }: JoiningCell): Promise<number> {
  if ((await knownFact(first, RANGE)) !== null)
    throw new OtherCell(
      `The cell "${await cellName(first)}" joined an installation itself, and does not know all of its cells. Name the first cell.`,
    );
  if ((await cellName(first)) === name)
    throw new OtherCell(`The other cell is named "${name}" itself. Set CELL to another name.`);
  // Another cell may be taking the same range at this moment.
  for (let attempt = 0; attempt < 10; attempt++) {
    await first.query(JOIN, [name, databaseId, range]);
    const [row] = await first.query<{ range: number; isOurs: boolean; at: Date }>(JOINED, [name, databaseId]);
    if (row?.isOurs === false)
      throw new OtherCell(
        `The name "${name}" belongs to another database, which joined on ${row.at.toISOString().slice(0, 10)}. Set CELL to another name.`,
      );
    if (row !== undefined) return row.range;
  }
  throw new OtherCell(
    range === null
      ? "The first cell has no range of account ids left."
      : `The first cell has given the account ids of this cell, which begin with ${range}, to another one. Create a new cell, and move the accounts there.`,
  );
}

/** The first digits of the ids of accounts that a cell got when it joined; null: it has not. */
export async function joinedRange(db: Queryable): Promise<number | null> {
  const range = await knownFact(db, RANGE);
  return range === null ? null : Number(range);
}

/** Stores what a cell got when it joined. */
export async function keepMembership(tx: Queryable, name: string, range: number): Promise<void> {
  await openCell(tx, name);
  const known = await rememberFact(tx, RANGE, String(range));
  if (known !== String(range))
    throw new OtherCell(`The account ids of this cell begin with ${known} already, and not with ${range}.`);
}
