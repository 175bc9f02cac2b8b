import { setTimeout as sleep } from "node:timers/promises";
import { atMost, percentile, type Row } from "../kit/numbers.ts";
import { startReceiver } from "../kit/receiver.ts";
import type { Running } from "../kit/service-process.ts";
import { perItem, type Spent, spentBy } from "../kit/spent.ts";
import { client, createChannel, post, type Stand, subscribe } from "../kit/stand.ts";
import { offer, saturate, WARM_UP_SECONDS } from "./pipeline.ts";
import { tapMessenger } from "./tapped-messenger.ts";

const BENCH = "low-load";
const RATE = 100;
const SECONDS = 20;
const CHANNELS = 100;
const IDLE_SECONDS = 20;

/**
 * A hundred messages a second, a usual load: CPU time per message of the service and of PostgreSQL, the latency of a
 * message to the messenger and of its status to the webhook; and the cost of a hundred idle channels.
 */
export async function benchLowLoad(stand: Stand): Promise<Row[]> {
  const receiver = await startReceiver();
  const messenger = await tapMessenger(stand.messengerUrl);
  let service = await stand.serve({ TELEGRAM_API_URL: messenger.url });
  try {
    await subscribe(stand, service.url, receiver.url);
    await saturate(stand, service.url, receiver, WARM_UP_SECONDS);
    await offer(stand, service.url, receiver, RATE, 5);
    const arrived = new Map<string, number>();
    messenger.onSend = (text, at) => void arrived.set(text, at);
    const before = await spentBy(stand, service);
    const { latencies, began } = await offer(stand, service.url, receiver, RATE, SECONDS);
    const after = await spentBy(stand, service);
    const toMessenger = began.map((at, n) => (arrived.get(`Message ${n}`) ?? Number.NaN) - at);
    const aMessage = (part: keyof Spent): number => ((after[part] - before[part]) * 1000) / began.length;
    await service.stop();
    service = await stand.serve();
    return [
      ...perItem(BENCH, `${RATE}/s`, { before, after, items: began.length }),
      atMost(
        BENCH,
        "service and PostgreSQL",
        aMessage("service") + aMessage("PostgreSQL"),
        "ms of processor each",
        1.5,
      ),
      atMost(BENCH, "p50 to the messenger", percentile(toMessenger, 0.5), "ms", 3),
      atMost(BENCH, "p99 to the messenger", percentile(toMessenger, 0.99), "ms", 10),
      atMost(BENCH, "p50 to the webhook", percentile(latencies, 0.5), "ms", 6),
      atMost(BENCH, "p99 to the webhook", percentile(latencies, 0.99), "ms", 20),
      ...(await idle(stand, service)),
    ];
  } finally {
    await service.stop();
    messenger.close();
    receiver.close();
  }
}

async function idle(stand: Stand, service: Running): Promise<Row[]> {
  const api = client(service.url, stand.account.accessToken);
  for (let n = 1; n < CHANNELS; n++) {
    const bot = await post<{ token: string }>(`${stand.admin}/bots`, {});
    await createChannel(api, bot.token);
  }
  await api.close();
  // By then the connections that the load opened are closed, and its pending writes are done.
  await sleep(15_000);
  const before = await spentBy(stand, service);
  await sleep(IDLE_SECONDS * 1000);
  const after = await spentBy(stand, service);
  const part = (of: keyof Spent): number => ((after[of] - before[of]) / IDLE_SECONDS) * 100;
  const figure = `idle, ${CHANNELS} channels`;
  return [
    { bench: BENCH, figure: `${figure}: PostgreSQL`, value: part("PostgreSQL"), unit: "% of a core" },
    atMost(BENCH, `${figure}: service`, part("service"), "% of a core", 0.5),
  ];
}
