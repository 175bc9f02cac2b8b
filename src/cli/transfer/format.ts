import type { Queryable } from "../../database/database.ts";

/**
 * An export is gzipped lines of JSON: a manifest, then for each table its name followed by its rows, then the
 * sequences, then the number of rows. The database writes and reads the rows, so no value changes on the way.
 */
export const FORMAT = 1;

export interface Manifest {
  readonly trunklineExport: typeof FORMAT;
  readonly schema: number;
  /** Of the SECRET_KEY that sealed what is in there. */
  readonly fingerprint: string;
  readonly exportedAt: string;
}

/** Lines that are not rows. Rows are arrays around one object, so that they cannot be mistaken. */
export type Mark =
  | { readonly table: string }
  | { readonly sequence: string; readonly value: string }
  | { readonly end: { readonly rows: number } };

// Known again at the next start, or of this very installation.
const LEFT_OUT = ["schema_migrations", "nodes"];

/** Tables to move, those that others refer to first. Unlogged ones hold nothing worth keeping. */
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
    if (next === undefined) throw new Error("The tables refer to each other in a circle");
    sorted.push(next.name);
  }
  return sorted;
}
