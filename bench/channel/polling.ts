import { setTimeout as sleep } from "node:timers/promises";
import { openConnections, processorSeconds, processTree, residentMegabytes } from "../kit/memory.ts";
import { atMost, percentile, type Row } from "../kit/numbers.ts";
import { type Receiver, startReceiver } from "../kit/receiver.ts";
import type { Running } from "../kit/service-process.ts";
import { type Client, client, createChannel, post, type Stand, subscribe } from "../kit/stand.ts";

const BENCH = "polling";
/** Channels that are created at a time. */
const CREATORS = 16;
/** Channels that messages are sent through, spread over all. */
const USED = 200;
/** Sent before those that are measured, so that code is compiled and statements are prepared. */
const WARM_UP_MESSAGES = 500;
const MESSAGES = 1_000;
const MESSAGES_PER_SECOND = 50;
/** Within this time a node releases the memory that its start needed. */
const SETTLE_MS = 60_000;
const IDLE_MS = 60_000;
const PATIENCE_MS = 600_000;

export interface PollingOptions {
  /** Of all nodes together, at least 2. Each needs a file descriptor of its node and one of the emulator. */
  readonly channels: number;
  readonly buildStand: (users: number) => Promise<Stand>;
}

/**
 * Many telegram channels, each polled over a connection of its own: how soon all are polled after a restart, what they
 * cost at rest, the latency of a message through one of them, and how soon a second node's channels are polled again
 * after it was killed.
 */
export async function benchPolling({ channels, buildStand }: PollingOptions): Promise<Row[]> {
  if (!(channels >= 2)) throw new Error("--channels is a number from 2 on");
  const stand = await buildStand(1);
  const receiver = await startReceiver();
  const settings = { CALLBACKS: "off" };
  let first = await stand.serve(settings);
  let second: Running | undefined;
  try {
    await subscribe(stand, first.url, receiver.url);
    const used = await createAll(stand, first, channels);
    await first.stop();
    const started = performance.now();
    first = await stand.serve(settings);
    const backMs = await untilPolled([first], channels, started);
    const resting = await atRest(stand, first, channels);
    const latencies = await send(stand, first, receiver, used);
    const lost = await leaseLosses(first);
    second = await stand.serve(settings);
    await untilPolled([first, second], channels, performance.now(), channels / 2 - CREATORS);
    await second.end("SIGKILL");
    const takenMs = await untilPolled([first], channels, performance.now());
    const figure = `${channels} channels`;
    return [
      atMost(BENCH, `${figure}: all polled after a restart`, backMs / 1000, "s", 60),
      ...resting,
      atMost(BENCH, `${figure}: p50 of a message to its webhook`, percentile(latencies, 0.5), "ms", 100),
      atMost(BENCH, `${figure}: p99 of a message to its webhook`, percentile(latencies, 0.99), "ms", 100),
      atMost(BENCH, `${figure}: lost leases`, lost + (await leaseLosses(first)), "", 0),
      atMost(BENCH, `${figure} of two nodes: all polled after one was killed`, takenMs / 1000, "s", 60),
    ];
  } finally {
    await second?.end("SIGKILL");
    await first.stop();
    receiver.close();
    await stand.close();
  }
}

interface Used {
  readonly channelId: string;
  readonly chatId: string;
}

/** Returns some of them, in which a person has started a chat. */
async function createAll(stand: Stand, service: Running, channels: number): Promise<Used[]> {
  const api = client(service.url, stand.account.accessToken);
  const used: Used[] = [];
  const every = Math.max(1, Math.floor(channels / USED));
  let left = channels - 1;
  const createSome = async (): Promise<void> => {
    while (left > 0) {
      const number = left--;
      const bot = await post<{ id: number; token: string }>(`${stand.admin}/bots`, {});
      const channelId = await createChannel(api, bot.token);
      if (number % every === 0) used.push({ channelId, chatId: await startChat(stand, bot.id) });
    }
  };
  await Promise.all(Array.from({ length: CREATORS }, createSome));
  await api.close();
  return used;
}

async function startChat({ admin }: Stand, botId: number): Promise<string> {
  const person = await post<{ id: number }>(`${admin}/users`, { first_name: "Ann" });
  await post(`${admin}/bots/${botId}/users/${person.id}/start`, {});
  return String(person.id);
}

/** Resolves with the time since `from` when the nodes together hold a connection per channel, `each` node at least some. */
async function untilPolled(
  nodes: readonly Running[],
  channels: number,
  from: number,
  each = 0,
): Promise<number> {
  for (;;) {
    const held = await Promise.all(nodes.map(async ({ pid }) => openConnections(await processTree(pid))));
    const all = held.reduce((sum, own) => sum + own, 0);
    if (all >= channels && held.every((own) => own >= each)) return performance.now() - from;
    if (performance.now() - from > PATIENCE_MS)
      throw new Error(`Only ${all} of ${channels} channels are polled`);
    await sleep(500);
  }
}

async function atRest(stand: Stand, { pid }: Running, channels: number): Promise<Row[]> {
  await sleep(SETTLE_MS);
  const spent = async (of: number): Promise<number> => processorSeconds(await processTree(of));
  const before = [await spent(pid), await spent(stand.postgresPid)] as const;
  await sleep(IDLE_MS);
  const percent = (now: number, then: number): number => ((now - then) / (IDLE_MS / 1000)) * 100;
  const figure = `${channels} channels`;
  return [
    atMost(BENCH, `${figure}: memory`, await residentMegabytes(await processTree(pid)), "MB", 600),
    atMost(BENCH, `${figure}: idle, service`, percent(await spent(pid), before[0]), "% of a core", 10),
    {
      bench: BENCH,
      figure: `${figure}: idle, PostgreSQL`,
      value: percent(await spent(stand.postgresPid), before[1]),
      unit: "% of a core",
    },
  ];
}

/** Latencies in milliseconds from the request to the webhook of `sent`. */
async function send(
  stand: Stand,
  service: Running,
  receiver: Receiver,
  used: readonly Used[],
): Promise<number[]> {
  const api = client(service.url, stand.account.accessToken);
  const arrived = new Map<string, number>();
  receiver.onArrival = ({ messageId, at }) => {
    if (!arrived.has(messageId)) arrived.set(messageId, at);
  };
  const began = performance.now();
  const offered: Promise<readonly [string, number]>[] = [];
  for (let n = 0; n < WARM_UP_MESSAGES + MESSAGES; n++) {
    const early = began + (n * 1000) / MESSAGES_PER_SECOND - performance.now();
    if (early > 0) await sleep(early);
    offered.push(sendOne(api, used[n % used.length], n));
  }
  const all = await Promise.all(offered);
  const end = performance.now() + PATIENCE_MS;
  while (!all.every(([id]) => arrived.has(id)) && performance.now() < end) await sleep(50);
  await api.close();
  return all
    .slice(WARM_UP_MESSAGES)
    .map(([id, from]) => (arrived.get(id) ?? Number.POSITIVE_INFINITY) - from);
}

async function sendOne(api: Client, to: Used | undefined, n: number): Promise<readonly [string, number]> {
  const from = performance.now();
  const { data } = await api.post<{ data: { request_id: string } }>("/v2/messages", {
    channel_id: to?.channelId,
    recipient: { chat_type: "telegram", chat_id: to?.chatId },
    text: `Message ${n}`,
  });
  return [data.request_id, from];
}

async function leaseLosses({ url }: Running): Promise<number> {
  const text = await (await fetch(new URL("/metrics", url))).text();
  return Number(/^trunkline_lease_losses_total (\d+)/m.exec(text)?.[1] ?? Number.NaN);
}
