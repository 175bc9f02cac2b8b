import type { Database, Queryable } from "../../database/database.ts";
import { type Seal, SealBroken, WrongSecretKey } from "../../platform/seal.ts";
import { ticketOf } from "../channel/link/unlinked.ts";
import { SEALED_COLUMNS, type SealedColumn } from "./sealed-columns.ts";

const BATCH = 200;

/** Progress of a rotation in one column. */
export interface RotationStep {
  readonly table: string;
  readonly column: string;
  /** Values re-encrypted in this run. */
  readonly resealed: number;
  /** Values that no given key can decrypt; they are left unchanged. */
  readonly unreadable: number;
}

interface Keys {
  readonly db: Database;
  readonly seal: Seal;
}

/** Names of live nodes that use another key. */
export async function nodesWithOtherKeys({ db, seal }: Keys): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    "select name from nodes where lease_until > now() and sealing_key is distinct from $1 order by name",
    [seal.fingerprint],
  );
  return rows.map(({ name }) => name);
}

/**
 * Re-encrypts every value sealed with another key, while the service runs. A value is replaced only if it is
 * unchanged since it was read, so that concurrent writes of nodes are kept. It can be interrupted and repeated,
 * because values state the key they were sealed with. Yields after each batch.
 */
export async function* reseal(keys: Keys): AsyncGenerator<RotationStep> {
  for (const column of SEALED_COLUMNS) yield* resealColumn(keys, column);
}

type Row = Readonly<Record<string, string>> & { readonly sealed_value: Buffer };

async function* resealColumn({ db, seal }: Keys, place: SealedColumn): AsyncGenerator<RotationStep> {
  const { table, column } = place;
  let [resealed, unreadable] = [0, 0];
  let after: Row | null = null;
  for (;;) {
    const rows: Row[] = await readAfter(db, { seal, place, after });
    for (const row of rows) {
      const outcome = await resealRow(db, { seal, place, row });
      if (outcome === "unreadable") unreadable++;
      else if (outcome === "resealed") resealed++;
    }
    yield { table, column, resealed, unreadable };
    after = rows.at(-1) ?? null;
    if (after === null) return;
  }
}

/** The next values, in primary key order, that are not sealed with the present key. Empty ones are no secrets. */
function readAfter(
  db: Queryable,
  { seal, place, after }: { readonly seal: Seal; readonly place: SealedColumn; readonly after: Row | null },
): Promise<Row[]> {
  const { table, column, key } = place;
  const names = Object.keys(key);
  const shown = names.map((name) => `${name}::text as ${name}`).join(", ");
  const beyond = Object.values(key).map((type, index) => `$${index + 2}::text::${type}`);
  const start = after === null ? "" : `and (${names.join(", ")}) > (${beyond.join(", ")})`;
  return db.query<Row>(
    `select ${shown}, ${column} as sealed_value from ${table}
     where ${column} <> '' and substring(${column} from 1 for ${seal.header.length}) <> $1 ${start}
     order by ${names.join(", ")} limit ${BATCH}`,
    [seal.header, ...(after === null ? [] : names.map((name) => after[name]))],
  );
}

/** "changed": it was written in the meantime, with a current key; the next run checks it. */
async function resealRow(
  db: Queryable,
  { seal, place, row }: { readonly seal: Seal; readonly place: SealedColumn; readonly row: Row },
): Promise<"resealed" | "changed" | "unreadable"> {
  const plain = opened(seal, row.sealed_value, place.context(row));
  if (plain === null) return "unreadable";
  const { table, column, key } = place;
  const sealed = seal.seal(plain, place.context(row));
  const conditions = Object.entries(key).map(
    ([name, type], index) => `${name} = $${index + 3}::text::${type}`,
  );
  const link = linkOf(seal, place, { row, sealed });
  const changed = await db.query(
    `update ${table} set ${column} = $1${link === null ? "" : `, url = replace(url, $${conditions.length + 3}, $${conditions.length + 4})`}
     where ${column} = $2 and ${conditions.join(" and ")} returning 1`,
    [sealed, row.sealed_value, ...Object.keys(key).map((name) => row[name]), ...(link ?? [])],
  );
  return changed.length > 0 ? "resealed" : "changed";
}

/**
 * The old and the new ticket of a channel's connect link, which is derived from the exact bytes of the sealed
 * credentials; null for other tables.
 */
function linkOf(
  seal: Seal,
  { table }: SealedColumn,
  { row, sealed }: { readonly row: Row; readonly sealed: Buffer },
): readonly [string, string] | null {
  if (table !== "channels") return null;
  const { id = "" } = row;
  return [ticketOf({ seal }, id, row.sealed_value), ticketOf({ seal }, id, sealed)];
}

function opened(seal: Seal, sealed: Buffer, context: string): Buffer | null {
  try {
    return seal.open(sealed, context);
  } catch (error) {
    if (error instanceof SealBroken || error instanceof WrongSecretKey) return null;
    throw error;
  }
}
