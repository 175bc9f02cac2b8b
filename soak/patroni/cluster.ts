import { execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Identity, serverIdentity } from "../../src/database/embedded/identity.ts";
import { type Configuration, configure, drawPasswords } from "./configuration.ts";
import { createMember, type Member } from "./member.ts";
import { type Network, openNetwork } from "./network.ts";
import { Program } from "./program.ts";
import { findPrograms, missingText, type Programs } from "./programs.ts";
import {
  isLeader,
  isPrimary,
  isStandby,
  isWhole,
  type MemberStatus,
  statusAt,
  switchOver,
  until,
} from "./status.ts";

/** Three members behind HAProxy. */
export interface Cluster {
  readonly members: readonly Member[];
  readonly network: Network;
  readonly haproxy: Program;
  readonly isSynchronous: boolean;
  /** The member that holds the leader key. */
  leader(): Promise<Member>;
  /** The synchronous standby; any standby without synchronous mode. */
  standby(): Promise<Member>;
  /** Resolves when another member than this one is the primary. */
  takenOver(from: Member): Promise<Member>;
  /** Resolves when the synchronous standby has become the primary. */
  switchOver(): Promise<readonly [Member, Member]>;
  /** Resolves when all members work together again. */
  whole(): Promise<void>;
  /** How often a primary began a new timeline, by the last `whole`. */
  newTimelines(): number;
  /** The address of HAProxy. */
  readonly writer: { readonly host: string; readonly port: number };
  /** The connection string through a proxy there. */
  urlAt(host: string, port: number): string;
  /** Kills everything without waiting. */
  kill(): void;
  /** Kills everything. */
  stop(): Promise<void>;
}

const MEMBERS = 3;
const PORT = 5000;
/** Longer than the longest path: a member that is gone is noticed, replaced, and copies the whole database. */
const LIMIT_MS = 180_000;

export interface ClusterOptions {
  readonly directory: string;
  readonly isSynchronous: boolean;
}

/** Starts PostgreSQL with Patroni, etcd and HAProxy, configured from deploy/patroni. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const found = findPrograms();
  if ("missing" in found) throw new Error(missingText(found.missing));
  const network = openNetwork(MEMBERS);
  const running = launch(options, network, found.programs);
  const cluster = watch(options, { ...running, network });
  // Ended at once, if this program is.
  process.once("exit", cluster.kill);
  try {
    await cluster.whole();
    const { configuration } = running;
    createDatabase(await cluster.leader(), { ...options, configuration, ...found });
  } catch (error) {
    cluster.kill();
    throw error;
  }
  return cluster;
}

interface Running {
  readonly members: readonly Member[];
  readonly haproxy: Program;
  readonly configuration: Configuration;
}

function launch({ directory, isSynchronous }: ClusterOptions, network: Network, programs: Programs): Running {
  const identity = serverIdentity();
  const asUser = userCommand(identity);
  const configuration: Configuration = {
    addresses: network.addresses,
    writer: `${network.ownAddress}:${PORT}`,
    user: nameOf(asUser, "-un"),
    group: nameOf(asUser, "-gn"),
    passwords: drawPasswords(),
    isSynchronous,
    binDir: programs.binDir,
  };
  const members = network.addresses.map((_, index) => {
    const home = join(directory, `pg${index + 1}`);
    makeHome(home, identity);
    configure(home, index, configuration);
    own(home, identity);
    return createMember({
      index,
      network,
      programs,
      directory: home,
      logFile: join(directory, `pg${index + 1}.log`),
      asUser,
    });
  });
  const home = join(directory, "pg1");
  const haproxy = new Program({
    command: [...asUser, programs.haproxy, "-db", "-f", join(home, "haproxy.cfg")],
    environment: { PATH: process.env["PATH"] ?? "" },
    directory: home,
    logFile: join(directory, "haproxy.log"),
  });
  for (const member of members) member.start("etcd", "patroni");
  haproxy.start();
  return { members, haproxy, configuration };
}

/** PostgreSQL refuses to run as root. */
function userCommand(identity: Identity): readonly string[] {
  if (identity === undefined) return [];
  return ["setpriv", `--reuid=${identity.uid}`, `--regid=${identity.gid}`, "--clear-groups"];
}

