import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { findGatherings, settingsOf, stageAt } from "../../sandbox/crowd/find.ts";
import { openDatabase } from "../../src/database/database.ts";
import { createLog } from "../../src/platform/log.ts";
import { messageOf } from "../../src/platform/message-of.ts";
import { atLeast, atMost, percentile, type Row, until } from "../kit/numbers.ts";
import { type Receiver, startReceiver } from "../kit/receiver.ts";
import type { Running } from "../kit/service-process.ts";
import { perItem, spentBy } from "../kit/spent.ts";
import { client, type Stand, subscribe } from "../kit/stand.ts";
import { type LeanClient, leanClient } from "../send/lean-client.ts";

const BENCH = "receipts";
const MESSENGER = "wapi";
const CHATS = 1_000;
const MESSAGES = 60_000;
const SINGLE_GOAL = 3_000;
const SINGLE_SECONDS = 8;
const BATCH_GOAL = 10_000;
const BATCH = 100;
const BATCHES = 400;
const BATCHES_UNDER_WAY = 8;
/** Of ten items one is a message of a customer, the others are receipts of our messages. */
const MESSAGE_EVERY = 10;
const FIRST_PHONE = 16_500_000_000;
const PATIENCE_MS = 120_000;
const REPEAT_MS = 20;

/**
 * Callbacks of the WhatsApp Business Platform with mixed contents: `delivered`, then `read` of our messages, and
 * messages of customers. Single ones at a fixed rate, and batches as fast as the service takes them.
 */
export async function benchReceipts(stand: Stand): Promise<Row[]> {
  const gatherings = (await findGatherings()).filter(({ name }) => name === MESSENGER);
  const [gathering] = gatherings;
  if (gathering === undefined) throw new Error(`There is no emulator of ${MESSENGER}`);
  const settings = await settingsOf(stand.sandboxUrl, gatherings);
  const service = await stand.serve(settings);
  const receiver = await startReceiver();
  const api = client(service.url, stand.account.accessToken);
  try {
    const asking = <T>(method: "GET" | "POST", path: string, body: object = {}): Promise<T> =>
      method === "GET" ? api.get<T>(path) : api.post<T>(path, body);
    const crowd = await gathering.messenger.gather(
      stageAt(stand.sandboxUrl, MESSENGER, { serviceUrl: () => service.url, api: asking }),
    );
    const channelId = await crowd.addChannel();
    const numberId = await fill(stand, channelId);
    await subscribe(stand, service.url, receiver.url);
    const caller = new Caller(service, { numberId, secret: settings["WAPI_APP_SECRET"] ?? "" });
    try {
      await single(caller, receiver, 500, 4);
      const calm = await single(caller, receiver, 500, SINGLE_SECONDS);
      const busy = await single(caller, receiver, SINGLE_GOAL, SINGLE_SECONDS);
      const before = await spentBy(stand, service);
      const batched = await inBatches(caller, receiver);
      const after = await spentBy(stand, service);
      return [
        { bench: BENCH, figure: "p50 at 500/s", value: percentile(calm.latencies, 0.5), unit: "ms" },
        atMost(BENCH, "p99 at 500/s", percentile(calm.latencies, 0.99), "ms", 50),
        atLeast(BENCH, `single callbacks, ${SINGLE_GOAL}/s offered`, busy.rate, "/s", SINGLE_GOAL * 0.99),
        {
          bench: BENCH,
          figure: `p99 at ${SINGLE_GOAL}/s`,
          value: percentile(busy.latencies, 0.99),
          unit: "ms",
        },
        atLeast(BENCH, `in batches of ${BATCH}`, batched, "items/s", BATCH_GOAL),
        { bench: BENCH, figure: "callbacks repeated after a 429", value: caller.refused, unit: "" },
        ...perItem(BENCH, "in batches", { before, after, items: BATCH * BATCHES }),
      ];
    } finally {
      caller.close();
    }
  } finally {
    await api.close();
    await service.stop();
    receiver.close();
  }
}

