import { afterEach, expect, test } from "vitest";
import { checkInbound, checkOutbound, checkQueuesEmpty, startLoad, writeInbound } from "../kit/load.ts";
import type { ServiceProcess } from "../kit/service.ts";
import { type Channel, type Stand, startStand } from "../kit/stand.ts";

let stand: Stand;

afterEach(() => stand.stop());

const CHANNELS = 4;
const PEOPLE = 4;

interface Node {
  readonly name: string;
  readonly service: ServiceProcess;
}

/** Two nodes on one database, with the channels spread over them. */
async function open(leaseMs: number): Promise<{ nodes: [Node, Node]; channels: Channel[] }> {
  stand = await startStand({ settings: { NODE_LEASE_MS: String(leaseMs) } });
  const first = await startNode("first");
  const channels: Channel[] = [];
  while (channels.length < CHANNELS) channels.push(await stand.addChannel(PEOPLE));
  expect(await owners()).toEqual({ first: CHANNELS });
  const second = await startNode("second");
  await untilOwned({ first: CHANNELS / 2, second: CHANNELS / 2 });
  return { nodes: [first, second], channels };
}

async function startNode(name: string): Promise<Node> {
  return { name, service: await stand.start({ NODE_NAME: name }) };
}

/** Channels of each node that lives, by its name. */
async function owners(): Promise<Record<string, number>> {
  const rows = await stand.db.query<{ name: string; channels: number }>(
    `select n.name, count(*)::int as channels from channels c join nodes n on n.id = c.owner
     where n.lease_until > now() group by n.name`,
  );
  return Object.fromEntries(rows.map(({ name, channels }) => [name, channels]));
}

async function untilOwned(wanted: Record<string, number>): Promise<void> {
  await expect.poll(owners, { interval: 20 }).toEqual(wanted);
}

test("a node that is stopped under load loses its channels within its lease and sends nothing twice after it", async () => {
  const leaseMs = 2_000;
  const { nodes, channels } = await open(leaseMs);
  const [first, second] = nodes;
  const load = startLoad(stand, channels);
  const cycles = 3;
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const arrived = await sentTotal(channels);
    load.more(15);
    for (const channel of channels)
      await writeInbound(stand, channel, { people: PEOPLE, count: 40, rate: 200 });
    await expect.poll(() => sentTotal(channels), { interval: 5 }).toBeGreaterThan(arrived + 10 * cycle);
    first.service.child.kill("SIGSTOP");
    await untilOwned({ second: CHANNELS });
    await load.idle();
    first.service.child.kill("SIGCONT");
    await untilOwned({ first: CHANNELS / 2, second: CHANNELS / 2 });
  }
  const { sent } = await checkOutbound(stand, load, channels);
  expect(sent).toBeGreaterThan(CHANNELS * PEOPLE * cycles);
  await checkInbound(stand, channels.length * 40 * cycles);
  await checkQueuesEmpty(stand);
  for (const { service } of [first, second])
    expect(await service.end("SIGTERM")).toEqual({ code: 0, signal: null });
});

test("a node that stops in order hands its channels over at once, under load, and every message goes out", async () => {
  // Nobody could wait for this lease to end.
  const { nodes, channels } = await open(60_000);
  const [first, second] = nodes;
  const load = startLoad(stand, channels);
  const arrived = await sentTotal(channels);
  load.more(30);
  for (const channel of channels)
    await writeInbound(stand, channel, { people: PEOPLE, count: 60, rate: 200 });
  await expect.poll(() => sentTotal(channels), { interval: 5 }).toBeGreaterThan(arrived + 50);
  expect(await first.service.end("SIGTERM")).toEqual({ code: 0, signal: null });
  const endedAt = performance.now();
  await untilOwned({ second: CHANNELS });
  expect(performance.now() - endedAt).toBeLessThan(30_000);
  await load.idle();
  const { unknown } = await checkOutbound(stand, load, channels);
  expect(unknown).toBe(0);
  await checkInbound(stand, channels.length * 60);
  await checkQueuesEmpty(stand);
  expect(await second.service.end("SIGTERM")).toEqual({ code: 0, signal: null });
});

async function sentTotal(channels: readonly Channel[]): Promise<number> {
  const totals = await Promise.all(channels.map(({ bot }) => bot.sentTotal()));
  return totals.reduce((sum, total) => sum + total, 0);
}
