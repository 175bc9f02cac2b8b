import { execFile, execFileSync } from "node:child_process";
import { readdir, readFile, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * The live PostgreSQL processes of this database directory. PostgreSQL itself only checks that the recorded pid
 * exists, which is also true for a zombie or, in containers, for a reused pid.
 */
export async function liveProcesses(cluster: string): Promise<number[]> {
  if (process.platform !== "linux") {
    const pid = await recordedPid(cluster);
    return pid !== undefined && (await runsIn(pid, cluster)) ? [pid] : [];
  }
  const directory = await realpath(cluster);
  const pids: number[] = [];
  for (const name of await readdir("/proc"))
    if (/^\d+$/.test(name) && (await livesIn(name, directory))) pids.push(Number(name));
  return pids;
}

/**
 * Kills processes whose server was killed. A busy process notices that only when its statement ends, and no new
 * server can start before. Returns the number of processes.
 */
export async function endOrphans(cluster: string): Promise<number> {
  const pids = await liveProcesses(cluster);
  const server = await recordedPid(cluster);
  if (server !== undefined && pids.includes(server)) return 0;
  for (const pid of pids) sendSignal(pid, "SIGQUIT");
  return pids.length;
}

/** Does nothing without a pid, or if the process has ended: it may have since its pid was read. */
export function sendSignal(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Whether the pid is still a PostgreSQL process of this database. */
export async function runsIn(pid: number, cluster: string): Promise<boolean> {
  if (process.platform === "linux") return livesIn(String(pid), await realpath(cluster));
  try {
    const command = execFileSync("ps", ["-o", "stat=,command=", "-p", String(pid)], { encoding: "utf8" });
    return !command.trimStart().startsWith("Z") && command.includes("postgres");
  } catch {
    return false;
  }
}

/** The server's pid as recorded by PostgreSQL. */
export async function recordedPid(cluster: string): Promise<number | undefined> {
  const text = await readFile(join(cluster, "postmaster.pid"), "utf8").catch(() => "");
  const pid = Number.parseInt(text, 10);
  return pid > 0 ? pid : undefined;
}

async function livesIn(pid: string, directory: string): Promise<boolean> {
  try {
    const status = await readFile(`/proc/${pid}/status`, "utf8");
    if (/^State:\s+[ZX]/m.test(status) || !/^Name:\s+postgres/m.test(status)) return false;
    return (await workingDirectory(pid, status)) === directory;
  } catch {
    return false;
  }
}

/**
 * In a container, root usually lacks the capability to read this link of another user's process (CAP_SYS_PTRACE). That
 * user may read it.
 */
async function workingDirectory(pid: string, status: string): Promise<string> {
  const link = `/proc/${pid}/cwd`;
  try {
    return await readlink(link);
  } catch (error) {
    const isForbidden = (error as NodeJS.ErrnoException).code === "EACCES";
    if (!isForbidden || process.getuid?.() !== 0) throw error;
    const [uid, gid] = [idIn(status, "Uid"), idIn(status, "Gid")];
    return (await run("readlink", ["-n", link], { uid, gid, cwd: "/" })).stdout;
  }
}

/** The real user or group of a process, from its status. */
function idIn(status: string, field: "Uid" | "Gid"): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1]);
}
