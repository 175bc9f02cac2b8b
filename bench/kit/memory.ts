import { readdir, readFile, readlink } from "node:fs/promises";

/** Resident memory of these processes together; shared memory is counted for each. */
export async function residentMegabytes(pids: readonly number[]): Promise<number> {
  const each = await Promise.all(pids.map(async (pid) => numberIn(await statusOf(pid), /VmRSS:\s+(\d+) kB/)));
  return each.reduce((sum, kilobytes) => sum + kilobytes, 0) / 1024;
}

/** A process and all its descendants. */
export async function processTree(root: number): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(
    pids.map(async (pid) => [pid, numberIn(await statusOf(pid), /PPid:\s+(\d+)/)] as const),
  );
  const tree = [root];
  for (const parent of tree) tree.push(...parents.filter(([, of]) => of === parent).map(([pid]) => pid));
  return tree;
}

/** Empty if the process has ended meanwhile. */
function statusOf(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
}

function numberIn(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? 0);
}

const TICKS_PER_SECOND = 100;

/** CPU time of these processes since they started, in seconds. */
export async function processorSeconds(pids: readonly number[]): Promise<number> {
  const each = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
      // The name before it is in parentheses and may contain any characters.
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
      return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND;
    }),
  );
  return each.reduce((sum, seconds) => sum + seconds, 0);
}

const ESTABLISHED = "01";

/** Number of TCP connections of these processes, in either direction. */
export async function openConnections(pids: readonly number[]): Promise<number> {
  const own = new Set((await Promise.all(pids.map(socketsOf))).flat());
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "utf8").catch(() => "")),
  );
  const rows = tables.flatMap((table) => table.split("\n").slice(1)).map((line) => line.trim().split(/\s+/));
  return rows.filter(([, , , state, , , , , , inode = ""]) => state === ESTABLISHED && own.has(inode)).length;
}

async function socketsOf(pid: number): Promise<string[]> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const links = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => "")));
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
}