/** The name of the user, or of its group. */
function nameOf(asUser: readonly string[], option: "-un" | "-gn"): string {
  const [command = "", ...args] = [...asUser, "id", option];
  return execFileSync(command, args, { encoding: "utf8" }).trim();
}

function makeHome(home: string, identity: Identity): void {
  for (const directory of [home, join(home, "run"), join(home, "etcd")])
    mkdirSync(directory, { mode: 0o700 });
  own(home, identity);
}

/** Gives the directory and what is in it to the user of the cluster. */
function own(home: string, identity: Identity): void {
  if (identity === undefined) return;
  for (const path of [home, ...readdirSync(home).map((name) => join(home, name))])
    chownSync(path, identity.uid, identity.gid);
}

interface Creation {
  readonly directory: string;
  readonly configuration: Configuration;
  readonly programs: Programs;
}

function createDatabase(leader: Member, { directory, configuration, programs }: Creation): void {
  const file = join(directory, leader.name, "database.sql");
  if (!existsSync(file)) throw new Error(`${file} was not written`);
  const target = ["--host", leader.address, "--username", "postgres", "--no-psqlrc", "--file", file];
  execFileSync(programs.psql, ["--quiet", "--set", "ON_ERROR_STOP=1", ...target], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env["PATH"], PGPASSWORD: configuration.passwords.superuser },
  });
}

function watch(
  { isSynchronous }: ClusterOptions,
  { members, haproxy, network, configuration }: Running & { readonly network: Network },
): Cluster {
  let timeline = 0;
  let timelines = 0;
  const status = (): Promise<(MemberStatus | null)[]> =>
    Promise.all(members.map(({ address }) => statusAt(address)));
  const leader = (): Promise<Member> =>
    until("finding a primary", LIMIT_MS, async () => {
      for (const member of members) if (await isPrimary(member.address)) return member;
      return null;
    });
  const standby = (): Promise<Member> =>
    until("finding a standby", LIMIT_MS, async () => {
      for (const member of members) if (await isStandby(member.address, isSynchronous)) return member;
      return null;
    });
  const takenOver = (from: Member): Promise<Member> =>
    until(`taking over from ${from.name}`, LIMIT_MS, async () => {
      for (const member of members) if (member !== from && (await isPrimary(member.address))) return member;
      return null;
    });
  const kill = (): void => {
    haproxy.kill();
    for (const member of members) member.killAll();
    network.close();
  };
  return {
    members,
    network,
    haproxy,
    isSynchronous,
    writer: { host: network.ownAddress, port: PORT },
    urlAt: (host, port) =>
      `postgres://trunkline:${configuration.passwords.trunkline}@${host}:${port}/trunkline`,
    kill,
    async stop() {
      process.off("exit", kill);
      await haproxy.end("SIGKILL");
      for (const member of members) await member.kill("patroni", "postgres", "etcd");
      network.close();
    },
    leader,
    standby,
    takenOver,
    async switchOver() {
      const [from, candidate] = [await leader(), await standby()];
      const { restapi: password } = configuration.passwords;
      await until("the switchover", LIMIT_MS, async () =>
        (await switchOver(from.address, { leader: from.name, candidate: candidate.name, password }))
          ? true
          : null,
      );
      return [from, await takenOver(from)];
    },
    async whole() {
      const found = await until("becoming whole", LIMIT_MS, async () => {
        const now = await status();
        return isWhole(now, { isSynchronous }) ? now : null;
      });
      const now = found.find((member) => member !== null && isLeader(member))?.timeline ?? 0;
      if (timeline > 0) timelines += now - timeline;
      timeline = now;
    },
    newTimelines: () => timelines,
  };
}
