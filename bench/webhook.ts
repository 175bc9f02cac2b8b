import { request } from "undici";
import { atLeast, type Row, until } from "./numbers.ts";
import { queueMessages } from "./queue.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { type Stand, subscribe } from "./stand.ts";

const CHATS = 1_000;
const QUEUED = 200_000;
const SLOW_QUEUED = 10_000;
const SLOW_MS = 100;

/** Drains a full queue: to an instant receiver beside a bare loop posting the same bodies, and to a slow one. */
export async function benchWebhook(stand: Stand): Promise<Row[]> {
  const instant = await startReceiver();
  const slow = await startReceiver({ delayMs: SLOW_MS });
  try {
    const bodies: string[] = [];
    instant.onRequest = (body) => void bodies.push(body);
    const ours = await drain(stand, instant, QUEUED);
    instant.onRequest = () => undefined;
    const raw = await postAll(instant, bodies, QUEUED);
    const slowly = await drain(stand, slow, SLOW_QUEUED);
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

/** Fills the receiver's queue while nobody delivers, then times a node that does nothing else. */
async function drain(stand: Stand, receiver: Receiver, count: number): Promise<number> {
  const accepting = await stand.serve({ ROLES: "api" });
  await subscribe(stand, accepting.url, receiver.url);
  await accepting.stop();
  await queueMessages(stand, { count, chats: CHATS });
  const places = new Map<string, number>();
  let [first, last, arrived] = [0, 0, 0];
  receiver.onArrival = ({ chatId = "", text, at }) => {
    if (arrived++ === 0) first = at;
    last = at;
    const place = Number(text?.slice("Message ".length));
    if (place <= (places.get(chatId) ?? 0)) throw new Error(`chat ${chatId} is out of order at "${text}"`);
    places.set(chatId, place);
  };
  const delivering = await stand.serve({ ROLES: "delivery" });
  await until(() => arrived >= count, 120_000);
  await delivering.stop();
  receiver.onArrival = () => undefined;
  return count / ((last - first) / 1000);
}

async function postAll({ url }: Receiver, bodies: readonly string[], items: number): Promise<number> {
  const start = performance.now();
  for (const body of bodies) {
    const answer = await request(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    await answer.body.dump();
  }
  return items / ((performance.now() - start) / 1000);
}
