import { readFileSync } from "node:fs";

/** Linux counts CPU time in ticks, 100 per second on every platform that Node supports. */
const TICK_MS = 10;

/**
 * The CPU time that a process has used since its start, over all threads. Null on systems other than Linux and for a
 * process that has ended. Source: proc(5), `/proc/pid/stat`, fields 14 and 15.
 */
export function cpuMsOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in parentheses, may contain any characters, including parentheses.
    const [, , , , , , , , , , , user, system] = stat
      .slice(stat.lastIndexOf(")") + 1)
      .trim()
      .split(" ");
    const ticks = Number(user) + Number(system);
    return Number.isFinite(ticks) ? ticks * TICK_MS : null;
  } catch {
    return null;
  }
}
