import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { liveProcesses, sendSignal } from "../../src/database/embedded/processes.ts";
import type { Network } from "./network.ts";
import { Program } from "./program.ts";
import type { Programs } from "./programs.ts";

/** The programs of a machine; PostgreSQL is a child of Patroni. */
export type Part = "patroni" | "postgres" | "etcd";

/** One machine of the cluster: etcd, Patroni and PostgreSQL. */
export interface Member {
  readonly name: string;
  readonly index: number;
  readonly address: string;
  /** Starts those that do not run. PostgreSQL is started by Patroni. */
  start(...parts: readonly Part[]): void;
  /** Kills these with all their processes, and leaves them so. */
  kill(...parts: readonly Part[]): Promise<void>;
  freeze(...parts: readonly Part[]): Promise<void>;
  thaw(...parts: readonly Part[]): Promise<void>;
  /** Kills everything without waiting. */
  killAll(): void;
}

interface MemberOptions {
  readonly index: number;
  readonly network: Network;
  readonly programs: Programs;
  /** With the configuration, and the directories `data`, `run` and `etcd`. */
  readonly directory: string;
  readonly logFile: string;
  /** Prefix of commands that run as the user of the cluster. */
  readonly asUser: readonly string[];
}

export function createMember(options: MemberOptions): Member {
  const { index, network, programs, directory, logFile, asUser } = options;
  const cluster = join(directory, "data");
  const program = (environment: Readonly<Record<string, string>>, ...command: readonly string[]): Program =>
    new Program({
      command: network.commandOn(index, [...asUser, ...command]),
      environment: { PATH: process.env["PATH"] ?? "", HOME: directory, LC_ALL: "C.UTF-8", ...environment },
      directory,
      logFile,
    });
  const etcdSettings = parseEnv(readFileSync(join(directory, "etcd.env"), "utf8")) as Record<string, string>;
  const own = {
    etcd: program({ ETCD_LOG_LEVEL: "error", ...etcdSettings }, programs.etcd),
    patroni: program({}, programs.patroni, join(directory, "patroni.yml")),
  };
  const signal = async (parts: readonly Part[], name: NodeJS.Signals): Promise<void> => {
    for (const part of parts)
      if (part === "postgres") for (const pid of await liveProcesses(cluster)) sendSignal(pid, name);
      else own[part].signal(name);
  };
  return {
    name: `pg${index + 1}`,
    index,
    address: network.addresses[index] ?? "",
    start(...parts) {
      for (const part of parts) if (part !== "postgres") own[part].start();
    },
    async kill(...parts) {
      for (const part of parts) if (part !== "postgres") await own[part].end("SIGKILL");
      if (!parts.includes("postgres")) return;
      // Its main process may be starting others.
      while ((await liveProcesses(cluster)).length > 0) await signal(["postgres"], "SIGKILL");
    },
    async freeze(...parts) {
      await signal(parts, "SIGSTOP");
      // Its main process may have started others meanwhile; it does no more.
      await signal(
        parts.filter((part) => part === "postgres"),
        "SIGSTOP",
      );
    },
    thaw: (...parts) => signal(parts, "SIGCONT"),
    killAll() {
      for (const part of Object.values(own)) part.kill();
      // The other processes of PostgreSQL end with the main one.
      const pid = recordedPid(cluster);
      sendSignal(pid, "SIGCONT");
      sendSignal(pid, "SIGQUIT");
    },
  };
}

/** Of PostgreSQL's main process, as it has recorded it; undefined if it does not run. */
function recordedPid(cluster: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(join(cluster, "postmaster.pid"), "utf8"), 10);
    // After a kill the file stays, and another process may have the pid.
    return readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("postgres") ? pid : undefined;
  } catch {
    return undefined;
  }
}
