import { request } from "undici";
import { openDatabase } from "../src/database/database.ts";
import { createLog } from "../src/platform/log.ts";
import { atLeast, type Row, until } from "./numbers.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { type Stand, subscribe, writeLoad } from "./stand.ts";

const CHATS = 1_000;
const QUEUED = 30_000;
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
  const collecting = await stand.serve({ ROLES: "api,sessions" });
  await subscribe(stand, collecting.url, receiver.url);
  const before = await queueLength(stand);
  await writeLoad(stand, { users: CHATS, count, rate: 0 });
  while ((await queueLength(stand)) < before + count) await new Promise((resolve) => setTimeout(resolve, 50));
  await collecting.stop();
  const places = new Map<string, number>();
  let [first, last, arrived] = [0, 0, 0];
  receiver.onArrival = ({ key, chatId = "", text, at }) => {
    if (key !== "messages") return;
    if (arrived++ === 0) first = at;
    last = at;
    const [, load, number] = /^load (\d+) message (\d+)$/.exec(text ?? "") ?? [];
    const place = Number(load) * 1_000_000 + Number(number);
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

async function queueLength(stand: Stand): Promise<number> {
  const log = createLog({ level: "error", pretty: false });
  const db = openDatabase({ connection: stand.databaseUrl, max: 1, log, applicationName: "bench" });
  const [row] = await db.query<{ length: number }>("select count(*)::int as length from webhook_queue", []);
  await db.close();
  return row?.length ?? 0;
}
