import { type ChildProcess, spawn } from "node:child_process";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg, { type PoolConfig } from "pg";
import type { Log } from "../../platform/log.ts";
import { messageOf } from "../../platform/message-of.ts";
import { sqlState } from "../failure.ts";
import type { Binaries } from "./binaries.ts";
import { DATABASE, setPassword, socketPath, USER } from "./cluster.ts";
import { EmbeddedDatabaseError } from "./error.ts";
import type { Identity } from "./identity.ts";
import type { Password } from "./password.ts";
import { endOrphans, liveProcesses, recordedPid } from "./processes.ts";

/** The files and identity of the server of one data directory. */
export interface ServerFiles {
  readonly dataDir: string;
  readonly cluster: string;
  readonly socketDir: string;
  readonly binaries: Binaries;
  readonly identity: Identity;
  /** False with `fsync=off` in `settings`. */
  readonly isDurable: boolean;
  readonly password: Password;
  /** The database existed before this start, and may have another password than a newly generated one. */
  readonly isOld: boolean;
  /** Overrides for tests. */
  readonly settings: Readonly<Record<string, string>>;
}

/** The server accepts connections only on its socket, and only from one role. */
const SETTINGS = {
  listen_addresses: "",
  unix_socket_permissions: "0700",
  // The pool of the service (at most 40, see DATABASE_POOL_MAX), its other connections, and commands.
  max_connections: "60",
  shared_buffers: "128MB",
  min_wal_size: "512MB",
  max_wal_size: "2GB",
  wal_level: "minimal",
  max_wal_senders: "0",
  // Processes that would only wait: our reads are short, and nothing is replicated.
  io_method: "sync",
  max_logical_replication_workers: "0",
  jit: "off",
  // Queues are small tables whose rows change constantly.
  autovacuum_naptime: "10s",
  timezone: "UTC",
  log_timezone: "UTC",
  log_line_prefix: "%m [%p] %q%a ",
  // We report refused statements ourselves: they may contain secrets, and a client that provokes them could fill the
  // disk.
  log_min_messages: "log",
  log_min_error_statement: "panic",
} as const;

const REFUSED_REMEDY =
  ". Put DATA_DIR/postgres.key back, or stop all programs that use this DATA_DIR, remove that file and start again.";
const MAX_LOG_BYTES = 10 * 1024 * 1024;
// Crash recovery may have to replay max_wal_size.
const START_MS = 600_000;
// Orphaned processes usually exit within milliseconds.
const ORPHAN_GRACE_MS = 1_000;

export function connectionOf({ socketDir, password }: ServerFiles): PoolConfig {
  return { host: socketDir, port: 5432, user: USER, password: password.text, database: DATABASE };
}

/** Finds the running server or launches one, and returns once it accepts statements. Call under the start-up lock. */
export async function ensureServer(files: ServerFiles, log: Log): Promise<{ reused: boolean; pid: number }> {
  const deadline = performance.now() + START_MS;
  const orphanDeadline = performance.now() + ORPHAN_GRACE_MS;
  let launched: Launched | undefined;
  while (performance.now() < deadline) {
    const state = await probe(files);
    if (state === "ready")
      return { reused: launched === undefined, pid: (await recordedPid(files.cluster)) ?? 0 };
    if (launched?.exited() === true) throw await startFailed(files, launched);
    if (state === "absent" && launched === undefined) {
      if ((await liveProcesses(files.cluster)).length === 0) {
        await removeStaleLocks(files);
        if (files.isOld && files.password.isNew) await setPassword(files.cluster, files, files.password.text);
        launched = await launch(files);
        log.debug({ directory: files.cluster }, "the embedded PostgreSQL was launched");
      } else if (performance.now() > orphanDeadline) {
        const ended = await endOrphans(files.cluster).catch(() => 0);
        if (ended > 0) log.warn({ processes: ended }, "killed the orphaned processes of a killed PostgreSQL");
      }
    }
    await sleep(5);
  }
  throw new EmbeddedDatabaseError(
    `The embedded PostgreSQL did not become ready within ${START_MS / 60_000} minutes. See ${logPath(files)}.`,
  );
}

interface Launched {
  exited(): boolean;
  /** Where its output starts in the log, in bytes. */
  readonly logStart: number;
}

/**
 * Launches the server detached, with its own log. It survives a crash of this process, and the next start attaches to
 * it.
 */
async function launch(files: ServerFiles): Promise<Launched> {
  await rotateLog(logPath(files));
  const log = await open(logPath(files), "a", 0o640);
  try {
    const { size: logStart } = await log.stat();
    const settings = { ...SETTINGS, unix_socket_directories: files.socketDir, ...files.settings };
    const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const child = spawn(
      join(files.binaries.directory, "bin", "postgres"),
      ["-D", files.cluster, ...options],
      {
        ...files.identity,
        cwd: files.cluster,
        detached: true,
        stdio: ["ignore", log.fd, log.fd],
        env: { LC_ALL: "C", TZ: "UTC" },
      },
    );
    const exited = watchExit(child);
    child.unref();
    return { exited, logStart };
  } finally {
    await log.close();
  }
}

function watchExit(child: ChildProcess): () => boolean {
  let ended = false;
  child.once("exit", () => {
    ended = true;
  });
  child.once("error", () => {
    ended = true;
  });
  return () => ended;
}

/** `busy`: the server is starting, recovering or stopping, and will later be ready or absent. */
async function probe(files: ServerFiles): Promise<"ready" | "busy" | "absent"> {
  const client = new pg.Client({ ...connectionOf(files), connectionTimeoutMillis: 2_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    return "ready";
  } catch (error) {
    const state = sqlState(error);
    if (state === "57P03" || state === "53300" || state === "57P01") return "busy";
    if (state === undefined) return "absent";
    const remedy = state.startsWith("28") ? REFUSED_REMEDY : "";
    throw new EmbeddedDatabaseError(
      `The embedded PostgreSQL refused the connection: ${messageOf(error)}${remedy}`,
      {
        cause: error,
      },
    );
  } finally {
    client.end().catch(() => {});
  }
}

async function removeStaleLocks({ cluster, socketDir }: ServerFiles): Promise<void> {
  const socket = socketPath(socketDir);
  for (const file of [join(cluster, "postmaster.pid"), `${socket}.lock`, socket])
    await rm(file, { force: true });
}

function logPath({ dataDir }: ServerFiles): string {
  return join(dataDir, "postgres.log");
}

async function rotateLog(path: string): Promise<void> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > MAX_LOG_BYTES) await rename(path, `${path}.1`);
}

async function startFailed(files: ServerFiles, { logStart }: Launched): Promise<EmbeddedDatabaseError> {
  const log = await readFile(logPath(files)).catch(() => Buffer.alloc(0));
  const lines = log.toString("utf8", logStart).trim().split("\n").slice(-5);
  const remedy = lines.some((line) => /no space left/i.test(line))
    ? "The disk is full: free some space."
    : lines.some((line) => /permission denied/i.test(line))
      ? "Its user cannot access the directory: restore the permissions, or choose another DATA_DIR."
      : `The full log is ${logPath(files)}.`;
  return new EmbeddedDatabaseError(
    `The embedded PostgreSQL exited during start-up. ${remedy} Its last output:\n${lines.join("\n")}`,
  );
}
