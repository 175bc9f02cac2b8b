import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { findGatherings, settingsOf, stageAt } from "../../sandbox/crowd/find.ts";
import { createAccount } from "../../src/core/account/accounts.ts";
import { type Database, openDatabase } from "../../src/database/database.ts";
import { createLog } from "../../src/platform/log.ts";
import { messageOf } from "../../src/platform/message-of.ts";
import { atLeast, atMost, percentile, type Row, until } from "../kit/numbers.ts";
import { type Receiver, startReceiver } from "../kit/receiver.ts";
import { perItem, spentBy } from "../kit/spent.ts";
import { client, type Stand, subscribe } from "../kit/stand.ts";
import { type LeanClient, leanClient } from "../send/lean-client.ts";

const BENCH = "receipts";
const MESSENGER = "wapi";
/** A channel's callbacks may store a thousand items a second in the long run, and an account's block 10 % of the time. */
const TENANTS = 16;
const CHATS = 200;
const MESSAGES = 3_000;
const SINGLE_GOAL = 3_000;
const SINGLE_SECONDS = 8;
const BATCH_GOAL = 10_000;
const BATCH = 100;
const BATCHES = 640;
const BATCHES_UNDER_WAY = 16;
/** Of ten items one is a message of a customer, the others are receipts of our messages. */
const MESSAGE_EVERY = 10;
const FIRST_PHONE = 16_500_000_000;
const PATIENCE_MS = 120_000;
const REPEAT_MS = 20;

/**
 * Callbacks of the WhatsApp Business Platform for several tenants with mixed contents: `delivered`, then `read` of our
 * messages, and messages of customers. Single ones at a fixed rate, and batches as fast as the service takes them.
 */
export async function benchReceipts(stand: Stand): Promise<Row[]> {
  const gatherings = (await findGatherings()).filter(({ name }) => name === MESSENGER);
  const [gathering] = gatherings;
  if (gathering === undefined) throw new Error(`There is no emulator of ${MESSENGER}`);
  const settings = await settingsOf(stand.sandboxUrl, gatherings);
  const service = await stand.serve(settings);
  const receiver = await startReceiver();
  const http = leanClient(service.url, "none");
  const log = createLog({ level: "error", pretty: false });
  const db = openDatabase({ connection: stand.databaseUrl, max: 1, log, applicationName: "bench" });
  try {
    let api = client(service.url, stand.account.accessToken);
    const crowd = await gathering.messenger.gather(
      stageAt(stand.sandboxUrl, MESSENGER, {
        serviceUrl: () => service.url,
        api: <T>(method: "GET" | "POST", path: string, body: object = {}): Promise<T> =>
          method === "GET" ? api.get<T>(path) : api.post<T>(path, body),
      }),
    );
    const numbers: string[] = [];
    for (let tenant = 0; tenant < TENANTS; tenant++) {
      const account = await createAccount(db, { name: `Tenant ${tenant}` });
      await api.close();
      api = client(service.url, account.accessToken, 4);
      const channelId = await crowd.addChannel();
      await subscribe({ account }, service.url, receiver.url);
      numbers.push(await fill(db, { tenant, accountId: account.accountId, channelId }));
    }
    await api.close();
    const caller = new Caller(http, { numbers, secret: settings["WAPI_APP_SECRET"] ?? "" });
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
    http.close();
    await db.close();
    await service.stop();
    receiver.close();
  }
}

