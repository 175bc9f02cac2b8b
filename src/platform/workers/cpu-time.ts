import { readFileSync } from "node:fs";

/** Linux counts a process's time in ticks, a hundred a second on every platform that Node runs on. */
const TICK_MS = 10;

/**
 * How long a process has had the processor since its start, all its threads together. Null where the system does not
 * tell (other systems than Linux) and for a process that is gone. Source: proc(5), `/proc/pid/stat`, fields 14 and 15.
 */
export function cpuMsOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in brackets, may hold anything, brackets too.
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
