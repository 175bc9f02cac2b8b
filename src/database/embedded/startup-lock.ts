import { chmodSync, closeSync, lstatSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { EmbeddedDatabaseError } from "./error.ts";

const WAIT_MS = 120_000;
const POLL_MS = 10;
const SQLITE_BUSY = 5;

/**
 * Runs `work` while no other program installs, creates or launches a server in the same data directory. Waits up to
 * two minutes for another program.
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
 * Uses SQLite's lock on an empty file, because Node has no file locks. The kernel releases it when the process ends,
 * so it never becomes stale. No other user can open the file, and therefore none can hold the lock.
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
        `Another program has been starting the database in ${dataDir} for ${WAIT_MS / 1000} s. See DATA_DIR/postgres.log, or stop that program.`,
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
 * Does not open an existing file, because closing it would release the locks that this process holds on it. Runs
 * synchronously, so that nothing else in this process can lock the new file before it is closed.
 */
function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  if ((lstatSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
}
