import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { atLeast, type Row, until } from "../kit/numbers.ts";
import { queueMessages } from "../kit/queue.ts";
import { type Arrival, type Receiver, startReceiver } from "../kit/receiver.ts";
import { run } from "../kit/service-process.ts";
import { type Stand, subscribe } from "../kit/stand.ts";

const CHATS = 1_000;
const QUEUED = 300_000;
/** Items for warming up the sender. */
const WARM_UP = 100_000;
const SLOW_QUEUED = 10_000;
const SLOW_MS = 100;

/**
 * Drains a full queue: to an instant receiver, compared with a bare loop in a separate process that posts the same
 * bodies, and to a slow one.
 */
export async function benchWebhook(stand: Stand): Promise<Row[]> {
  const instant = await startReceiver();
  const slow = await startReceiver({ delayMs: SLOW_MS });
  try {
    const bodies: string[] = [];
    instant.onRequest = (body) => void bodies.push(body);
    const ours = await drain(stand, instant, { count: QUEUED, warmUp: WARM_UP });
    instant.onRequest = () => undefined;
    const raw = await postAll(stand, instant, bodies);
    const slowly = await drain(stand, slow, { count: SLOW_QUEUED, warmUp: 0 });
    return [
      { bench: "webhook", figure: "raw undici loop, same bodies", value: raw, unit: "items/s" },
      { bench: "webhook", figure: "instant receiver", value: ours, unit: "items/s" },
      atLeast("webhook", "ratio to the raw loop", ours / raw, "", 0.5),
      atLeast("webhook", `receiver that takes ${SLOW_MS} ms, in order per chat`, slowly, "items/s", 1_000),
    ];
  } finally {
    instant.close();
    slow.close();
  }
}

interface Amount {
  readonly count: number;
  readonly warmUp: number;
}

/** Fills the receiver's queue while no node delivers, then times a node that does nothing else. */
async function drain(stand: Stand, receiver: Receiver, amount: Amount): Promise<number> {
  const accepting = await stand.serve({ ROLES: "api" });
  await subscribe(stand, accepting.url, receiver.url);
  await accepting.stop();
  await queueMessages(stand, { count: amount.count, chats: CHATS });
  const places = new Map<string, number>();
  const rate = measure(receiver, amount, ({ chatId = "", text }) => {
    const place = Number(text?.slice("Message ".length));
    if (place <= (places.get(chatId) ?? 0)) throw new Error(`chat ${chatId} is out of order at "${text}"`);
    places.set(chatId, place);
  });
  const delivering = await stand.serve({ ROLES: "delivery" });
  const itemsPerSecond = await rate;
  await delivering.stop();
  return itemsPerSecond;
}

async function postAll(stand: Stand, receiver: Receiver, bodies: readonly string[]): Promise<number> {
  const file = join(stand.directory, "bodies");
  await writeFile(file, bodies.join("\n"));
  const rate = measure(receiver, { count: QUEUED, warmUp: WARM_UP });
  const loop = await run("bench/receive/post-loop.ts", [receiver.url, file], {}, /posting to (\S+)/);
  const itemsPerSecond = await rate;
  await loop.stop();
  return itemsPerSecond;
}

/** Items per second, from the end of the warm-up until all have arrived. */
async function measure(
  receiver: Receiver,
  { count, warmUp }: Amount,
  check: (arrival: Arrival) => void = () => undefined,
): Promise<number> {
  let [first, last, arrived] = [0, 0, 0];
  receiver.onArrival = (arrival) => {
    if (arrived++ === warmUp) first = arrival.at;
    last = arrival.at;
    check(arrival);
  };
  await until(() => arrived >= count, 120_000);
  receiver.onArrival = () => undefined;
  return (count - warmUp) / ((last - first) / 1000);
}
