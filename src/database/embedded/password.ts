import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { newSecret } from "../../platform/ids.ts";

/** The password for connections of this user's programs. */
export interface Password {
  readonly text: string;
  /** Whether it has just been generated, so that an existing database does not know it yet. */
  readonly isNew: boolean;
}

/**
 * Loads the password of the embedded server's role from DATA_DIR/postgres.key (mode 0600); generates it if the file
 * is missing. The server may run as another user, and neither its other processes nor other users can read the file.
 * Call under the start-up lock.
 */
export async function loadPassword(dataDir: string): Promise<Password> {
  const path = join(dataDir, "postgres.key");
  const known = (await readFile(path, "utf8").catch(absent)).trim();
  if (known !== "") return { text: known, isNew: false };
  const text = newSecret(32);
  const file = await open(path, "w", 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(`${text}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return { text, isNew: true };
}

function absent(error: unknown): string {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
  throw error;
}
