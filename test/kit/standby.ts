import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg, { type PoolConfig } from "pg";
import { vi } from "vitest";
import { serverIdentity } from "../../src/database/embedded/identity.ts";
import { liveProcesses, sendSignal } from "../../src/database/embedded/processes.ts";
import { startEmbedded } from "../../src/database/embedded.ts";
import { quietLog } from "./database.ts";
import { type Line, startLine } from "./line.ts";

/** A primary with an asynchronous standby, both real servers, and one address that leads to the one that serves. */
export interface Pair {
  /** For DATABASE_URL. */
  readonly url: string;
  /** Carries the primary's changes to the standby. */
  readonly replication: Line;
  /** One statement on the standby before it is promoted. */
  askStandby(statement: string): Promise<Record<string, unknown>[]>;
  /** Resolves when the standby has what the primary has by now. */
  caughtUp(): Promise<void>;
  /** Makes the standby a synchronous one: from now on commits wait for it. */
  synchronize(): Promise<void>;
  /** Kills every process of the primary, promotes the standby, and lets the address lead to it. */
  failOver(): Promise<void>;
  /** Lets the address lead to the standby without promoting it, and kills every process of the primary. */
  leadToStandby(): Promise<void>;
  /** Promotes the standby; returns when it accepts changes. */
  promote(): void;
  stop(): Promise<void>;
}

const SETTINGS = { wal_level: "replica", max_wal_senders: "10", shared_buffers: "32MB" };

/** The directory must be open to the user that PostgreSQL runs as. */
export async function startPair(directory: string): Promise<Pair> {
  const dataDir = join(directory, "primary");
  const cluster = join(dataDir, "db");
  const standby = join(directory, "standby");
  mkdirSync(dataDir);
  await (await startEmbedded({ dataDir, log: quietLog })).stop();
  const programs = join(dataDir, readdirSync(dataDir).find((name) => name.startsWith("pg-")) ?? "", "bin");
  allowReplication(programs, cluster);
  execFileSync("cp", ["-a", cluster, standby]);
  const primary = await startEmbedded({ dataDir, log: quietLog, settings: SETTINGS });
  const { user, password, database } = primary.connection;
  const replication = await startLine({ path: join(cluster, ".s.PGSQL.5432") });
  const server = launchStandby(
    programs,
    standby,
    `host=127.0.0.1 port=${replication.port} user=${user} password=${String(password)}`,
  );
  const current = join(directory, "current");
  lead(current, cluster);
  const host = encodeURIComponent(current);
  const askStandby = (statement: string) => ask({ ...primary.connection, host: standby }, statement);
  const killPrimary = async () => {
    for (const pid of await liveProcesses(cluster)) sendSignal(pid, "SIGKILL");
  };
  const promote = () => void execFileSync(join(programs, "pg_ctl"), ["promote", "-D", standby], asServer());
  return {
    url: `postgres://${user}:${encodeURIComponent(String(password))}@localhost/${database}?host=${host}`,
    replication,
    askStandby,
    async caughtUp() {
      const [now] = await ask(primary.connection, "select pg_current_wal_lsn()::text as lsn");
      const isThere = `select pg_last_wal_replay_lsn() >= '${now?.["lsn"]}'::pg_lsn as there`;
      await vi.waitUntil(async () => (await askStandby(isThere))[0]?.["there"] === true);
    },
    async synchronize() {
      appendFileSync(join(cluster, "postgresql.conf"), "synchronous_standby_names = '*'\n");
      execFileSync(join(programs, "pg_ctl"), ["reload", "-D", cluster], asServer());
      const isSynchronous = "select where current_setting('synchronous_standby_names') = '*'";
      await vi.waitUntil(async () => (await ask(primary.connection, isSynchronous)).length > 0);
    },
    async failOver() {
      await killPrimary();
      promote();
      lead(current, standby);
    },
    async leadToStandby() {
      lead(current, standby);
      await killPrimary();
    },
    promote,
    async stop() {
      for (const pid of await liveProcesses(cluster)) sendSignal(pid, "SIGQUIT");
      const ended = server.exitCode === null ? once(server, "exit") : null;
      server.kill("SIGQUIT");
      await ended;
      await replication.cut();
    },
  };
}

async function ask(connection: PoolConfig, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

const asServer = () => ({ ...serverIdentity(), cwd: "/", env: { LC_ALL: "C", TZ: "UTC" } });

function allowReplication(programs: string, cluster: string): void {
  execFileSync(join(programs, "postgres"), ["--single", "-D", cluster, "postgres"], {
    ...asServer(),
    input: "alter role trunkline replication\n",
    stdio: ["pipe", "ignore", "ignore"],
  });
  appendFileSync(join(cluster, "pg_hba.conf"), "local replication trunkline scram-sha-256\n");
}

function launchStandby(programs: string, directory: string, primary: string): ChildProcess {
  writeFileSync(join(directory, "standby.signal"), "");
  const settings = { ...SETTINGS, listen_addresses: "", unix_socket_directories: directory };
  const options = Object.entries({ ...settings, primary_conninfo: primary }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  return spawn(join(programs, "postgres"), ["-D", directory, ...options], { ...asServer(), stdio: "ignore" });
}

/** Changes where a symbolic link leads, at once. */
function lead(link: string, target: string): void {
  symlinkSync(target, `${link}.new`);
  renameSync(`${link}.new`, link);
}
