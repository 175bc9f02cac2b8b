import { sendSignal } from "../../src/database/embedded/processes.ts";
import type { Node } from "../node.ts";
import type { Random } from "../random.ts";
import { LONG_MS, seconds } from "./contract.ts";
import type { Trouble } from "./trouble.ts";

const NONE = "there is none";

/** Nodes, their workers and PostgreSQL are killed, restarted and frozen. */
export const PROCESS_TROUBLES: readonly Trouble[] = [
  {
    name: "kill a node",
    weight: 5,
    async run({ nodes }, random) {
      const node = random.pick(nodes);
      const awayMs = random.between(0, LONG_MS);
      await node.restart("SIGKILL", awayMs);
      return `${node.name}, away for ${seconds(awayMs)}`;
    },
  },
  {
    name: "stop a node in order",
    weight: 2,
    async run({ nodes }, random) {
      const node = random.pick(nodes);
      const exit = await node.restart("SIGTERM", random.between(0, 1_000));
      if (exit !== null && exit.code !== 0)
        throw new Error(`${node.name} ended with ${JSON.stringify(exit)}`);
      return node.name;
    },
  },
  {
    name: "freeze a node",
    weight: 4,
    freezesSender: true,
    async run({ nodes }, random, rest) {
      const node = random.pick(nodes);
      const ms = random.between(300, LONG_MS);
      await frozen([node.service?.child.pid], () => rest(ms));
      return `${node.name} for ${seconds(ms)}`;
    },
  },
  {
    name: "kill a worker",
    weight: 3,
    async run({ nodes }, random) {
      const { node, pid } = workerOf(nodes, random);
      sendSignal(pid, "SIGKILL");
      return pid === undefined ? NONE : `of ${node.name}`;
    },
  },
  {
    name: "freeze a worker",
    weight: 1,
    freezesSender: true,
    async run({ nodes }, random, rest) {
      const { node, pid } = workerOf(nodes, random);
      const ms = random.between(300, LONG_MS);
      await frozen([pid], () => rest(ms));
      return pid === undefined ? NONE : `of ${node.name} for ${seconds(ms)}`;
    },
  },
  {
    name: "kill a database process",
    weight: 1,
    async run({ postgres }, random) {
      const pid = oneOf(await postgres.backends(), random);
      sendSignal(pid, "SIGKILL");
      return pid === undefined ? NONE : "all connections are lost, and PostgreSQL recovers";
    },
  },
  {
    name: "freeze a database process",
    weight: 3,
    async run({ postgres }, random, rest) {
      const pid = oneOf(await postgres.backends(), random);
      const ms = random.between(300, LONG_MS);
      await frozen([pid], () => rest(ms));
      return pid === undefined ? NONE : `for ${seconds(ms)}`;
    },
  },
  {
    name: "stall the disk",
    weight: 1,
    async run({ postgres }, random, rest) {
      const pids = await postgres.processes();
      const ms = random.between(300, LONG_MS);
      await frozen(pids, () => rest(ms));
      return `all processes of PostgreSQL wait for ${seconds(ms)}`;
    },
  },
];

function workerOf(nodes: readonly Node[], random: Random): { node: Node; pid: number | undefined } {
  const node = random.pick(nodes);
  return { node, pid: oneOf(node.workers(), random) };
}

/** Undefined if there is none. */
function oneOf(pids: readonly number[], random: Random): number | undefined {
  return pids.length === 0 ? undefined : random.pick(pids);
}

async function frozen(pids: readonly (number | undefined)[], during: () => Promise<unknown>): Promise<void> {
  for (const pid of pids) sendSignal(pid, "SIGSTOP");
  try {
    await during();
  } finally {
    for (const pid of pids) sendSignal(pid, "SIGCONT");
  }
}
