import { readdirSync, readFileSync } from "node:fs";

/** The number of open file descriptors of this process, and their limit. */
export interface Descriptors {
  readonly open: number;
  readonly limit: number;
}

/** Counts descriptors; null on systems other than Linux. If none is left, reports all as open. */
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

/** Read each time, because the limit can be changed from outside (prlimit). */
function readLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    known = soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    // Keeps the last known limit if no descriptor is left to read it.
  }
  return known;
}

/**
 * The result of `read`; null if no file descriptor is left for it. For readings of the process itself, such as its memory:
 * Linux returns them as files, and a full process must not end because of them.
 */
export function unlessOutOfDescriptors<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (isOutOfDescriptors(error)) return null;
    throw error;
  }
}

function isOutOfDescriptors(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EMFILE" || error.code === "ENFILE");
}
