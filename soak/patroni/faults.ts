import type { Random } from "../random.ts";
import { type Rest, seconds } from "../trouble/contract.ts";
import type { Cluster } from "./cluster.ts";
import type { Member, Part } from "./member.ts";

/** A disturbance of the cluster; all of it is restored when it resolves, but the members may still be recovering. */
export interface Fault {
  readonly name: string;
  /** Needs a network that can be cut. */
  readonly cuts?: true;
  /** Resolves with a description. */
  run(cluster: Cluster, random: Random, rest: Rest): Promise<string>;
}

/** For how long the former leader stays away after another one took over. */
const AWAY_MS = 5_000;

export const FAULTS: readonly Fault[] = [
  {
    name: "the leader's machine dies",
    run: (cluster, random, rest) =>
      replaced(cluster, {
        begin: (leader) => leader.kill("patroni", "postgres", "etcd"),
        end: (leader) => leader.start("etcd", "patroni"),
        during: () => rest(random.between(0, AWAY_MS)),
      }),
  },
  {
    name: "the leader's Patroni is killed, and PostgreSQL goes on",
    run: (cluster, random, rest) =>
      replaced(cluster, {
        begin: (leader) => leader.kill("patroni"),
        end: (leader) => leader.start("patroni"),
        during: () => rest(random.between(0, AWAY_MS)),
      }),
  },
  {
    name: "the leader's PostgreSQL is killed",
    async run(cluster) {
      const leader = await cluster.leader();
      await leader.kill("postgres");
      return leader.name;
    },
  },
  {
    name: "the leader is frozen: Patroni and PostgreSQL",
    run: (cluster, random, rest) => frozenOut(cluster, ["patroni", "postgres"], random, rest),
  },
  {
    name: "the leader's Patroni is frozen, and PostgreSQL goes on",
    run: (cluster, random, rest) => frozenOut(cluster, ["patroni"], random, rest),
  },
  {
    name: "the leader's PostgreSQL is frozen, and Patroni goes on",
    run: (cluster, random, rest) => frozenOut(cluster, ["postgres"], random, rest),
  },
  {
    name: "the leader is frozen for a moment",
    async run(cluster, random, rest) {
      const leader = await cluster.leader();
      return frozen(leader, ["patroni", "postgres"], random.between(500, 8_000), rest);
    },
  },
  {
    name: "switchover",
    async run(cluster) {
      const [from, to] = await cluster.switchOver();
      return `${from.name} to ${to.name}`;
    },
  },
  {
    name: "etcd is away",
    async run({ members }, random, rest) {
      const ms = random.between(10_000, 40_000);
      const how = random.pick(["killed", "frozen"]);
      for (const member of members)
        if (how === "killed") await member.kill("etcd");
        else await member.freeze("etcd");
      await rest(ms);
      for (const member of members) {
        await member.thaw("etcd");
        member.start("etcd");
      }
      return `all three ${how} for ${seconds(ms)}`;
    },
  },
  {
    name: "the standby's machine dies",
    async run(cluster, random, rest) {
      const standby = await cluster.standby();
      const ms = random.between(1_000, 25_000);
      await standby.kill("patroni", "postgres", "etcd");
      await rest(ms);
      standby.start("etcd", "patroni");
      return `${standby.name} for ${seconds(ms)}`;
    },
  },
  {
    name: "the standby is frozen",
    async run(cluster, random, rest) {
      const standby = await cluster.standby();
      return frozen(standby, ["patroni", "postgres"], random.between(1_000, 25_000), rest);
    },
  },
  {
    name: "HAProxy is killed",
    async run({ haproxy }, random, rest) {
      const ms = random.between(0, 3_000);
      await haproxy.end("SIGKILL");
      await rest(ms);
      haproxy.start();
      return `for ${seconds(ms)}`;
    },
  },
  {
    name: "the leader is cut off the network",
    cuts: true,
    run: (cluster, random, rest) =>
      replaced(cluster, {
        begin: async ({ index }) => cluster.network.cut(index),
        end: ({ index }) => cluster.network.restore(index),
        during: () => rest(random.between(0, AWAY_MS)),
      }),
  },
  {
    // Asynchronous standbys lack what the leader has confirmed meanwhile.
    name: "both standbys are cut off the network, and the leader's machine dies",
    cuts: true,
    run(cluster, random, rest) {
      const { network, members } = cluster;
      return replaced(cluster, {
        async begin(leader) {
          const standbys = members.filter((member) => member !== leader);
          for (const { index } of standbys) network.cut(index);
          await rest(random.between(1_000, 3_000));
          await leader.kill("patroni", "postgres", "etcd");
          // Its kernel would deliver what waits for the standbys.
          network.cut(leader.index);
          for (const { index } of standbys) network.restore(index);
        },
        end(leader) {
          network.restore(leader.index);
          leader.start("etcd", "patroni");
        },
        during: () => rest(random.between(0, AWAY_MS)),
      });
    },
  },
  {
    name: "the standby is cut off the network",
    cuts: true,
    async run(cluster, random, rest) {
      const { name, index } = await cluster.standby();
      const ms = random.between(1_000, 25_000);
      cluster.network.cut(index);
      await rest(ms);
      cluster.network.restore(index);
      return `${name} for ${seconds(ms)}`;
    },
  },
];

interface Replacement {
  begin(leader: Member): Promise<void>;
  end(leader: Member): void | Promise<void>;
  during(): Promise<unknown>;
}

/** Disturbs the leader until another member is the primary. */
async function replaced(cluster: Cluster, { begin, end, during }: Replacement): Promise<string> {
  const leader = await cluster.leader();
  const sinceMs = performance.now();
  await begin(leader);
  try {
    const next = await cluster.takenOver(leader);
    const tookMs = performance.now() - sinceMs;
    await during();
    return `${leader.name}; ${next.name} took over after ${seconds(tookMs)}`;
  } finally {
    await end(leader);
  }
}

function frozenOut(cluster: Cluster, parts: readonly Part[], random: Random, rest: Rest): Promise<string> {
  return replaced(cluster, {
    begin: (leader) => leader.freeze(...parts),
    end: (leader) => leader.thaw(...parts),
    during: () => rest(random.between(0, AWAY_MS)),
  });
}

async function frozen(member: Member, parts: readonly Part[], ms: number, rest: Rest): Promise<string> {
  await member.freeze(...parts);
  await rest(ms);
  await member.thaw(...parts);
  return `${member.name} for ${seconds(ms)}`;
}
