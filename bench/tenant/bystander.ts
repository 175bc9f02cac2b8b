import { setTimeout as sleep } from "node:timers/promises";
import { atMost, percentile, type Row } from "../kit/numbers.ts";
import { type Receiver, startReceiver } from "../kit/receiver.ts";
import type { Running } from "../kit/service-process.ts";
import { PROCESSES, spentBy } from "../kit/spent.ts";
import { type Stand, subscribe } from "../kit/stand.ts";
import { arriving } from "../receive/inbound.ts";
import { offer } from "../send/pipeline.ts";
import { startHostileTenant } from "./hostile-tenant.ts";

const RATE = 50;
const SECONDS = 8;
const ROUNDS = 2;
const BENCH = "bystander";
const DIRECTIONS = ["inbound", "sends"] as const;

/** Latencies in milliseconds, how late the messenger wrote (p99), and CPU time as a share of one core. */
interface Side {
  readonly inbound: number[];
  readonly sends: number[];
  readonly lateMs: number[];
  readonly processor: Record<(typeof PROCESSES)[number], number>[];
}

/**
 * A tenant with 50 messages a second in each direction: from its customers to its receiver, and from its sends to
 * their status. Meanwhile another tenant uses everything it is allowed: the most expensive bodies and callbacks,
 * sends and receivers that hang, the largest webhook settings. Both sides are measured alternately, in one run; in
 * between also once while the other tenant only hangs: nine channels, and receivers with long queues.
 */
export async function benchBystander(stand: Stand): Promise<Row[]> {
  const receiver = await startReceiver();
  // The hostile tenant stays within the default limit on its own; the bystander sends three times as much.
  const limit = { RATE_LIMIT_PER_MINUTE: "10000" };
  const service = await stand.serve({ GRAPH_API_URL: new URL("/wapi", stand.admin).href, ...limit });
  const [alone, hanging, beside] = [emptySide(), emptySide(), emptySide()];
  let hostile: Awaited<ReturnType<typeof startHostileTenant>> | undefined;
  try {
    await subscribe(stand, service.url, receiver.url);
    await measure({ stand, service, receiver }, emptySide());
    await measure({ stand, service, receiver }, alone);
    hostile = await startHostileTenant(stand, service.url);
    await measure({ stand, service, receiver }, hanging);
    for (let round = 0; round < ROUNDS; round++) {
      const end = hostile.attack();
      await measure({ stand, service, receiver }, beside);
      console.error("answers to the hostile tenant:", await end());
      if (round + 1 < ROUNDS) await measure({ stand, service, receiver }, alone);
    }
  } finally {
    await service.stop();
    await hostile?.close();
    receiver.close();
  }
  return [
    ...DIRECTIONS.map((direction) =>
      atMost(
        BENCH,
        `p99 ${direction} at ${RATE}/s beside nine channels that hang`,
        percentile(hanging[direction], 0.99),
        "ms",
        50,
      ),
    ),
    ...DIRECTIONS.flatMap((direction) => rowsOf(direction, alone[direction], beside[direction])),
    shown("p99, the messenger writes late, alone", Math.max(...alone.lateMs), "ms"),
    shown("p99, the messenger writes late, beside", Math.max(...beside.lateMs), "ms"),
    ...PROCESSES.flatMap((name) => [
      shown(`${name}, alone`, mean(alone.processor.map((each) => each[name])), "% of a core"),
      shown(`${name}, beside`, mean(beside.processor.map((each) => each[name])), "% of a core"),
    ]),
  ];
}

function emptySide(): Side {
  return { inbound: [], sends: [], lateMs: [], processor: [] };
}

function rowsOf(direction: (typeof DIRECTIONS)[number], alone: number[], beside: number[]): Row[] {
  const figure = `${direction} at ${RATE}/s`;
  const ratio = percentile(beside, 0.99) / percentile(alone, 0.99);
  return [
    ...[0.5, 0.99].map((p) => shown(`p${p * 100} ${figure}, alone`, percentile(alone, p), "ms")),
    shown(`p50 ${figure} beside a hostile tenant`, percentile(beside, 0.5), "ms"),
    atMost(BENCH, `p99 ${figure} beside a hostile tenant`, percentile(beside, 0.99), "ms", 100),
    shown(`p99 ${figure}, beside over alone`, ratio, ""),
  ];
}

interface Measured {
  readonly stand: Stand;
  readonly service: Running;
  readonly receiver: Receiver;
}

async function measure({ stand, service, receiver }: Measured, side: Side): Promise<void> {
  const [messages, statuses] = split(receiver);
  const before = await spentBy(stand, service);
  const began = performance.now();
  const [inbound, sends] = await Promise.all([
    arriving(stand, messages, RATE, SECONDS),
    offer(stand, service.url, statuses, RATE, SECONDS),
  ]);
  const seconds = (performance.now() - began) / 1000;
  const after = await spentBy(stand, service);
  side.inbound.push(...inbound.latencies);
  side.sends.push(...sends.latencies);
  side.lateMs.push(inbound.lateMs);
  const share = (name: (typeof PROCESSES)[number]): number => ((after[name] - before[name]) / seconds) * 100;
  side.processor.push({
    service: share("service"),
    PostgreSQL: share("PostgreSQL"),
    messenger: share("messenger"),
    generator: share("generator"),
  });
  // Messages after the last one do not count for the next side.
  await sleep(500);
}

/** One receiver for both directions; each direction sees its own items. */
function split(receiver: Receiver): [Pick<Receiver, "onArrival">, Pick<Receiver, "onArrival">] {
  const ignore = (): void => undefined;
  const [messages, statuses]: Pick<Receiver, "onArrival">[] = [{ onArrival: ignore }, { onArrival: ignore }];
  if (messages === undefined || statuses === undefined) throw new Error("unreachable");
  receiver.onArrival = (arrival) => (arrival.key === "messages" ? messages : statuses).onArrival(arrival);
  return [messages, statuses];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function shown(figure: string, value: number, unit: string): Row {
  return { bench: BENCH, figure, value, unit };
}
