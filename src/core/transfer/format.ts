import type { Queryable } from "../../database/database.ts";

/**
 * An export is gzipped JSON lines: a manifest, then the name of each table followed by its rows, then the sequences,
 * then the number of rows. The database itself serialises and parses the rows, so values are not altered.
 */
export const FORMAT = 1;

/** The file cannot be imported, or not into this database; the message states why. */
export class TransferFailed extends Error {
  override readonly name = "TransferFailed";
}

export interface Manifest {
  readonly trunklineExport: typeof FORMAT;
  readonly schema: number;
  /** The fingerprint of the SECRET_KEY that sealed the values. */
  readonly fingerprint: string;
  readonly exportedAt: string;
  /** The day of the logs' latest ids, in days since 1970. It may be in the future: ids never decrease. */
  readonly logDay: number;
}

/** Lines other than rows. Rows are arrays around one object, so the two cannot be confused. */
export type Mark =
  | { readonly table: string }
  | { readonly sequence: string; readonly value: string }
  | { readonly end: { readonly rows: number } };

// Created at the next start, or specific to this installation.
const LEFT_OUT = [
  "schema_migrations",
  "schema_floor",
  "nodes",
  "database_timeline",
  "upkeep_leader",
  "upkeep_steps",
];

/** The tables to export, referenced tables first. Unlogged tables are excluded. */
export async function tablesToMove(db: Queryable): Promise<string[]> {
  const tables = await db.query<{ name: string; needs: string[] }>(
    `select c.relname as name, array(
       select f.confrelid::regclass::text from pg_constraint f
       where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as needs
     from pg_class c
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
       and c.relname <> all ($1)
     order by c.relname`,
    [LEFT_OUT],
  );
  const sorted: string[] = [];
  while (sorted.length < tables.length) {
    const next = tables.find(
      ({ name, needs }) => !sorted.includes(name) && needs.every((one) => sorted.includes(one)),
    );
    if (next === undefined) throw new Error("The foreign keys of the tables form a cycle");
    sorted.push(next.name);
  }
  return sorted;
}
