import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { findGatherings, settingsOf, stageAt } from "../../sandbox/crowd/find.ts";
import { createAccount } from "../../src/core/account/accounts.ts";
import { type Database, openDatabase } from "../../src/database/database.ts";
import { createLog } from "../../src/platform/log.ts";
import { processTree, residentMegabytes } from "../kit/memory.ts";
import { percentile, type Row } from "../kit/numbers.ts";
import { startReceiver } from "../kit/receiver.ts";
import { client, type Stand, subscribe } from "../kit/stand.ts";
import { type LeanClient, leanClient } from "../send/lean-client.ts";
import { offer } from "../send/pipeline.ts";

const BENCH = "history";
const MESSENGER = "wapi";
const CHANNELS = 4;
const CHATS = 1_000;
/** Messages in one callback. */
const CHUNK = 1_000;
const FIRST_PHONE = 16_500_000_000;
const YEAR_S = 365 * 86_400;
const SENDS = { rate: 50, seconds: 8 };
const AGAIN_MS = 100;
const SAMPLE_MS = 1_000;
/** Memory may grow by this much between the first tenth of an import and its end. */
const GROWTH_MB = 150;

/**
 * Histories of four accounts' numbers, as the WhatsApp Business Platform sends them, while another account sends 50
 * messages a second: messages per second, memory, and how long the sends take beside it.
 */
export async function benchHistory(stand: Stand, messages: number): Promise<Row[]> {
  const gatherings = (await findGatherings()).filter(({ name }) => name === MESSENGER);
  const [gathering] = gatherings;
  if (gathering === undefined) throw new Error(`There is no emulator of ${MESSENGER}`);
  const settings = await settingsOf(stand.sandboxUrl, gatherings);
  const service = await stand.serve({ ...settings, QUOTA_HISTORY_MESSAGES: "0" });
  const receiver = await startReceiver();
  const http = leanClient(service.url, "none");
  const log = createLog({ level: "error", pretty: false });
  const db = openDatabase({ connection: stand.databaseUrl, max: 1, log, applicationName: "bench" });
  let api = client(service.url, stand.account.accessToken);
  try {
    const crowd = await gathering.messenger.gather(
      stageAt(stand.sandboxUrl, MESSENGER, {
        serviceUrl: () => service.url,
        api: <T>(method: "GET" | "POST", path: string, body: object = {}): Promise<T> =>
          method === "GET" ? api.get<T>(path) : api.post<T>(path, body),
      }),
    );
    const numbers: string[] = [];
    for (let n = 0; n < CHANNELS; n++) {
      const account = await createAccount(db, { name: `Tenant ${n}` });
      await api.close();
      api = client(service.url, account.accessToken);
      numbers.push(await wish(db, account.accountId, await crowd.addChannel()));
    }
    await subscribe(stand, service.url, receiver.url);
    const offered = () => offer(stand, service.url, receiver, SENDS.rate, SENDS.seconds);
    await offered();
    const alone = await offered();
    const secret = settings["WAPI_APP_SECRET"] ?? "";
    const began = performance.now();
    let [isOver, endedAt] = [false, 0];
    const imports = Promise.all(
      numbers.map((number, n) => send(http, { number, secret, n, count: Math.ceil(messages / CHANNELS) })),
    ).finally(() => {
      [isOver, endedAt] = [true, performance.now()];
    });
    const memory = sampleMemory(service.pid, () => isOver);
    const beside: number[] = [];
    while (!isOver) beside.push(...(await offered()).latencies);
    await imports;
    const seconds = (endedAt - began) / 1_000;
    const stored = await storedIn(db);
    const samples = await memory;
    const early = Math.max(...samples.slice(0, Math.max(1, Math.ceil(samples.length / 10))));
    const latest = Math.max(...samples);
    const figure = `sends at ${SENDS.rate}/s`;
    return [
      shown("messages imported", stored, ""),
      shown("rate, until the last ends", stored / seconds, "messages/s"),
      shown("resident memory, first tenth", early, "MB"),
      {
        ...shown("resident memory, maximum", latest, "MB"),
        goal: `<= ${Math.round(early + GROWTH_MB)}`,
        isMet: latest <= early + GROWTH_MB,
      },
      ...[0.5, 0.99].map((p) => shown(`p${p * 100} ${figure}, alone`, percentile(alone.latencies, p), "ms")),
      ...[0.5, 0.99].map((p) => shown(`p${p * 100} ${figure}, beside imports`, percentile(beside, p), "ms")),
    ];
  } finally {
    http.close();
    await api.close();
    await db.close();
    await service.stop();
    receiver.close();
  }
}

