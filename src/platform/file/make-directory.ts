import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a directory and those above it. Unlike Node's `recursive`, which asks for ever below a directory that allows
 * no new ones, such as `/proc`, it throws what the system answers.
 */
export function makeDirectory(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST" && statSync(path).isDirectory()) return;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    makeDirectory(dirname(path), mode);
    makeExisting(path, mode);
  }
}

/** Its parent exists; another program may have been faster. */
function makeExisting(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
