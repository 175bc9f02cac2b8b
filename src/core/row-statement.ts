import { type Queryable, sql } from "../database/database.ts";

/** A column of the rows that a statement reads. */
export interface Column<Row> {
  readonly name: string;
  /** The PostgreSQL type. */
  readonly type: string;
  /** A string, a number or null. Texts from outside have to be `storable`. */
  of(row: Row): string | number | null;
}

/**
 * A query for the rows that are passed as one array per column, in their order: PostgreSQL reads that several times
 * faster than rows of JSON.
 */
export function manyRows<Row>(columns: readonly Column<Row>[]): string {
  const arrays = columns.map(({ type }, place) => `$${place + 1}::${type}[]`);
  return `select * from unnest(${arrays.join(", ")}) with ordinality as r(${columns.map(({ name }) => name).join(", ")}, ord)`;
}

/** The same for one row, the usual case at a low load, as plain parameters. */
export function oneRow<Row>(columns: readonly Column<Row>[]): string {
  return `select ${columns.map(({ name, type }, place) => `$${place + 1}::${type} as ${name}`).join(", ")}, 1::bigint as ord`;
}

/** The parameters for `oneRow` if there is one row, for `manyRows` otherwise. */
export function valuesOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): unknown[] {
  const [only, ...others] = rows;
  if (only !== undefined && others.length === 0) return columns.map(({ of }) => of(only));
  return columns.map(({ of }) => rows.map(of));
}

/** A statement that reads rows; a single row is passed without arrays. */
export interface RowStatement<Row> {
  run<Result extends object>(db: Queryable, rows: readonly Row[]): Promise<Result[]>;
}

/** `textOf` is called with a query for the rows, which also have their place as `ord`. */
export function rowStatement<Row>(
  name: string,
  columns: readonly Column<Row>[],
  textOf: (rows: string) => string,
): RowStatement<Row> {
  const many = sql(name, textOf(manyRows(columns)));
  const one = sql(`${name}_one`, textOf(oneRow(columns)));
  return { run: (db, rows) => db.query(rows.length === 1 ? one : many, valuesOf(columns, rows)) };
}
