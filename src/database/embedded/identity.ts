import { chmod, chown, mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { EmbeddedDatabaseError } from "./error.ts";

/** The user that PostgreSQL runs as; undefined for our own user. */
export type Identity = { readonly uid: number; readonly gid: number } | undefined;

/** PostgreSQL refuses to run as root; uid 65534 ("nobody") is usable everywhere, even without an entry in passwd. */
const NOBODY = 65534;

export function serverIdentity(): Identity {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : undefined;
}

/** The uid that owns the server's files. */
export function ownerId(identity: Identity): number | undefined {
  return identity?.uid ?? process.getuid?.();
}

/** Creates a directory that only the server's user can enter. */
export async function makePrivate(directory: string, identity: Identity): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (identity !== undefined) await chown(directory, identity.uid, identity.gid);
  await chmod(directory, 0o700);
}

/**
 * Ensures that the server's user can traverse the path to the data directory. Adds the permission to our own
 * directory; the permissions of its parents are left to the operator.
 */
export async function makeReachable(dataDir: string, identity: Identity): Promise<void> {
  if (identity === undefined) return;
  const { mode } = await stat(dataDir);
  if ((mode & 0o011) !== 0o011) await chmod(dataDir, (mode & 0o7777) | 0o011);
  for (let directory = dirname(dataDir); ; directory = dirname(directory)) {
    if (!(await canPass(directory, identity))) throw unreachable(dataDir, directory);
    if (directory === dirname(directory)) return;
  }
}

async function canPass(directory: string, { uid, gid }: NonNullable<Identity>): Promise<boolean> {
  const found = await stat(directory);
  const bit = found.uid === uid ? 0o100 : found.gid === gid ? 0o010 : 0o001;
  return (found.mode & bit) !== 0;
}

function unreachable(dataDir: string, directory: string): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    `Started as root, PostgreSQL runs as user ${NOBODY}, which cannot traverse ${directory} to reach ${dataDir}. ` +
      `Start Trunkline as an ordinary user, choose a DATA_DIR elsewhere (such as /var/lib/trunkline), or run: chmod o+x ${directory}`,
  );
}
