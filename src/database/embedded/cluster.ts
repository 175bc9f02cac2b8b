import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, lstat, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Binaries } from "./binaries.ts";
import { EmbeddedDatabaseError } from "./error.ts";
import { type Identity, makePrivate, ownerId } from "./identity.ts";

/** The one role that may log in to the embedded server, and the database that it owns. */
export const USER = "trunkline";
export const DATABASE = "postgres";

const run = promisify(execFile);
const SOCKET_NAME = ".s.PGSQL.5432";
// 107 on Linux, 103 on macOS.
const MAX_SOCKET_PATH_BYTES = 103;

/**
 * Creates DATA_DIR/db unless it exists. It is made under another name and renamed when complete, so that a
 * kill in the middle leaves nothing that looks like a database. Call it under the start-up lock.
 */
export async function ensureCluster(
  dataDir: string,
  binaries: Binaries,
  identity: Identity,
  password: string,
): Promise<string> {
  const directory = join(dataDir, "db");
  const version = await readFile(join(directory, "PG_VERSION"), "utf8").catch(() => undefined);
  if (version !== undefined) {
    checkMajor(directory, version.trim(), binaries.major);
    return directory;
  }
  await refuseForeignFiles(directory);
  await removeHalfMade(dataDir);
  const fresh = join(dataDir, `db.new-${process.pid}`);
  await makePrivate(fresh, identity);
  await initialise(fresh, binaries, identity);
  // The superuser never logs in; what needs it is done without a server.
  await writeFile(join(fresh, "pg_hba.conf"), `local all ${USER} scram-sha-256\n`);
  await runAlone(fresh, { binaries, identity }, [
    `create role ${USER} login createdb password '${password}'`,
    `alter database ${DATABASE} owner to ${USER}`,
  ]);
  await rm(directory, { recursive: true, force: true });
  await rename(fresh, directory);
  await syncDirectory(dataDir);
  return directory;
}

/** The initdb of a program that was killed may go on writing for a moment; it ends when its files are gone. */
async function removeHalfMade(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir))
    if (name.startsWith("db.new-"))
      await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

function checkMajor(directory: string, found: string, ours: string): void {
  if (found === ours) return;
  throw new EmbeddedDatabaseError(
    `${directory} was made by PostgreSQL ${found}, this release brings PostgreSQL ${ours}. ` +
      'Export with the release that made it ("trunkline export FILE"), then start with a new DATA_DIR and "trunkline import FILE".',
  );
}

/** A directory without PG_VERSION but with content is not ours to replace. */
async function refuseForeignFiles(directory: string): Promise<void> {
  const files = await readdir(directory).catch(() => []);
  if (files.length === 0) return;
  throw new EmbeddedDatabaseError(
    `${directory} holds files but no PostgreSQL database (PG_VERSION is missing). Restore it from a backup, or move it away to start anew.`,
  );
}

async function initialise(directory: string, binaries: Binaries, identity: Identity): Promise<void> {
  const sync = process.platform === "linux" ? ["--sync-method=syncfs"] : [];
  const locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--encoding=UTF8"];
  try {
    await run(
      join(binaries.directory, "bin", "initdb"),
      ["-D", directory, "-U", "postgres", "--auth=reject", "--no-instructions", ...locale, ...sync],
      { ...identity, cwd: "/", env: { LC_ALL: "C", TZ: "UTC" } },
    );
  } catch (cause) {
    const said = cause instanceof Error && "stderr" in cause ? String(cause.stderr).trim() : String(cause);
    await rm(directory, { recursive: true, force: true });
    throw new EmbeddedDatabaseError(`The embedded database could not be created${remedyFor(said)}: ${said}`, {
      cause,
    });
  }
}

/** Gives the role a new password, while no server runs: the file with the old one was lost. */
export function setPassword(directory: string, how: RunHow, password: string): Promise<void> {
  return runAlone(directory, how, [`alter role ${USER} password '${password}'`]);
}

interface RunHow {
  readonly binaries: Binaries;
  readonly identity: Identity;
}

/**
 * Runs statements as superuser without a server that anybody could connect to. They go over standard input, since
 * arguments can be read by everybody. Throws when one of them fails.
 */
async function runAlone(
  directory: string,
  { binaries, identity }: RunHow,
  statements: readonly string[],
): Promise<void> {
  const settings = ["-c", "exit_on_error=on", "-c", "log_min_error_statement=panic"];
  const running = run(
    join(binaries.directory, "bin", "postgres"),
    ["--single", "-D", directory, ...settings, DATABASE],
    { ...identity, cwd: "/", env: { LC_ALL: "C", TZ: "UTC" } },
  );
  running.child.stdin?.on("error", () => {}).end(`${statements.join("\n")}\n`);
  await running.catch((cause: unknown) => {
    const said = cause instanceof Error && "stderr" in cause ? String(cause.stderr).trim() : String(cause);
    throw new EmbeddedDatabaseError(`The embedded database could not be set up${remedyFor(said)}: ${said}`, {
      cause,
    });
  });
}

function remedyFor(said: string): string {
  if (/user does not exist/.test(said))
    return " because this user id has no name, which PostgreSQL insists on. Add one to /etc/passwd, run as a user that has one (such as root, or node in Node's images), or set DATABASE_URL";
  if (/no space left/i.test(said)) return " because the disk is full";
  return "";
}

/**
 * Directory of the server's unix socket: the database's own, or a short private one under the system's
 * temporary directory when the path is longer than a socket's may be.
 */
export async function socketDirectory(cluster: string, identity: Identity): Promise<string> {
  if (Buffer.byteLength(join(cluster, SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES) return cluster;
  const name = createHash("sha256").update(cluster).digest("hex").slice(0, 16);
  const directory = join(tmpdir(), `trunkline-${name}`);
  await makePrivate(directory, identity).catch(() => {});
  const found = await lstat(directory);
  // Anybody may create names there: one that is not ours could be a trap.
  if (!found.isDirectory() || found.uid !== ownerId(identity))
    throw new EmbeddedDatabaseError(
      `${directory}, needed for the database's socket because DATA_DIR is long, belongs to somebody else. Remove it or choose a shorter DATA_DIR.`,
    );
  await chmod(directory, 0o700);
  return directory;
}

export function socketPath(directory: string): string {
  return join(directory, SOCKET_NAME);
}

/** A rename is durable once its directory is. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  await handle.sync().finally(() => handle.close());
}
