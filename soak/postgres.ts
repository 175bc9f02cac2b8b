import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { retryUntilStored } from "../src/core/retry.ts";
import { type Database, openDatabase } from "../src/database/database.ts";
import { sendSignal } from "../src/database/embedded/processes.ts";
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
  /** Pids of all its processes except the main one and those that serve this program. */
  processes(): Promise<number[]>;
  /** Each flush of the write-ahead log takes this much longer, up to 100 ms; 0: as fast as the disk. */
  delayFlushes(ms: number): Promise<void>;
  stop(): Promise<void>;
}

const log = createLog({ level: "silent", pretty: false });

export async function startPostgres(directory: string): Promise<Postgres> {
  const dataDir = join(directory, "postgres");
  await mkdir(dataDir, { recursive: true });
  const settings = { max_connections: "100" };
  const server: EmbeddedServer = await startEmbedded({ dataDir, log, settings });
  server.supervise();
  const pidsOf = async (which: string): Promise<number[]> => {
    // Another trouble may be ending PostgreSQL at this moment.
    const rows = await retryUntilStored(
      () =>
        db.query<{ pid: number }>(
          `select pid from pg_stat_activity where application_name <> 'soak' and ${which}`,
        ),
      () => false,
    );
    return rows.map(({ pid }) => pid);
  };
  const { host, user, password, database } = server.connection;
  const db = openDatabase({ connection: server.connection, max: 3, log, applicationName: "soak" });
  return {
    socket: join(String(host), ".s.PGSQL.5432"),
    db,
    urlAt: (port) =>
      `postgres://${user}:${encodeURIComponent(String(password))}@127.0.0.1:${port}/${database}`,
    pid: () => server.pid,
    backends: () => pidsOf("backend_type = 'client backend'"),
    processes: () => pidsOf("true"),
    async delayFlushes(ms) {
      // PostgreSQL waits for this time before a flush while at least `commit_siblings` transactions are active.
      const delay = `commit_siblings = 0\ncommit_delay = ${Math.round(ms * 1_000)}\n`;
      // "alter system" would need a superuser.
      await writeFile(join(dataDir, "db", "postgresql.auto.conf"), ms === 0 ? "" : delay);
      sendSignal(server.pid, "SIGHUP");
    },
    async stop() {
      await db.close();
      await server.stop();
    },
  };
}
