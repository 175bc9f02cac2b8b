import type { Queryable } from "../database/database.ts";

/** Facts that all nodes of a database agree on, by name: rows of `installation`. */

/** The value that was stored first: this one, if there was none. */
export async function rememberFact(db: Queryable, key: string, value: string): Promise<string> {
  const [row] = await db.query<{ value: string }>(
    `insert into installation (key, value) values ($1, $2)
     on conflict (key) do update set value = installation.value returning value`,
    [key, value],
  );
  return row?.value ?? value;
}

/** Null if it is not known. */
export async function knownFact(db: Queryable, key: string): Promise<string | null> {
  const [row] = await db.query<{ value: string }>("select value from installation where key = $1", [key]);
  return row?.value ?? null;
}

/** Replaces the value. */
export async function setFact(db: Queryable, key: string, value: string): Promise<void> {
  await db.query(
    `insert into installation (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value`,
    [key, value],
  );
}
