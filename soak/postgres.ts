import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Database, openDatabase } from "../src/database/database.ts";
import { type EmbeddedServer, startEmbedded } from "../src/database/embedded.ts";
import { createLog } from "../src/platform/log.ts";

/** The PostgreSQL of the installation, with fsync as in production. It is restarted whenever it ends. */
export interface Postgres {
  /** Its Unix socket. */
  readonly socket: string;
  /** Direct access to the database, not through the nodes. */
  readonly db: Database;
  /** Its connection string through a proxy at this port. */
  urlAt(port: number): string;
  /** Pid of its main process. */
  pid(): number;
  /** Pids of the processes that serve the nodes. */
  backends(): Promise<number[]>;
  stop(): Promise<void>;
}

const log = createLog({ level: "silent", pretty: false });

export async function startPostgres(directory: string): Promise<Postgres> {
  const dataDir = join(directory, "postgres");
  await mkdir(dataDir, { recursive: true });
  const settings = { max_connections: "100" };
  const server: EmbeddedServer = await startEmbedded({ dataDir, log, settings });
  server.supervise();
  const { host, user, password, database } = server.connection;
  const db = openDatabase({ connection: server.connection, max: 3, log, applicationName: "soak" });
  return {
    socket: join(String(host), ".s.PGSQL.5432"),
    db,
    urlAt: (port) =>
      `postgres://${user}:${encodeURIComponent(String(password))}@127.0.0.1:${port}/${database}`,
    pid: () => server.pid,
    async backends() {
      const rows = await db.query<{ pid: number }>(
        "select pid from pg_stat_activity where backend_type = 'client backend' and application_name <> 'soak'",
      );
      return rows.map(({ pid }) => pid);
    },
    async stop() {
      await db.close();
      await server.stop();
    },
  };
}
