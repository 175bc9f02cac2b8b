import { readdir, readFile } from "node:fs/promises";

/** What these processes hold in memory together; what they share is counted for each. */
export async function residentMegabytes(pids: readonly number[]): Promise<number> {
  const each = await Promise.all(pids.map(async (pid) => numberIn(await statusOf(pid), /VmRSS:\s+(\d+) kB/)));
  return each.reduce((sum, kilobytes) => sum + kilobytes, 0) / 1024;
}

/** A process and all that it started, directly or not. */
export async function processTree(root: number): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(
    pids.map(async (pid) => [pid, numberIn(await statusOf(pid), /PPid:\s+(\d+)/)] as const),
  );
  const tree = [root];
  for (const parent of tree) tree.push(...parents.filter(([, of]) => of === parent).map(([pid]) => pid));
  return tree;
}

/** Empty when the process has ended meanwhile. */
function statusOf(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
}

function numberIn(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? 0);
}
