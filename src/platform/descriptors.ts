import { readdirSync, readFileSync } from "node:fs";

/** Files and connections that this process has open, and how many it may. */
export interface Descriptors {
  readonly open: number;
  readonly limit: number;
}

/** Counts them; null where the system does not tell (only Linux does). Without a descriptor left all count as open. */
export function countDescriptors(): Descriptors | null {
  if (process.platform !== "linux") return null;
  const limit = readLimit();
  try {
    return { open: readdirSync("/proc/self/fd").length, limit };
  } catch (error) {
    return isOutOfDescriptors(error) ? { open: limit, limit } : null;
  }
}

let known = Number.POSITIVE_INFINITY;

/** Whoever runs the process may change it at any time (prlimit). */
function readLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    known = soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    // As it was when there was a descriptor to read it by.
  }
  return known;
}

export function isOutOfDescriptors(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EMFILE" || error.code === "ENFILE");
}
