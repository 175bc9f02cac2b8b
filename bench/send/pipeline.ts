import { setTimeout as sleep } from "node:timers/promises";
import { atLeast, atMost, percentile, type Row, until } from "../kit/numbers.ts";
import { startReceiver } from "../kit/receiver.ts";
import { perItem, spentBy } from "../kit/spent.ts";
import { chatId, type Stand, subscribe } from "../kit/stand.ts";
import { leanClient } from "./lean-client.ts";

const CHATS = 1_000;
const GOAL = 3_000;
/** Time until frequently executed code is compiled: a node that has just started works at half its speed. */
export const WARM_UP_SECONDS = 15;

/** Accept → send through the connector and the emulator → status webhook acknowledged. */
export async function benchPipeline(stand: Stand): Promise<Row[]> {
  const receiver = await startReceiver();
  try {
    return [...(await throughEmulator(stand, receiver)), ...(await toInstantMessenger(stand, receiver))];
  } finally {
    receiver.close();
  }
}

async function throughEmulator(stand: Stand, receiver: Receiving): Promise<Row[]> {
  const service = await stand.serve();
  try {
    await subscribe(stand, service.url, receiver.url);
    await saturate(stand, service.url, receiver, WARM_UP_SECONDS);
    const calm = await offer(stand, service.url, receiver, 500, 8);
    const brisk = await offer(stand, service.url, receiver, 2_000, 10);
    const busy = await offer(stand, service.url, receiver, GOAL, 12);
    const before = await spentBy(stand, service);
    const full = await saturate(stand, service.url, receiver, 10);
    const after = await spentBy(stand, service);
    return [
      { bench: "pipeline", figure: "p50 at 500/s", value: percentile(calm.latencies, 0.5), unit: "ms" },
      atMost("pipeline", "p99 at 500/s", percentile(calm.latencies, 0.99), "ms", 50),
      atMost("pipeline", "p99 at 2000/s", percentile(brisk.latencies, 0.99), "ms", 50),
      atLeast("pipeline", `finished while ${GOAL}/s were offered`, busy.rate, "messages/s", GOAL * 0.99),
      atMost("pipeline", `backlog after ${GOAL}/s, in seconds of load`, busy.backlog / GOAL, "s", 0.5),
      { bench: "pipeline", figure: `p99 at ${GOAL}/s`, value: percentile(busy.latencies, 0.99), unit: "ms" },
      atLeast("pipeline", "most, 128 connections", full.rate, "messages/s", 6_000),
      ...perItem("pipeline", "then", { before, after, items: full.messages }),
    ];
  } finally {
    await service.stop();
  }
}

const INSTANT_MESSENGER = new URL("./instant-messenger.ts", import.meta.url).href;

/** The same without a connector and its HTTP. */
async function toInstantMessenger(stand: Stand, receiver: Receiving): Promise<Row[]> {
  const service = await stand.serve({ NODE_OPTIONS: `--import ${INSTANT_MESSENGER}` });
  try {
    await saturate(stand, service.url, receiver, WARM_UP_SECONDS);
    const before = await spentBy(stand, service);
    const full = await saturate(stand, service.url, receiver, 10);
    const after = await spentBy(stand, service);
    return [
      atLeast("pipeline", "most, messenger in the process", full.rate, "messages/s", 8_000),
      ...perItem("pipeline", "messenger in the process", { before, after, items: full.messages }),
    ];
  } finally {
    await service.stop();
  }
}

type Receiving = Awaited<ReturnType<typeof startReceiver>>;

interface Offered {
  readonly latencies: number[];
  /** When each message was offered, by `performance.now()`. */
  readonly began: readonly number[];
  /** Messages per second whose status had arrived at the end of the load. */
  readonly rate: number;
  readonly backlog: number;
}

/** Open loop: this many messages a second, whatever the service does; then waits until all are done. */
export async function offer(
  stand: Stand,
  url: string,
  receiver: Pick<Receiving, "onArrival">,
  rate: number,
  seconds: number,
): Promise<Offered> {
  const api = leanClient(url, stand.account.accessToken);
  const send = (n: number): Promise<string> => api.post("/v2/messages", messageTo(stand.channelId, n));
  return offerBy(send, receiver, rate, seconds).finally(() => api.close());
}

/** The same, where `send` posts the n-th message and resolves with the response. */
export async function offerBy(
  send: (n: number) => Promise<string>,
  receiver: Pick<Receiving, "onArrival">,
  rate: number,
  seconds: number,
): Promise<Offered> {
  const began = new Map<string, number>();
  const early = new Map<string, number>();
  const latencies: number[] = [];
  receiver.onArrival = ({ messageId, status, at }) => {
    if (status === "error") throw new Error(`Message ${messageId} was not sent: see the log of its channel`);
    const from = began.get(messageId);
    if (from === undefined) early.set(messageId, at);
    else latencies.push(at - from);
  };
  const sendOne = async (n: number): Promise<void> => {
    const from = performance.now();
    const { data } = JSON.parse(await send(n)) as Accepted;
    const arrived = early.get(data.request_id);
    if (arrived === undefined) began.set(data.request_id, from);
    else latencies.push(arrived - from);
  };
  const total = rate * seconds;
  const start = performance.now();
  const requests: Promise<void>[] = [];
  const offered: number[] = [];
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - start) / 1000) * rate));
    for (; sent < due; sent++) {
      offered.push(performance.now());
      requests.push(sendOne(sent));
    }
    await sleep(2);
  }
  await Promise.all(requests);
  const finished = latencies.length;
  const elapsed = (performance.now() - start) / 1000;
  await until(() => latencies.length === total);
  return { latencies, began: offered, rate: finished / elapsed, backlog: total - finished };
}

interface Accepted {
  readonly data: { readonly request_id: string };
}

/** Closed loop: 128 connections. `rate`: messages per second, counted at the receiver. */
export async function saturate(
  stand: Stand,
  url: string,
  receiver: Pick<Receiving, "onArrival">,
  seconds: number,
): Promise<{ readonly messages: number; readonly rate: number }> {
  const api = leanClient(url, stand.account.accessToken);
  let arrived = 0;
  let sent = 0;
  // A customer's first message may still be on its way.
  receiver.onArrival = ({ key }) => {
    if (key === "statuses") arrived++;
  };
  const start = performance.now();
  const until_ = start + seconds * 1000;
  const worker = async (): Promise<void> => {
    while (performance.now() < until_) {
      if (sent - arrived > 5_000) await sleep(1);
      else await api.post("/v2/messages", messageTo(stand.channelId, sent++));
    }
  };
  await Promise.all(Array.from({ length: 128 }, worker));
  await until(() => arrived === sent);
  api.close();
  return { messages: arrived, rate: arrived / ((performance.now() - start) / 1000) };
}

/** The n-th message of the load. */
export function messageTo(channelId: string, n: number): object {
  return {
    channel_id: channelId,
    recipient: { chat_type: "telegram", chat_id: chatId(n % CHATS) },
    text: `Message ${n}`,
  };
}
