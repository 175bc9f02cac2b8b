import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, lstat, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { commandLine } from "../../platform/command-line.ts";
import type { Binaries } from "./binaries.ts";
import { EmbeddedDatabaseError } from "./error.ts";
import { type Identity, makePrivate, ownerId } from "./identity.ts";

/** The only role that may log in to the embedded server, and the database that it owns. */
export const USER = "trunkline";
export const DATABASE = "postgres";

const run = promisify(execFile);
const SOCKET_NAME = ".s.PGSQL.5432";
// 107 on Linux, 103 on macOS.
const MAX_SOCKET_PATH_BYTES = 103;

/**
 * Creates DATA_DIR/db unless it exists. It is created under a temporary name and renamed when complete, so that an
 * interrupted creation never looks like a database. Call under the start-up lock. `isDurable`: false for a server that
 * is to run without fsync; its creation waits for no disk either.
 */
export async function ensureCluster(
  dataDir: string,
  binaries: Binaries,
  identity: Identity,
  { password, isDurable }: { readonly password: string; readonly isDurable: boolean },
): Promise<string> {
  const directory = join(dataDir, "db");
  const version = await readFile(join(directory, "PG_VERSION"), "utf8").catch(() => undefined);
  if (version !== undefined) {
    checkMajor(directory, version.trim(), binaries.major);
    return directory;
  }
  await rejectForeignFiles(directory);
  await removeIncomplete(dataDir);
  const fresh = join(dataDir, `db.new-${process.pid}`);
  await makePrivate(fresh, identity);
  const how = { binaries, identity, isDurable };
  await initialise(fresh, how);
  // The superuser never logs in; superuser work is done in single-user mode.
  await writeFile(join(fresh, "pg_hba.conf"), `local all ${USER} scram-sha-256\n`);
  await runSingleUser(fresh, how, [
    `create role ${USER} login createdb password '${password}'`,
    `alter database ${DATABASE} owner to ${USER}`,
  ]);
  await rm(directory, { recursive: true, force: true });
  await rename(fresh, directory);
  await syncDirectory(dataDir);
  return directory;
}

/** The initdb of a killed program may keep writing for a moment; it fails once its files are removed. */
async function removeIncomplete(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir))
    if (name.startsWith("db.new-"))
      await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

function checkMajor(directory: string, found: string, ours: string): void {
  if (found === ours) return;
  throw new EmbeddedDatabaseError(
    `${directory} was created by PostgreSQL ${found}, but this release contains PostgreSQL ${ours}. ` +
      `Export with the release that created it ("${commandLine("export FILE")}"), then import the file with a new DATA_DIR that contains only secret.key ("${commandLine("import FILE")}").`,
  );
}

/** Refuses to replace a directory that has content but no PG_VERSION. */
async function rejectForeignFiles(directory: string): Promise<void> {
  const files = await readdir(directory).catch(() => []);
  if (files.length === 0) return;
  throw new EmbeddedDatabaseError(
    `${directory} contains files but no PostgreSQL database (PG_VERSION is missing). Restore it from a backup, or move it away to start anew.`,
  );
}

async function initialise(directory: string, { binaries, identity, isDurable }: RunHow): Promise<void> {
  const durably = process.platform === "linux" ? ["--sync-method=syncfs"] : [];
  const sync = isDurable ? durably : ["--no-sync"];
  // Until there are old segments to reuse, every commit waits while a new one is written and flushed. With 4 MB in place
  // of 16, beside a writer of 2 MB/s: the longest of 750 commits took 50 to 90 ms in place of 130 to 200.
  const log = ["--wal-segsize=4"];
  const locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--encoding=UTF8"];
  try {
    await run(
      join(binaries.directory, "bin", "initdb"),
      ["-D", directory, "-U", "postgres", "--auth=reject", "--no-instructions", ...log, ...locale, ...sync],
      { ...identity, cwd: "/", env: { LC_ALL: "C", TZ: "UTC" } },
    );
  } catch (cause) {
    const said = saidBy(cause);
    await rm(directory, { recursive: true, force: true });
    throw new EmbeddedDatabaseError(`The embedded database could not be created${remedyFor(said)}: ${said}`, {
      cause,
    });
  }
}

/** Sets a new password after the file with the old one was lost. The server must not be running. */
export function setPassword(directory: string, how: RunHow, password: string): Promise<void> {
  return runSingleUser(directory, how, [`alter role ${USER} password '${password}'`]);
}

interface RunHow {
  readonly binaries: Binaries;
  readonly identity: Identity;
  readonly isDurable: boolean;
}

/**
 * Runs statements as superuser in single-user mode, so that nobody can connect. They are passed on standard input,
 * because command-line arguments are visible to all users. Throws if one fails.
 */
async function runSingleUser(
  directory: string,
  { binaries, identity, isDurable }: RunHow,
  statements: readonly string[],
): Promise<void> {
  const sync = isDurable ? [] : ["-c", "fsync=off"];
  const settings = ["-c", "exit_on_error=on", "-c", "log_min_error_statement=panic", ...sync];
  const running = run(
    join(binaries.directory, "bin", "postgres"),
    ["--single", "-D", directory, ...settings, DATABASE],
    { ...identity, cwd: "/", env: { LC_ALL: "C", TZ: "UTC" } },
  );
  running.child.stdin?.on("error", () => {}).end(`${statements.join("\n")}\n`);
  await running.catch((cause: unknown) => {
    const said = saidBy(cause);
    throw new EmbeddedDatabaseError(`The embedded database could not be set up${remedyFor(said)}: ${said}`, {
      cause,
    });
  });
}

/** What a program printed before it failed; of one that could not be started or was killed, the error itself. */
function saidBy(cause: unknown): string {
  const printed = cause instanceof Error && "stderr" in cause ? String(cause.stderr).trim() : "";
  return printed || String(cause);
}

function remedyFor(said: string): string {
  if (/spawn .* EACCES/.test(said))
    return " because its programs cannot be executed: DATA_DIR must not be on a file system mounted with noexec";
  if (/user does not exist/.test(said))
    return " because this user id has no name, which PostgreSQL requires. Add one to /etc/passwd, run as a user that has one (such as root, or node in Node's images), or set DATABASE_URL";
  if (/no space left/i.test(said)) return " because the disk is full";
  return "";
}

/**
 * The directory of the server's Unix socket: the database directory, or a private one under the system's temporary
 * directory if the path would exceed the limit for sockets.
 */
export async function socketDirectory(cluster: string, identity: Identity): Promise<string> {
  if (Buffer.byteLength(join(cluster, SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES) return cluster;
  const name = createHash("sha256").update(cluster).digest("hex").slice(0, 16);
  const directory = join(tmpdir(), `trunkline-${name}`);
  await makePrivate(directory, identity).catch(() => {});
  const found = await lstat(directory);
  // Any user may create names there, so a directory with another owner is rejected.
  if (!found.isDirectory() || found.uid !== ownerId(identity))
    throw new EmbeddedDatabaseError(
      `${directory}, needed for the database's socket because DATA_DIR is long, belongs to another user. Remove it or choose a shorter DATA_DIR.`,
    );
  await chmod(directory, 0o700);
  return directory;
}

export function socketPath(directory: string): string {
  return join(directory, SOCKET_NAME);
}

/** A rename is durable once its directory has been synced. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  await handle.sync().finally(() => handle.close());
}
