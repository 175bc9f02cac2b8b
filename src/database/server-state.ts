import type { Queryable } from "./database.ts";

/** `number`: major version times 10,000 plus the minor one, such as 160004; `version`: as text. */
export async function readServerVersion(
  db: Queryable,
): Promise<{ readonly number: number; readonly version: string } | undefined> {
  const [row] = await db.query<{ number: number; version: string }>(
    "select current_setting('server_version_num')::integer as number, current_setting('server_version') as version",
  );
  return row;
}

/** Settings that prevent the loss of acknowledged messages in a power failure, by name; "off" endangers them. */
export function readDurabilitySettings(
  db: Queryable,
): Promise<{ readonly name: string; readonly setting: string }[]> {
  return db.query(
    "select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit') order by name",
  );
}

/** The number of connections that clients may open, and how many they have open. */
export async function readConnectionUse(
  db: Queryable,
): Promise<{ readonly max: number; readonly used: number }> {
  const [row] = await db.query<{ max: number; used: number }>(
    `select current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer as max,
       (select count(*) from pg_stat_activity where backend_type = 'client backend') as used`,
  );
  return row ?? { max: 0, used: 0 };
}

/** The server's clock. */
export async function readServerTime(db: Queryable): Promise<Date | undefined> {
  const [row] = await db.query<{ at: Date }>("select clock_timestamp() as at");
  return row?.at;
}

/** This database, and no other to which a dump of it is restored; null if the server does not allow reading it. */
export async function readDatabaseId(db: Queryable): Promise<string | null> {
  const [row] = await db.query<{ id: string | null }>("select current_database_id() as id");
  return row?.id ?? null;
}