/** Messages that the channel sent an hour ago. Returns the messenger's id of the channel. */
async function fill(
  db: Database,
  of: { readonly tenant: number; readonly accountId: number; readonly channelId: string },
): Promise<string> {
  const { tenant, accountId, channelId } = of;
  const id = (group: string, n: string): string =>
    `('00000000-0000-4000-${group}${tenant.toString(16).padStart(3, "0")}-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
  return db.session(async (session) => {
    await session.query(
      `insert into chats (account_id, id, channel_id, chat_type, chat_id, last_inbound_at)
       select ${accountId}, ${id("9", "n")}, '${channelId}', 'whatsapp', (${FIRST_PHONE} + n)::text, now()
       from generate_series(0, ${CHATS - 1}::bigint) n`,
    );
    await session.query(
      `insert into messages (account_id, id, channel_id, chat, direction, type, status, text, external_id, sent_at, created_at)
       select ${accountId}, ${id("8", "n")}, '${channelId}', ${id("9", `n % ${CHATS}`)},
              'out', 'text', 'sent', 'Message ' || n, 'wamid.sent.' || n, now() - interval '1 hour', now() - interval '1 hour'
       from generate_series(0, ${MESSAGES - 1}::bigint) n`,
    );
    const [row] = await session.query<{ messenger_id: string }>(
      `select messenger_id from channels where id = '${channelId}'`,
    );
    return row?.messenger_id ?? "";
  });
}

/** Identifies an item among those of all tenants. */
const keyOf = (tenant: number, n: number): number => tenant * 1_000_000 + n;

/** Signs and posts callbacks of one app, for each tenant in turn. The items of a tenant are numbered; none repeats. */
class Caller {
  readonly #http: LeanClient;
  readonly #secret: string;
  readonly #numbers: readonly string[];
  readonly #next: number[];
  #turn = 0;
  #refused = 0;

  constructor(
    http: LeanClient,
    { numbers, secret }: { readonly numbers: readonly string[]; readonly secret: string },
  ) {
    this.#http = http;
    this.#secret = secret;
    this.#numbers = numbers;
    this.#next = numbers.map(() => 0);
  }

  /** Callbacks that had to be repeated. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Posts items of the next tenant in one callback, again after a while if the service is busy, as the messenger does.
   * `onItem` is called with the key of each before.
   */
  async post(items: number, onItem: (key: number) => void = () => undefined): Promise<void> {
    const tenant = this.#turn++ % this.#numbers.length;
    const from = this.#next[tenant] ?? 0;
    this.#next[tenant] = from + items;
    const own = Array.from({ length: items }, (_, at) => from + at);
    for (const n of own) onItem(keyOf(tenant, n));
    const messages = own.filter((n) => n % MESSAGE_EVERY === 0).map((n) => written(tenant, n));
    const statuses = own.filter((n) => n % MESSAGE_EVERY !== 0).map(receipt);
    const metadata = { display_phone_number: "15550783881", phone_number_id: this.#numbers[tenant] };
    const value = { messaging_product: "whatsapp", metadata, contacts: [], messages, statuses };
    const entry = [{ id: "1", changes: [{ field: "messages", value }] }];
    const body = JSON.stringify({ object: "whatsapp_business_account", entry });
    const signature = createHmac("sha256", this.#secret).update(body).digest("hex");
    const headers = { "x-hub-signature-256": `sha256=${signature}` };
    while (!(await this.#isTaken(body, headers))) await sleep(REPEAT_MS);
  }

  /** False: the service has too much of this tenant to store, and wants the callback later. */
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
}

const phoneOf = (n: number): string => String(FIRST_PHONE + (n % CHATS));
const now = (): string => String(Math.floor(Date.now() / 1000));

function written(tenant: number, n: number): object {
  const text = { body: `item ${keyOf(tenant, n)}` };
  return { from: phoneOf(n), id: `wamid.in.${tenant}.${n}`, timestamp: now(), type: "text", text };
}

/** Each message is reported twice: as delivered by the first round of items, as read by the second. */
function receipt(n: number): object {
  const message = n % MESSAGES;
  const status = n < MESSAGES ? "delivered" : "read";
  return { id: `wamid.sent.${message}`, status, timestamp: now(), recipient_id: phoneOf(message) };
}

/** Calls `onItem` with the key of each item that arrives at the receiver. */
function watch(receiver: Receiver, onItem: (key: number, at: number) => void): void {
  receiver.onArrival = ({ key, text, status, messageId, at }) => {
    if (key === "messages") return onItem(Number(/^item (\d+)$/.exec(text ?? "")?.[1]), at);
    const tenant = Number.parseInt(messageId.slice(20, 23), 16);
    const message = Number.parseInt(messageId.slice(-12), 16);
    onItem(keyOf(tenant, message + (status === "read" ? MESSAGES : 0)), at);
  };
}

/** Open loop: one callback per item. `rate`: items per second that had arrived when the last was answered. */
async function single(
  caller: Caller,
  receiver: Receiver,
  rate: number,
  seconds: number,
): Promise<{ readonly latencies: readonly number[]; readonly rate: number }> {
  const total = rate * seconds;
  const due = new Map<number, number>();
  const arrived = new Map<number, number>();
  watch(receiver, (key, at) => void (arrived.has(key) || arrived.set(key, at)));
  const start = performance.now();
  const requests: Promise<void>[] = [];
  while (requests.length < total) {
    const offered = Math.min(total, Math.floor(((performance.now() - start) / 1000) * rate));
    while (requests.length < offered) {
      const dueAt = start + (requests.length / rate) * 1000;
      requests.push(caller.post(1, (key) => void due.set(key, dueAt)));
    }
    await sleep(2);
  }
  await Promise.all(requests);
  const finished = arrived.size / ((performance.now() - start) / 1000);
  await until(() => arrived.size >= total, PATIENCE_MS);
  const latencies = [...arrived].map(([key, at]) => at - (due.get(key) ?? Number.NaN));
  return { latencies, rate: finished };
}

/** Closed loop. Returns the items per second until all have arrived at the receiver. */
async function inBatches(caller: Caller, receiver: Receiver): Promise<number> {
  const arrived = new Set<number>();
  watch(receiver, (key) => void arrived.add(key));
  let left = BATCHES;
  const start = performance.now();
  const post = async (): Promise<void> => {
    while (left-- > 0) await caller.post(BATCH);
  };
  await Promise.all(Array.from({ length: BATCHES_UNDER_WAY }, post));
  await until(() => arrived.size >= BATCH * BATCHES, PATIENCE_MS);
  return arrived.size / ((performance.now() - start) / 1000);
}
