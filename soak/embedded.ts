import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sendSignal } from "../src/database/embedded/processes.ts";
import { startEmbedded } from "../src/database/embedded.ts";
import { createLog } from "../src/platform/log.ts";
import { accessTo, type Postgres } from "./postgres.ts";
import { type Disturbance, LONG_MS, seconds } from "./trouble/contract.ts";

const log = createLog({ level: "silent", pretty: false });

/** One embedded server, with fsync as in production. It is restarted whenever it ends. */
export async function startEmbeddedPostgres(directory: string): Promise<Postgres> {
  const dataDir = join(directory, "postgres");
  await mkdir(dataDir, { recursive: true });
  const server = await startEmbedded({ dataDir, log, settings: { max_connections: "100" } });
  server.supervise();
  const { host, user, password, database } = server.connection;
  const access = accessTo(server.connection);
  return {
    ...access,
    address: { path: join(String(host), ".s.PGSQL.5432") },
    urlAt: (port) =>
      `postgres://${user}:${encodeURIComponent(String(password))}@127.0.0.1:${port}/${database}`,
    troubles: [slowDisk(join(dataDir, "db"), () => server.pid), restart(() => server.pid)],
    faults: null,
    kill: () => sendSignal(server.pid, "SIGQUIT"),
    async stop() {
      await access.close();
      await server.stop();
    },
  };
}

function slowDisk(cluster: string, pid: () => number): Disturbance {
  const delayFlushes = async (ms: number): Promise<void> => {
    // PostgreSQL waits for this time before a flush while at least `commit_siblings` transactions are active.
    const delay = `commit_siblings = 0\ncommit_delay = ${Math.round(ms * 1_000)}\n`;
    // "alter system" would need a superuser.
    await writeFile(join(cluster, "postgresql.auto.conf"), ms === 0 ? "" : delay);
    sendSignal(pid(), "SIGHUP");
  };
  return {
    name: "slow down the disk",
    weight: 3,
    async run(random, rest) {
      const [delayMs, ms] = [random.between(10, 100), random.between(500, LONG_MS)];
      await delayFlushes(delayMs);
      try {
        await rest(ms);
      } finally {
        await delayFlushes(0);
      }
      return `${Math.round(delayMs)} ms more for each flush, for ${seconds(ms)}`;
    },
  };
}

function restart(pid: () => number): Disturbance {
  return {
    name: "restart PostgreSQL at once",
    weight: 1,
    async run() {
      sendSignal(pid(), "SIGQUIT");
      return "immediate shutdown; it recovers";
    },
  };
}
