import { lstatSync, mkdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";

/**
 * Keeps compiled code in DATA_DIR/compile-cache, for this process and its workers. Node's default directory, below the
 * system's temporary one, is out of the question: Node runs what it finds there, and whoever creates it first owns it.
 * The start of the service creates DATA_DIR for it; other commands only use one that exists.
 */
export function keepCompiledCode(argv: readonly string[]): void {
  const directory = openCompileCache(readDataDir(), { create: argv[0] === "start" });
  if (directory !== undefined) enableCompileCache(directory);
}

/**
 * A directory for code that nobody but this user can have written, mode 0700; undefined where there cannot be one:
 * DATA_DIR is missing or writable by others, or the directory is not ours alone. Such a directory is left as it is.
 */
export function openCompileCache(dataDir: string, { create }: { create: boolean }): string | undefined {
  const directory = join(dataDir, "compile-cache");
  try {
    if (create) mkdirSync(dataDir, { recursive: true, mode: 0o711 });
    const owner = process.geteuid?.();
    if (owner === undefined || !isWritableOnlyBy(owner, statSync(dataDir))) return undefined;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const found = lstatSync(directory);
    return found.isDirectory() && found.uid === owner && (found.mode & 0o077) === 0 ? directory : undefined;
  } catch {
    // It only saves time; what is wrong with DATA_DIR, the command itself reports.
    return undefined;
  }
}

function isWritableOnlyBy(owner: number, { uid, mode }: Stats): boolean {
  return uid === owner && (mode & 0o022) === 0;
}

/** DATA_DIR as the settings will say it; they are read, and their faults reported, by the command itself. */
function readDataDir(): string {
  return resolve(process.env["DATA_DIR"]?.trim() || (readEnvFile()["DATA_DIR"]?.trim() ?? "") || "./data");
}

function readEnvFile(): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(".env", "utf8"));
  } catch {
    return {};
  }
}
