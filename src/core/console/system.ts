import type { Queryable } from "../../database/database.ts";

export interface NodeLine {
  readonly name: string;
  readonly roles: readonly string[];
  /** The last migration that its release contains. */
  readonly schemaVersion: number;
  readonly startedAt: Date;
  readonly leaseUntil: Date;
  readonly isAlive: boolean;
  readonly channels: number;
}

/** Nodes seen within the last hour, running ones first. */
export function listNodes(db: Queryable): Promise<NodeLine[]> {
  return db.query<NodeLine>(
    `select n.name, n.roles, n.schema_version as "schemaVersion", n.started_at as "startedAt", n.lease_until as "leaseUntil", n.lease_until > now() as "isAlive",
       (select count(*)::int from channels c where c.owner = n.id and c.deleted_at is null) as channels
     from nodes n order by n.lease_until > now() desc, n.name, n.started_at`,
    [],
  );
}

export interface DatabaseFacts {
  readonly version: string;
  readonly bytes: number;
  readonly connections: number;
  readonly maxConnections: number;
  /** The largest tables with their indexes; the daily partitions of a table count as one. */
  readonly tables: readonly TableFacts[];
}

export interface TableFacts {
  readonly name: string;
  readonly bytes: number;
  /** PostgreSQL's estimate. */
  readonly rows: number;
  readonly deadRows: number;
  readonly vacuumedAt: Date | null;
}

export async function readDatabaseFacts(db: Queryable): Promise<DatabaseFacts> {
  const [facts] = await db.query<Omit<DatabaseFacts, "tables">>(
    `select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes,
       (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
       current_setting('max_connections')::int as "maxConnections"`,
    [],
  );
  const tables = await db.query<TableFacts>(
    `select regexp_replace(relname, '_d\\d+$', '') as name, sum(pg_total_relation_size(relid))::float8 as bytes,
       sum(n_live_tup)::float8 as rows, sum(n_dead_tup)::float8 as "deadRows",
       max(greatest(last_vacuum, last_autovacuum)) as "vacuumedAt"
     from pg_stat_user_tables group by 1 order by 2 desc limit 12`,
    [],
  );
  return { version: "", bytes: 0, connections: 0, maxConnections: 0, ...facts, tables };
}
