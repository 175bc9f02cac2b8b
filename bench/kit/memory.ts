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
  const each = await Promise.all(pids.map(async (pid) => (await timesOf(pid)).own));
  return each.reduce((sum, seconds) => sum + seconds, 0);
}

/** CPU time of a process, its descendants and the children that it has survived, in seconds. */
export async function familySeconds(root: number): Promise<number> {
  return (await processorSeconds(await processTree(root))) + (await timesOf(root)).ofEndedChildren;
}

async function timesOf(pid: number): Promise<{ readonly own: number; readonly ofEndedChildren: number }> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name before it is in parentheses and may contain any characters.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const seconds = (from: number): number =>
    (Number(fields[from] ?? 0) + Number(fields[from + 1] ?? 0)) / TICKS_PER_SECOND;
  return { own: seconds(11), ofEndedChildren: seconds(13) };
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
