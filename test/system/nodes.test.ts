import { afterEach, expect, test } from "vitest";
import { holdTx } from "../kit/database.ts";
import { checkInbound, checkOutbound, checkQueuesEmpty, startLoad, writeInbound } from "../kit/load.ts";
import type { ServiceProcess } from "../kit/service.ts";
import { type Channel, must, type Stand, send, startStand } from "../kit/stand.ts";

let stand: Stand;

afterEach(() => stand.stop());

const CHANNELS = 4;
const PEOPLE = 4;
/** Long enough for a machine that stops for five seconds. */
const SHORT_LEASE_MS = 9_000;

interface Node {
  readonly name: string;
  readonly service: ServiceProcess;
}

/** The name of the node that runs the upkeep for all. */
async function upkeepNode(): Promise<string | undefined> {
  const [row] = await stand.db.query<{ name: string }>(
    "select n.name from upkeep_leader l join nodes n on n.id = l.node_id where n.lease_until > now()",
  );
  return row?.name;
}

/** Two nodes on one database, with the channels distributed between them. */
async function open(
  leaseMs: number,
  ofFirst: Record<string, string> = {},
): Promise<{ nodes: [Node, Node]; channels: Channel[] }> {
  stand = await startStand({ settings: { NODE_LEASE_MS: String(leaseMs) } });
  const first = await startNode("first", ofFirst);
  const channels: Channel[] = [];
  while (channels.length < CHANNELS) channels.push(await stand.addChannel(PEOPLE));
  await untilOwned({ first: CHANNELS });
  const second = await startNode("second");
  await untilOwned({ first: CHANNELS / 2, second: CHANNELS / 2 });
  return { nodes: [first, second], channels };
}

async function startNode(name: string, settings: Record<string, string> = {}): Promise<Node> {
  return { name, service: await stand.start({ NODE_NAME: name, ...settings }) };
}

/** The channels of each live node, by its name. */
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
  const { nodes, channels } = await open(SHORT_LEASE_MS);
  const [first, second] = nodes;
  const load = startLoad(stand, channels);
  const cycles = 3;
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const arrived = await sentTotal(channels);
    load.more(15);
    for (const channel of channels)
      await writeInbound(stand, channel, { people: PEOPLE, count: 40, rate: 200 });
    await expect.poll(() => sentTotal(channels), { interval: 5 }).toBeGreaterThan(arrived + 10 * cycle);
    if (cycle === 1) expect(await upkeepNode()).toBe("first");
    first.service.child.kill("SIGSTOP");
    await untilOwned({ second: CHANNELS });
    await expect.poll(upkeepNode).toBe("second");
    await load.idle();
    first.service.child.kill("SIGCONT");
    await untilOwned({ first: CHANNELS / 2, second: CHANNELS / 2 });
  }
  const { sent } = await checkOutbound(stand, load, channels, { late: cycles });
  expect(sent).toBeGreaterThan(CHANNELS * PEOPLE * cycles);
  await checkInbound(stand, channels.length * 40 * cycles);
  await checkQueuesEmpty(stand);
  for (const { service } of [first, second])
    expect(await service.end("SIGTERM")).toEqual({ code: 0, signal: null });
});

/** Stops its process between the last check before a request with this text and the request's first byte. */
const STOP_WHILE_WRITING = `
  import { subscribe } from "node:diagnostics_channel";
  subscribe("undici:client:sendHeaders", ({ request }) => {
    if (String(request.body).includes("being written")) process.kill(process.pid, "SIGSTOP");
  });`;

test("a request that a frozen node was writing arrives when it resumes, once, and its outcome is unknown", async () => {
  const preloaded = `data:text/javascript,${encodeURIComponent(STOP_WHILE_WRITING)}`;
  const { nodes, channels } = await open(SHORT_LEASE_MS, { NODE_OPTIONS: `--import ${preloaded}` });
  const owned = await stand.db.query<{ id: string }>(
    "select c.id from channels c join nodes n on n.id = c.owner where n.name = 'first'",
  );
  const channel = channels.find(({ id }) => id === owned[0]?.id);
  const [person] = channel?.people ?? [];
  if (channel === undefined || person === undefined) throw new Error("the first node has no channel");
  const unknown = await send(stand, channel, person, "being written");
  const next = await send(stand, channel, person, "next");
  const told = (id: string) =>
    stand.receiver
      .taken()
      .filter(({ kind, messageId }) => kind === "statuses" && messageId === id)
      .map(({ status, error }) => error?.error ?? status);
  const arrived = async () => (await channel.bot.sent()).get(person);
  await expect.poll(() => told(next)).toContain("sent");
  expect(told(unknown)).toEqual(["UNKNOWN_ERROR"]);
  expect(await arrived()).toEqual(["next"]);
  nodes[0].service.child.kill("SIGCONT");
  await untilOwned({ first: CHANNELS / 2, second: CHANNELS / 2 });
  expect(await arrived()).toEqual(["next", "being written"]);
  expect(told(unknown)).toEqual(["UNKNOWN_ERROR"]);
  await checkQueuesEmpty(stand);
});

