import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { newSecret } from "../../platform/ids.ts";

/** What this user's programs log in with. */
export interface Password {
  readonly text: string;
  /** It was generated just now: a database that is there already does not know it yet. */
  readonly isNew: boolean;
}

/**
 * The password of the embedded server's role: in DATA_DIR/postgres.key, mode 0600, generated when that is missing. The
 * server's user need not be ours, so that neither its other processes nor anybody else can read it. Call it under the
 * start-up lock.
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
