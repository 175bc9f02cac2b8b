/** The embedded PostgreSQL cannot run here. The message contains the reason and a remedy. */
export class EmbeddedDatabaseError extends Error {
  override readonly name: string = "EmbeddedDatabaseError";
}

/** Another service is already using this data directory. */
export class DataDirectoryInUse extends EmbeddedDatabaseError {
  override readonly name = "DataDirectoryInUse";
  constructor(dataDir: string, pid: number | undefined) {
    super(
      `Another Trunkline service${pid === undefined ? "" : ` (process ${pid})`} is already using the data directory ${dataDir}. ` +
        "Stop it first, give this one another DATA_DIR, or run several nodes on one DATABASE_URL.",
    );
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full: free some space",
  EDQUOT: "the disk quota is used up: free some space",
  EACCES: "permission denied: let this user own the directory, or choose another DATA_DIR",
  EPERM: "operation not permitted: let this user own the directory, or choose another DATA_DIR",
  EEXIST: "a file is in the way: choose another DATA_DIR",
  ENOENT: "no directory can be created there: choose another DATA_DIR",
  ENOTDIR: "a file is in the way: choose another DATA_DIR",
  EROFS: "the file system is read-only: choose another DATA_DIR",
};

/** Adds the failed operation and a remedy to a file system error; returns other errors unchanged. */
export function withRemedy(error: unknown, doing: string): unknown {
  if (!(error instanceof Error) || error instanceof EmbeddedDatabaseError) return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const remedy = REMEDIES[code] ?? (/no space left/i.test(error.message) ? REMEDIES["ENOSPC"] : undefined);
  if (remedy === undefined) return error;
  return new EmbeddedDatabaseError(`Cannot ${doing}: ${remedy}. (${error.message})`, { cause: error });
}