test("a node that stops gracefully releases its channels immediately, under load, and every message is sent", async () => {
  // Too long a lease to wait for.
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
  await expect.poll(upkeepNode).toBe("second");
  await load.idle();
  const { unknown } = await checkOutbound(stand, load, channels);
  expect(unknown).toBe(0);
  await checkInbound(stand, channels.length * 60);
  await checkQueuesEmpty(stand);
  expect(await second.service.end("SIGTERM")).toEqual({ code: 0, signal: null });
});

test("the replay of a node that is stopped for a while is taken over, and only the delivery in progress is sent twice", async () => {
  const { nodes, channels } = await open(SHORT_LEASE_MS);
  const [channel] = channels;
  const { receiver } = stand;
  for (let count = 1; count <= 3; count++) {
    const taken = receiver.taken().length;
    await channel?.bot.write(channel.people[0] ?? "", `message ${count}`);
    await receiver.until(() => receiver.taken().length > taken);
  }
  const answers: (() => void)[] = [];
  const replayed: unknown[] = [];
  receiver.respond = ({ headers }, response) => {
    replayed.push(headers["webhook-id"]);
    answers.push(() => response.writeHead(200).end());
  };
  const { json } = await must(stand.call("POST", "/v3/webhooks/replay", { from: "2000-01-01T00:00:00Z" }));
  await expect.poll(() => answers.length).toBe(1);
  const [claim] = await stand.db.query<{ name: string }>(
    "select n.name from webhook_replays r join nodes n on n.id = r.claim",
  );
  const stopped = nodes.find(({ name }) => name === claim?.name);
  const other = nodes.find((node) => node !== stopped);
  if (stopped === undefined || other === undefined) throw new Error("nobody has the replay");
  stopped.service.child.kill("SIGSTOP");
  await expect.poll(() => answers.length).toBe(2);
  stopped.service.child.kill("SIGCONT");
  await expect.poll(() => stopped.service.output()).toContain("this node has a lease again");
  answers[0]?.();
  await untilOwned({ first: CHANNELS / 2, second: CHANNELS / 2 });
  for (let next = 1; next < answers.length; next++) {
    answers[next]?.();
    await expect.poll(async () => answers.length > next + 1 || (await isFinished())).toBe(true);
  }
  expect(replayed.filter((id, index) => replayed.indexOf(id) !== index)).toEqual([replayed[0]]);

  async function isFinished(): Promise<boolean> {
    const { replayId } = json as { replayId: string };
    const { json: state } = await must(stand.call("GET", `/v3/webhooks/replay/${replayId}`));
    return (state as { finishedAt: string | null }).finishedAt !== null;
  }
});

async function sentTotal(channels: readonly Channel[]): Promise<number> {
  const totals = await Promise.all(channels.map(({ bot }) => bot.sentTotal()));
  return totals.reduce((sum, total) => sum + total, 0);
}

test("a node whose connections are all busy keeps its lease", async () => {
  stand = await startStand({ settings: { NODE_LEASE_MS: String(SHORT_LEASE_MS), DATABASE_POOL_MAX: "2" } });
  const { service } = await startNode("first");
  const lease = async () => {
    const [row] = await stand.db.query<{ id: string; until: Date }>(
      "select id, lease_until as until from nodes",
    );
    return row ?? { id: "none", until: new Date(0) };
  };
  const begin = await lease();
  const requests = await holdTx(stand.db, async (tx) => {
    await tx.query("lock table contacts in access exclusive mode");
    const waiting = [1, 2, 3].map(() => stand.call("GET", "/v3/contacts"));
    const blocked = () =>
      stand.db.query(
        "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%contacts%'",
      );
    await expect.poll(blocked).toHaveLength(2);
    const heldMs = async () => (await lease()).until.getTime() - begin.until.getTime();
    await expect.poll(heldMs).toBeGreaterThan(2_500);
    return waiting;
  });
  expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await lease()).id).toBe(begin.id);
  expect(await service.end("SIGTERM")).toEqual({ code: 0, signal: null });
});
