import { accessTo, type Postgres } from "../postgres.ts";
import { startCluster } from "./cluster.ts";
import { createDeck } from "./deck.ts";
import { FAULTS } from "./faults.ts";

export interface PatroniOptions {
  readonly directory: string;
  readonly isSynchronous: boolean;
  /** The names of the faults that happen; empty: all. */
  readonly faults: readonly string[];
  tell(line: string): void;
}

/** A cluster that fails in turn. Faults that need a network that can be cut are left out where there is none. */
export async function startPatroni(options: PatroniOptions): Promise<Postgres> {
  const cluster = await startCluster(options);
  const { network, writer } = cluster;
  const { cuttable } = network;
  options.tell(
    cuttable === true
      ? "three members with Patroni, in network namespaces of their own"
      : `three members with Patroni; none will be cut off the network: ${cuttable}`,
  );
  const access = accessTo(cluster.urlAt(writer.host, writer.port));
  const chosen = FAULTS.filter(({ name }) => options.faults.length === 0 || options.faults.includes(name));
  const deck = createDeck(chosen.filter(({ cuts }) => cuts !== true || cuttable === true));
  return {
    ...access,
    address: writer,
    urlAt: (port) => cluster.urlAt("127.0.0.1", port),
    troubles: [],
    faults: {
      names: chosen.map(({ name }) => name),
      next: (random) => {
        const { name, run } = deck(random);
        return {
          name,
          weight: 1,
          async run(dice, rest) {
            const what = await run(cluster, dice, rest);
            await cluster.whole();
            // HAProxy leads to the primary.
            await access.query("select 1");
            return what;
          },
        };
      },
      newTimelines: cluster.newTimelines,
      mayLose: !options.isSynchronous,
    },
    kill: cluster.kill,
    async stop() {
      await access.close();
      await cluster.stop();
    },
  };
}
