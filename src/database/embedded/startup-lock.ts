import { createHash } from "node:crypto";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EmbeddedDatabaseError } from "./error.ts";

const WAIT_MS = 120_000;

/**
 * Runs work while no other program installs, creates or launches in the same data directory. Waits for one
 * that does.
 */
export async function withStartupLock<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const release = await acquire(dataDir);
  try {
    return await work();
  } finally {
    await release();
  }
}

async function acquire(dataDir: string): Promise<() => Promise<void>> {
  const tryOnce = process.platform === "linux" ? tryAbstractSocket : tryLockFile;
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const release = await tryOnce(dataDir);
    if (release !== undefined) return release;
    if (performance.now() > deadline)
      throw new EmbeddedDatabaseError(
        `Another program has been starting the database in ${dataDir} for ${WAIT_MS / 1000} s. Look at DATA_DIR/postgres.log, or stop that program.`,
      );
    await sleep(10);
  }
}

/** The kernel frees an abstract socket with its process, however that ended: nothing can become stale. */
async function tryAbstractSocket(dataDir: string): Promise<(() => Promise<void>) | undefined> {
  const { dev, ino } = await stat(dataDir);
  const name = createHash("sha256").update(`${dev}:${ino}`).digest("hex").slice(0, 32);
  const server = createServer((socket) => socket.destroy());
  if (!(await listens(server, `\0trunkline-start-${name}`))) return undefined;
  return () => new Promise((resolve) => server.close(() => resolve()));
}

function listens(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(false) : reject(error),
    );
    server.listen(path, () => resolve(true));
  });
}

async function tryLockFile(dataDir: string): Promise<(() => Promise<void>) | undefined> {
  const path = join(dataDir, "start.lock");
  try {
    await writeFile(path, String(process.pid), { flag: "wx" });
    return () => rm(path, { force: true });
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "EEXIST") throw error;
    const holder = Number(await readFile(path, "utf8").catch(() => ""));
    if (holder > 0 && !isAlive(holder)) await rm(path, { force: true });
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
