import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { PoolConfig } from "pg";
import { makeDirectory } from "../platform/file/make-directory.ts";
import type { Log } from "../platform/log.ts";
import { messageOf } from "../platform/message-of.ts";
import { type Attachment, attach } from "./embedded/attachment.ts";
import { installBinaries, removeOldBinaries } from "./embedded/binaries.ts";
import { ensureCluster, socketDirectory } from "./embedded/cluster.ts";
import { DataDirectoryInUse, withRemedy } from "./embedded/error.ts";
import { makeReachable, serverIdentity } from "./embedded/identity.ts";
import { loadPassword } from "./embedded/password.ts";
import { recordedPid, runsIn, sendSignal } from "./embedded/processes.ts";
import { connectionOf, ensureServer, type ServerFiles } from "./embedded/server.ts";
import { withStartupLock } from "./embedded/startup-lock.ts";

export { DataDirectoryInUse } from "./embedded/error.ts";

/** The embedded PostgreSQL server under DATA_DIR, shared by all programs that use this directory. */
export interface EmbeddedServer {
  readonly connection: PoolConfig;
  /** Whether it was already running. */
  readonly reused: boolean;
  readonly pid: number;
  /**
   * Claims the directory for the single service that may use it. Waits up to three seconds, in case a previous
   * service has just been killed, then throws `DataDirectoryInUse` with the pid of its holder.
   */
  claimService(): Promise<void>;
  /** Restarts the server whenever it dies; `onRestart` is called once it runs again. */
  supervise(onRestart?: () => void): void;
  /**
   * Detaches from the server. The last attached program stops it (fast shutdown) and waits until it has exited. Close
   * all connections first. Idempotent.
   */
  stop(): Promise<"stopped" | "left running">;
}

/**
 * Attaches to the server of this data directory, or starts it, creating whatever is missing. Throws
 * `EmbeddedDatabaseError` with a remedy. `settings` are PostgreSQL settings, for tests.
 */
export async function startEmbedded(options: {
  dataDir: string;
  log: Log;
  settings?: Readonly<Record<string, string>>;
}): Promise<EmbeddedServer> {
  const { log, settings = {} } = options;
  try {
    const dataDir = await openDataDirectory(options.dataDir);
    const first = await startAndAttach(dataDir, settings, log);
    return embeddedServer(first, () => startAndAttach(dataDir, settings, log), log);
  } catch (error) {
    throw withRemedy(error, `use ${options.dataDir} for the embedded database`);
  }
}

async function openDataDirectory(path: string): Promise<string> {
  makeDirectory(resolve(path), 0o711);
  const dataDir = await realpath(path);
  await makeReachable(dataDir, serverIdentity());
  return dataDir;
}

interface Started {
  readonly files: ServerFiles;
  readonly reused: boolean;
  readonly pid: number;
  readonly attachment: Attachment;
}

async function startAndAttach(
  dataDir: string,
  settings: ServerFiles["settings"],
  log: Log,
): Promise<Started> {
  for (;;) {
    const found = await withStartupLock(dataDir, async () => {
      const files = await prepareFiles(dataDir, settings);
      const server = await ensureServer(files, log);
      if (!server.reused) await removeOldBinaries(dataDir, files.binaries);
      return { files, ...server };
    });
    // The server was just stopped by its last program and has ended our connection: start it again.
    const attachment = await attach(connectionOf(found.files));
    if (attachment !== undefined) return { ...found, attachment };
    await sleep(5);
  }
}

async function prepareFiles(dataDir: string, settings: ServerFiles["settings"]): Promise<ServerFiles> {
  const identity = serverIdentity();
  const binaries = await installBinaries(dataDir);
  const isOld = existsSync(join(dataDir, "db", "PG_VERSION"));
  const password = await loadPassword(dataDir);
  const isDurable = settings["fsync"] !== "off";
  const cluster = await ensureCluster(dataDir, binaries, identity, { password: password.text, isDurable });
  const socketDir = await socketDirectory(cluster, identity);
  return { dataDir, cluster, socketDir, binaries, identity, isDurable, password, isOld, settings };
}

function embeddedServer(first: Started, startAgain: () => Promise<Started>, log: Log): EmbeddedServer {
  const { files } = first;
  let current = first;
  let claimed = false;
  let stopping: Promise<"stopped" | "left running"> | undefined;

  async function claim({ attachment }: Started): Promise<void> {
    const holder = await attachment.claimService();
    if (holder !== "ours") throw new DataDirectoryInUse(files.dataDir, holder);
    claimed = true;
  }

  async function attachAgain(): Promise<Started> {
    const started = await startAgain();
    try {
      if (claimed) await claim(started);
      return started;
    } catch (error) {
      await started.attachment.leave(async () => undefined);
      throw error;
    }
  }

  async function restart(onRestart: (() => void) | undefined): Promise<void> {
    for (let pauseMs = 50; stopping === undefined; pauseMs = Math.min(pauseMs * 2, 5_000)) {
      try {
        current = await attachAgain();
        log.warn(
          { server: current.pid, launched: !current.reused },
          "the embedded PostgreSQL is running again",
        );
        watch(onRestart);
        onRestart?.();
        return;
      } catch (error) {
        log.error({ reason: messageOf(error) }, "the embedded PostgreSQL could not be restarted; retrying");
        await sleep(pauseMs, undefined, { ref: false });
      }
    }
  }

  function watch(onRestart: (() => void) | undefined): void {
    current.attachment.whenLost(() => {
      if (stopping !== undefined) return;
      log.error({ server: current.pid }, "the embedded PostgreSQL died; restarting it");
      void restart(onRestart);
    });
  }

  async function leave(): Promise<"stopped" | "left running"> {
    const isLast = await current.attachment.leave(() => shutDown(files, log));
    return isLast ? "stopped" : "left running";
  }

  return {
    connection: connectionOf(files),
    reused: first.reused,
    get pid() {
      return current.pid;
    },
    claimService: () => claim(current),
    supervise: watch,
    stop() {
      stopping ??= leave();
      return stopping;
    },
  };
}

const STOP_MS = 60_000;

/** Fast shutdown: open transactions are rolled back, and all data is on disk. */
async function shutDown({ cluster }: ServerFiles, log: Log): Promise<void> {
  const pid = await recordedPid(cluster);
  // In another container with the same volume, the recorded pid may belong to a different process.
  if (pid === undefined || !(await runsIn(pid, cluster))) return;
  sendSignal(pid, "SIGINT");
  const deadline = performance.now() + STOP_MS;
  while (await runsIn(pid, cluster)) {
    if (performance.now() > deadline) {
      log.warn(
        { server: pid },
        "the embedded PostgreSQL does not stop; killing it, the next start will recover",
      );
      sendSignal(pid, "SIGQUIT");
      return;
    }
    await sleep(5);
  }
}
