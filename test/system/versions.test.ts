import { afterEach, expect, test } from "vitest";
import { readFloor, waitingContracts } from "../../src/database/schema.ts";
import { checkInbound, checkOutbound, checkQueuesEmpty, startLoad, writeInbound } from "../kit/load.ts";
import { findReleases } from "../kit/releases.ts";
import type { ServiceProcess } from "../kit/service.ts";
import { type Stand, startStand } from "../kit/stand.ts";

let stand: Stand;

afterEach(() => stand.stop());

const CHANNELS = 6;
const PEOPLE = 3;
const INBOUND = 40;

/** The channels of each live node, by its name. */
async function owners(): Promise<Record<string, number>> {
  const rows = await stand.db.query<{ name: string; channels: number }>(
    `select n.name, count(*)::int as channels from channels c join nodes n on n.id = c.owner
     where n.lease_until > now() group by n.name`,
  );
  return Object.fromEntries(rows.map(({ name, channels }) => [name, channels]));
}

async function untilOwned(...names: string[]): Promise<void> {
  await expect.poll(async () => Object.keys(await owners()).toSorted(), { interval: 20 }).toEqual(names);
}

test("nodes of two releases work side by side, and contracts are applied when the last earlier node has ended", async () => {
  const { earlier, later, settings, migrations } = await findReleases();
  stand = await startStand({
    ...(earlier === undefined ? {} : { program: earlier }),
    // Longer than a busy machine may pause: no lease may be lost here.
    settings: { NODE_LEASE_MS: "8000" },
  });
  const startEarlier = (name: string) => stand.start({ NODE_NAME: name }, earlier);
  const startLater = (name: string) => stand.start({ NODE_NAME: name, ...settings }, later);
  const waiting = () => waitingContracts(stand.db, migrations);
  const first = await startEarlier("first");
  const channels = [await stand.addChannel(PEOPLE)];
  while (channels.length < CHANNELS) channels.push(await stand.addChannel(PEOPLE));
  const second = await startEarlier("second");
  await untilOwned("first", "second");

  const load = startLoad(stand, channels);
  let rounds = 0;
  /** Resolves while its traffic is in progress. */
  const traffic = async (through: ServiceProcess): Promise<void> => {
    rounds++;
    stand.url = through.url;
    const accepted = load.accepted.length;
    load.more(15);
    for (const channel of channels)
      await writeInbound(stand, channel, { people: PEOPLE, count: INBOUND, rate: 200 });
    await load.untilAccepted(accepted + PEOPLE * CHANNELS);
  };

  // The later release starts beside the earlier one, whose nodes continue, and can still be started.
  await traffic(first);
  const third = await startLater("third");
  await untilOwned("first", "second", "third");
  const contracts = await waiting();
  for (const contract of contracts)
    expect(contract.nodes.map(({ name }) => name)).toEqual(["first", "second"]);
  await traffic(second);
  stand.url = third.url;
  expect(await first.end("SIGTERM")).toEqual({ code: 0, signal: null });
  const again = await startEarlier("first");
  await traffic(again);
  await untilOwned("first", "second", "third");
  for (const node of [first, second, again])
    expect(node.output()).not.toMatch(/lost its lease|"level":"error"/);

  // Replaced gracefully, and frozen for longer than its lease.
  await traffic(third);
  expect(await again.end("SIGTERM")).toEqual({ code: 0, signal: null });
  expect(await waiting()).toMatchObject(contracts.map(() => ({ nodes: [{ name: "second" }] })));
  await traffic(third);
  second.child.kill("SIGSTOP");
  await untilOwned("third");
  await expect.poll(waiting).toEqual([]);
  second.child.kill("SIGCONT");
  if (contracts.length > 0) {
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(second.output()).toContain("this node was excluded by a later release");
    const { version } = await readFloor(stand.db);
    await expect(startEarlier("late")).rejects.toThrow(`needs a release with schema version ${version}`);
    stand.url = third.url;
  } else expect(await second.end("SIGTERM")).toEqual({ code: 0, signal: null });

  await traffic(third);
  await load.idle();
  await checkOutbound(stand, load, channels, { late: 1 });
  await checkInbound(stand, channels.length * INBOUND * rounds);
  await checkQueuesEmpty(stand);
  expect(await third.end("SIGTERM")).toEqual({ code: 0, signal: null });
});
