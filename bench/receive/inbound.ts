import { atLeast, atMost, percentile, type Row, until } from "../kit/numbers.ts";
import { type Receiver, startReceiver } from "../kit/receiver.ts";
import { type Stand, subscribe, writeLoad } from "../kit/stand.ts";

const CHATS = 1_000;
const GOAL = 3_000;

/** Customers write → the connector polls → stored → webhook acknowledged. */
export async function benchInbound(stand: Stand): Promise<Row[]> {
  const receiver = await startReceiver();
  const service = await stand.serve();
  try {
    await subscribe(stand, service.url, receiver.url);
    await arriving(stand, receiver, 1_000, 2);
    const calm = await arriving(stand, receiver, 500, 8);
    const busy = await arriving(stand, receiver, GOAL, 12);
    const burst = await arriving(stand, receiver, 0, 30_000);
    return [
      { bench: "inbound", figure: "p50 at 500/s", value: percentile(calm.latencies, 0.5), unit: "ms" },
      atMost("inbound", "p99 at 500/s", percentile(calm.latencies, 0.99), "ms", 50),
      atLeast("inbound", `delivered while ${GOAL}/s came in`, busy.rate, "messages/s", GOAL * 0.99),
      { bench: "inbound", figure: `p99 at ${GOAL}/s`, value: percentile(busy.latencies, 0.99), unit: "ms" },
      { bench: "inbound", figure: "30,000 at once", value: burst.rate, unit: "messages/s" },
    ];
  } finally {
    await service.stop();
    receiver.close();
  }
}

/**
 * Lets customers write at a rate for some seconds (rate 0: this many at once) and waits for all webhooks. Latencies
 * count from the time when the message was due; `lateMs` is how late the messenger wrote them (p99).
 */
export async function arriving(
  stand: Stand,
  receiver: Pick<Receiver, "onArrival">,
  rate: number,
  amount: number,
): Promise<{ latencies: number[]; rate: number; lateMs: number }> {
  const count = rate === 0 ? amount : rate * amount;
  const arrivals: { readonly number: number; readonly at: number }[] = [];
  const began = performance.now();
  receiver.onArrival = ({ key, text, at }) => {
    if (key !== "messages") return;
    arrivals.push({ number: Number(/(\d+)$/.exec(text ?? "")?.[1] ?? 1), at });
  };
  const load = await writeLoad(stand, { users: CHATS, count, rate });
  await until(() => arrivals.length >= count, 120_000);
  const start = rate === 0 ? began : load.startedMs - Date.now() + performance.now();
  const due = (number: number): number => start + (rate === 0 ? 0 : ((number - 1) / rate) * 1000);
  const last = arrivals.at(-1)?.at ?? start;
  return {
    latencies: arrivals.map(({ number, at }) => at - due(number)),
    rate: count / ((last - start) / 1000),
    lateMs: await load.lateMs(),
  };
}
