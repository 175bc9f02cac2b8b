import { type Statement, sql } from "../database/database.ts";

/** Statements, by table, that delete expired rows, a limited number each, and return the number as `rows`. */
export type Removals = Readonly<Record<string, Statement>>;

/** `statements`: by table, the deletion without `returning`. */
export const removals = (statements: Readonly<Record<string, string>>): Removals =>
  Object.fromEntries(
    Object.entries(statements).map(([table, statement]) => [
      table,
      sql(
        `forget_${table}`,
        `with gone as (${statement} returning 1) select count(*)::int as rows from gone`,
      ),
    ]),
  );

/** Deletes rows of a table by their age. The limit keeps one statement from delaying the others. */
export const older = (table: string, column: string, age: string, limit = 5_000): string =>
  `delete from ${table} where ctid in (select ctid from ${table} where ${column} < now() - interval '${age}' limit ${limit})`;

/** `$1`: the days for which messages are kept; at least 8, because messages count as unanswered for seven. */
export const MESSAGE_CUT_OFF = "now() - greatest($1, 8) * interval '1 day'";
