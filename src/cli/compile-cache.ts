import { lstatSync, readFileSync, type Stats, statSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { makeDirectory } from "../platform/file/make-directory.ts";

/**
 * Enables the compile cache in DATA_DIR/compile-cache, for this process and its workers. Node's default directory
 * below the system's temporary one is unsafe: Node executes its contents, and any user can create it first. The start
 * command creates DATA_DIR for it; other commands only use an existing one.
 */
export function keepCompiledCode(argv: readonly string[]): void {
  const directory = openCompileCache(readDataDir(), { create: argv[0] === "start" });
  if (directory !== undefined) enableCompileCache(directory);
}

/**
 * Opens a cache directory that only this user can write (mode 0700). Returns undefined if DATA_DIR is missing or
 * writable by others, or if the directory has other permissions or another owner; it is then left unchanged.
 */
export function openCompileCache(dataDir: string, { create }: { create: boolean }): string | undefined {
  const directory = join(dataDir, "compile-cache");
  try {
    if (create) makeDirectory(dataDir, 0o711);
    const owner = process.geteuid?.();
    if (owner === undefined || !isWritableOnlyBy(owner, statSync(dataDir))) return undefined;
    makeDirectory(directory, 0o700);
    const found = lstatSync(directory);
    return found.isDirectory() && found.uid === owner && (found.mode & 0o077) === 0 ? directory : undefined;
  } catch {
    // The cache only saves time; the command itself reports problems with DATA_DIR.
    return undefined;
  }
}

function isWritableOnlyBy(owner: number, { uid, mode }: Stats): boolean {
  return uid === owner && (mode & 0o022) === 0;
}

/** DATA_DIR as in the settings, which the command itself parses and validates later. */
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
