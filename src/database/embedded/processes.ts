import { execFileSync } from "node:child_process";
import { readdir, readFile, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";

/**
 * PostgreSQL processes that live in this database directory. PostgreSQL itself only asks whether the recorded
 * pid exists, which a zombie or, in containers, a reused pid answers as well.
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
 * Ends processes whose server was killed: busy ones notice that only when their statement is done, and no new
 * server may start before. Answers how many there were.
 */
export async function endOrphans(cluster: string): Promise<number> {
  const pids = await liveProcesses(cluster);
  const server = await recordedPid(cluster);
  if (server !== undefined && pids.includes(server)) return 0;
  for (const pid of pids) process.kill(pid, "SIGQUIT");
  return pids.length;
}

/** Whether that pid is (still) a PostgreSQL process of this database. */
export async function runsIn(pid: number, cluster: string): Promise<boolean> {
  if (process.platform === "linux") return livesIn(String(pid), await realpath(cluster));
  try {
    const command = execFileSync("ps", ["-o", "stat=,command=", "-p", String(pid)], { encoding: "utf8" });
    return !command.trimStart().startsWith("Z") && command.includes("postgres");
  } catch {
    return false;
  }
}

/** The server's pid as PostgreSQL wrote it down. */
export async function recordedPid(cluster: string): Promise<number | undefined> {
  const text = await readFile(join(cluster, "postmaster.pid"), "utf8").catch(() => "");
  const pid = Number.parseInt(text, 10);
  return pid > 0 ? pid : undefined;
}

async function livesIn(pid: string, directory: string): Promise<boolean> {
  try {
    if ((await readlink(`/proc/${pid}/cwd`)) !== directory) return false;
    const status = await readFile(`/proc/${pid}/status`, "utf8");
    return !/^State:\s+[ZX]/m.test(status) && /^Name:\s+postgres/m.test(status);
  } catch {
    return false;
  }
}