function shown(figure: string, value: number, unit: string): Row {
  return { bench: BENCH, figure, value, unit };
}

/** The channel is to import a history. Returns the messenger's id of its number. */
async function wish(db: Database, accountId: number, channelId: string): Promise<string> {
  await db.query(
    "insert into channel_history (account_id, channel_id, days, status) values ($1, $2, 3650, 'waiting')",
    [accountId, channelId],
  );
  const [row] = await db.query<{ messenger_id: string }>("select messenger_id from channels where id = $1", [
    channelId,
  ]);
  return row?.messenger_id ?? "";
}

async function storedIn(db: Database): Promise<number> {
  const [row] = await db.query<{ stored: number }>(
    "select coalesce(sum(messages), 0)::bigint as stored from channel_history",
  );
  return row?.stored ?? 0;
}

interface History {
  readonly number: string;
  readonly secret: string;
  readonly n: number;
  readonly count: number;
}

/** Posts the chunks one after the other, the newest messages first, each until it is taken. */
async function send(http: LeanClient, history: History): Promise<void> {
  for (let from = 0; from < history.count; from += CHUNK) {
    const body = chunkOf(history, from);
    const signature = createHmac("sha256", history.secret).update(body).digest("hex");
    const headers = { "x-hub-signature-256": `sha256=${signature}` };
    for (;;) {
      const isTaken = await http.post("/in/wapi", body, headers).then(
        () => true,
        () => false,
      );
      if (isTaken) break;
      await sleep(AGAIN_MS);
    }
  }
}

function chunkOf({ number, n, count }: History, from: number): string {
  const to = Math.min(count, from + CHUNK);
  const end = Math.floor(Date.now() / 1_000) - 86_400;
  const items = Array.from({ length: to - from }, (_, at) => {
    const place = from + at;
    return {
      phone: String(FIRST_PHONE + (place % CHATS)),
      message: messageOf(n, place, end - (place * YEAR_S) / count),
    };
  });
  const threads = [...Map.groupBy(items, ({ phone }) => phone)].map(([id, own]) => ({
    id,
    messages: own.map(({ message }) => ({ from: id, ...message })),
  }));
  const metadata = { phase: 0, chunk_order: from / CHUNK, progress: Math.floor((to * 100) / count) };
  const value = {
    messaging_product: "whatsapp",
    metadata: { display_phone_number: "15550783881", phone_number_id: number },
    history: [{ metadata, threads }],
  };
  const entry = [{ id: "1", changes: [{ field: "history", value }] }];
  return JSON.stringify({ object: "whatsapp_business_account", entry });
}

function messageOf(n: number, place: number, seconds: number): object {
  return {
    id: `wamid.old.${n}.${place}`,
    timestamp: String(Math.floor(seconds)),
    type: "text",
    text: { body: `Message ${place}: is the order of last week on its way, and when will it arrive?` },
    history_context: { status: "READ" },
  };
}

/** Megabytes of the service and its children, once a second. */
async function sampleMemory(pid: number, isOver: () => boolean): Promise<number[]> {
  const samples: number[] = [];
  while (!isOver()) {
    samples.push(await residentMegabytes(await processTree(pid)));
    await sleep(SAMPLE_MS);
  }
  return samples;
}