/** Chats, and messages of ours that were sent an hour ago. Returns the messenger's id of the channel. */
async function fill({ databaseUrl, account: { accountId } }: Stand, channelId: string): Promise<string> {
  const log = createLog({ level: "error", pretty: false });
  const db = openDatabase({ connection: databaseUrl, max: 1, log, applicationName: "bench" });
  const chat = (n: string): string => `('00000000-0000-4000-9000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
  const number = await db.session(async (session) => {
    await session.query(
      `insert into chats (account_id, id, channel_id, chat_type, chat_id, last_inbound_at)
       select ${accountId}, ${chat("n")}, '${channelId}', 'whatsapp', (${FIRST_PHONE} + n)::text, now()
       from generate_series(0, ${CHATS - 1}::bigint) n`,
    );
    await session.query(
      `insert into messages (account_id, id, channel_id, chat, direction, type, status, text, external_id, sent_at, created_at)
       select ${accountId}, ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '${channelId}', ${chat(`n % ${CHATS}`)},
              'out', 'text', 'sent', 'Message ' || n, 'wamid.sent.' || n, now() - interval '1 hour', now() - interval '1 hour'
       from generate_series(0, ${MESSAGES - 1}::bigint) n`,
    );
    const [row] = await session.query<{ messenger_id: string }>(
      `select messenger_id from channels where id = '${channelId}'`,
    );
    return row?.messenger_id ?? "";
  });
  await db.close();
  return number;
}

/** Signs and posts callbacks of one app. Its items are numbered; none repeats. */
class Caller {
  readonly #http: LeanClient;
  readonly #number: { readonly numberId: string; readonly secret: string };
  #next = 0;
  #refused = 0;

  constructor(service: Running, number: { readonly numberId: string; readonly secret: string }) {
    this.#http = leanClient(service.url, "none");
    this.#number = number;
  }

  /** Items posted so far. */
  get count(): number {
    return this.#next;
  }

  /** Callbacks that had to be repeated. */
  get refused(): number {
    return this.#refused;
  }

  /** Posts the next items in one callback, again after a while if the service is busy, as the messenger does. */
  async post(items: number): Promise<void> {
    const [statuses, messages]: object[][] = [[], []];
    for (let left = items; left > 0; left--) {
      const n = this.#next++;
      if (n % MESSAGE_EVERY === 0) messages?.push(written(n));
      else statuses?.push(receipt(n));
    }
    const { numberId, secret } = this.#number;
    const metadata = { display_phone_number: "15550783881", phone_number_id: numberId };
    const value = { messaging_product: "whatsapp", metadata, contacts: [], messages, statuses };
    const entry = [{ id: "1", changes: [{ field: "messages", value }] }];
    const body = JSON.stringify({ object: "whatsapp_business_account", entry });
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const headers = { "x-hub-signature-256": `sha256=${signature}` };
    while (!(await this.#isTaken(body, headers))) await sleep(REPEAT_MS);
  }

  /** False: the service has too much of this account to store, and wants the callback later. */
  async #isTaken(body: string, headers: Readonly<Record<string, string>>): Promise<boolean> {
    try {
      await this.#http.post("/in/wapi", body, headers);
      return true;
    } catch (error) {
      if (!/ answered 429:/.test(messageOf(error))) throw error;
      this.#refused++;
      return false;
    }
  }

  close(): void {
    this.#http.close();
  }
}

const phoneOf = (n: number): string => String(FIRST_PHONE + (n % CHATS));
const now = (): string => String(Math.floor(Date.now() / 1000));

function written(n: number): object {
  return {
    from: phoneOf(n),
    id: `wamid.in.${n}`,
    timestamp: now(),
    type: "text",
    text: { body: `item ${n}` },
  };
}

/** Each message is reported twice: as delivered by the first round of items, as read by the second. */
function receipt(n: number): object {
  const message = n % MESSAGES;
  const status = n < MESSAGES ? "delivered" : "read";
  return { id: `wamid.sent.${message}`, status, timestamp: now(), recipient_id: phoneOf(message) };
}

/** Calls `onItem` with the number of each item that arrives at the receiver. */
function watch(receiver: Receiver, onItem: (n: number, at: number) => void): void {
  receiver.onArrival = ({ key, text, status, messageId, at }) => {
    if (key === "messages") onItem(Number(/^item (\d+)$/.exec(text ?? "")?.[1]), at);
    else onItem(Number.parseInt(messageId.slice(-12), 16) + (status === "read" ? MESSAGES : 0), at);
  };
}

/** Open loop: one callback per item. `rate`: items per second that had arrived when the last was posted. */
async function single(
  caller: Caller,
  receiver: Receiver,
  rate: number,
  seconds: number,
): Promise<{ readonly latencies: readonly number[]; readonly rate: number }> {
  const first = caller.count;
  const total = rate * seconds;
  const arrived = new Map<number, number>();
  watch(receiver, (n, at) => void (arrived.has(n) || arrived.set(n, at)));
  const start = performance.now();
  const requests: Promise<void>[] = [];
  while (caller.count < first + total) {
    const due = Math.min(total, Math.floor(((performance.now() - start) / 1000) * rate));
    while (caller.count < first + due) requests.push(caller.post(1));
    await sleep(2);
  }
  await Promise.all(requests);
  const finished = arrived.size / ((performance.now() - start) / 1000);
  await until(() => arrived.size >= total, PATIENCE_MS);
  const latencies = [...arrived].map(([n, at]) => at - (start + ((n - first) / rate) * 1000));
  return { latencies, rate: finished };
}

/** Closed loop. Returns the items per second until all have arrived at the receiver. */
async function inBatches(caller: Caller, receiver: Receiver): Promise<number> {
  const arrived = new Set<number>();
  watch(receiver, (n) => void arrived.add(n));
  let left = BATCHES;
  const start = performance.now();
  const post = async (): Promise<void> => {
    while (left-- > 0) await caller.post(BATCH);
  };
  await Promise.all(Array.from({ length: BATCHES_UNDER_WAY }, post));
  await until(() => arrived.size >= BATCH * BATCHES, PATIENCE_MS);
  return arrived.size / ((performance.now() - start) / 1000);
}
