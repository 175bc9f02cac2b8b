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
    return { open: unlessOutOfDescriptors(() => readdirSync("/proc/self/fd").length) ?? limit, limit };
  } catch {
    return null;
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
 * The result of `read`; null if no file descriptor is left for it. Linux provides the figures of a process, such as its
 * memory, as files: a process without free descriptors must not end because it reads them.
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
