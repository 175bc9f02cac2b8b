import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { findGatherings, type Gathering, settingsOf, stageAt } from "../../sandbox/crowd/find.ts";
import { openConnections, processorSeconds, processTree, residentMegabytes } from "../kit/memory.ts";
import type { Row } from "../kit/numbers.ts";
import type { Running } from "../kit/service-process.ts";
import { type Client, client, type Stand } from "../kit/stand.ts";

const BENCH = "channels";
/** Within this time the service opens its channels and releases the memory that this needed. */
const SETTLE_MS = 60_000;
const IDLE_MS = 60_000;
const PATIENCE_MS = 600_000;

export interface ChannelsOptions {
  /** Number of channels per transport, at least 2. */
  readonly channels: number;
  /** Default: all. */
  readonly transports: readonly string[];
  readonly buildStand: (users: number) => Promise<Stand>;
}

/** Whether the messenger calls the service or is polled. */
interface Way {
  readonly gathering: Gathering;
  readonly calledBack: boolean;
}

/**
 * The cost of idle channels: memory, CPU time and connections of the node and its workers, with one channel and with
 * many, each after a restart. The difference is the cost of the channels alone. The database and the emulator are not
 * included.
 */
export async function benchChannels({ channels, transports, buildStand }: ChannelsOptions): Promise<Row[]> {
  if (!(channels >= 2)) throw new Error("--channels is a number from 2 on");
  const rows: Row[] = [];
  for (const way of await waysOf(transports)) {
    console.error(`  ${nameOf(way)} …`);
    const stand = await buildStand(1);
    try {
      rows.push(...(await measure(stand, way, channels)));
    } finally {
      await stand.close();
    }
  }
  return rows;
}

async function waysOf(transports: readonly string[]): Promise<readonly Way[]> {
  const all = await findGatherings();
  const unknown = transports.find((name) => !all.some((each) => each.name === name));
  if (unknown !== undefined) throw new Error(`There is no transport "${unknown}"`);
  return all
    .filter(({ name }) => transports.length === 0 || transports.includes(name))
    .flatMap((gathering) => {
      const asked = gathering.messenger.polls === true ? [{ gathering, calledBack: false }] : [];
      return [...asked, { gathering, calledBack: true }];
    });
}

function nameOf({ gathering: { name, messenger }, calledBack }: Way): string {
  if (messenger.polls !== true) return name;
  return `${name}, ${calledBack ? "called back" : "asked for news"}`;
}

async function measure(stand: Stand, way: Way, channels: number): Promise<Row[]> {
  const { gathering } = way;
  const settings = {
    ...(await settingsOf(stand.sandboxUrl, [gathering])),
    CALLBACKS: way.calledBack ? "on" : "off",
    // The messengers keep their addresses over a restart.
    PORT: String(await freePort()),
  };
  let service = await stand.serve(settings);
  const api = client(service.url, stand.account.accessToken);
  const { url } = service;
  try {
    const crowd = await gathering.messenger.gather(
      stageAt(stand.sandboxUrl, gathering.name, { serviceUrl: () => url, api: asking(api) }),
    );
    const rested = async (more: number): Promise<Cost> => {
      for (let left = more; left > 0; left--) await crowd.addChannel();
      await service.stop();
      service = await stand.serve(settings);
      await untilActive(api, gathering.name);
      return costOf(service);
    };
    const one = await rested(1);
    const many = await rested(channels - 1);
    return rowsOf(nameOf(way), { one, many, channels });
  } finally {
    await api.close();
    await service.stop();
  }
}

function asking(api: Client) {
  return <T>(method: "GET" | "POST", path: string, body: object = {}): Promise<T> =>
    method === "GET" ? api.get<T>(path) : api.post<T>(path, body);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilActive(api: Client, wanted: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const { data } = await api.get<{ data: { transport: string; status: string }[] }>("/v2/channels");
    const waiting = data.filter(({ transport, status }) => transport === wanted && status !== "active");
    if (waiting.length === 0) return;
    if (performance.now() > end) throw new Error(`${waiting.length} channels did not become active`);
    await sleep(1_000);
  }
}

interface Cost {
  readonly megabytes: number;
  /** In thousandths of one core. */
  readonly processor: number;
  readonly connections: number;
}

async function costOf({ pid }: Running): Promise<Cost> {
  await sleep(SETTLE_MS);
  const pids = await processTree(pid);
  const before = await processorSeconds(pids);
  await sleep(IDLE_MS);
  const used = (await processorSeconds(pids)) - before;
  return {
    megabytes: await residentMegabytes(pids),
    processor: (used / (IDLE_MS / 1000)) * 1000,
    connections: await openConnections(pids),
  };
}

function rowsOf(
  name: string,
  { one, many, channels }: { readonly one: Cost; readonly many: Cost; readonly channels: number },
): Row[] {
  const row = (figure: string, value: number, unit: string): Row => ({
    bench: BENCH,
    figure: `${name}: ${figure}`,
    value,
    unit,
  });
  const each = (of: (cost: Cost) => number): number => (of(many) - of(one)) / (channels - 1);
  return [
    row(`memory with ${channels}`, many.megabytes, "MB"),
    row("memory of each after the first", each(({ megabytes }) => megabytes) * 1024, "KB"),
    row(`processor with ${channels}`, many.processor, "ms/s"),
    row("processor of each after the first", each(({ processor }) => processor) * 1000, "us/s"),
    row(`connections with ${channels}`, many.connections, ""),
    row(
      "connections of each after the first",
      each(({ connections }) => connections),
      "",
    ),
  ];
}
