import { chmodSync, closeSync, lstatSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { EmbeddedDatabaseError } from "./error.ts";

const WAIT_MS = 120_000;
const POLL_MS = 10;
const SQLITE_BUSY = 5;

/**
 * Runs work while no other program installs, creates or launches in the same data directory. Waits up to two minutes
 * for one that does.
 */
export async function withStartupLock<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const release = await acquire(dataDir);
  try {
    return await work();
  } finally {
    release();
  }
}

/**
 * The lock is SQLite's on an empty file: the kernel frees it with its process, however that ended, so that it never
 * becomes stale; Node itself offers no lock of files. Nobody else can open the file, and so nobody can hold it.
 */
async function acquire(dataDir: string): Promise<() => void> {
  const path = join(dataDir, "starting.lock");
  makePrivateFile(path);
  const file = new DatabaseSync(path);
  const deadline = performance.now() + WAIT_MS;
  while (!tryLock(file)) {
    if (performance.now() > deadline) {
      file.close();
      throw new EmbeddedDatabaseError(
        `Another program has been starting the database in ${dataDir} for ${WAIT_MS / 1000} s. Look at DATA_DIR/postgres.log, or stop that program.`,
      );
    }
    await sleep(POLL_MS);
  }
  return () => file.close();
}

function tryLock(file: DatabaseSync): boolean {
  try {
    file.exec("begin exclusive");
    return true;
  } catch (error) {
    if (error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY) return false;
    throw error;
  }
}

/**
 * Never opens a file that is there: closing it would end the locks that this process has on it. Without a pause in
 * between, so that nothing else of this process can lock the new file before it is closed.
 */
function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  if ((lstatSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
}
