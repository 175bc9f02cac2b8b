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
/** Memory may grow by this much between the first half of an import and the second. */
const GROWTH_MB = 50;
const PARTS = 10;

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
    const memory = sampleMemory(service.pid, db, () => isOver);
    const beside: (readonly number[])[] = [];
    while (!isOver) beside.push((await offered()).latencies);
    await imports;
    const seconds = (endedAt - began) / 1_000;
    const stored = await storedIn(db);
    return [
      shown("messages imported", stored, ""),
      shown("rate, until the last ends", stored / seconds, "messages/s"),
      ...memoryRows(await memory, stored),
      ...latencyRows("alone", alone.latencies),
      ...latencyRows("beside imports", beside.flat()),
      ...latencyRows("beside imports, second half", beside.slice(beside.length >> 1).flat()),
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
    "select coalesce(sum(messages), 0)::float8 as stored from channel_history",
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

interface Sample {
  readonly stored: number;
  /** Of the service and its children. */
  readonly megabytes: number;
}

/** Once a second. */
async function sampleMemory(pid: number, db: Database, isOver: () => boolean): Promise<Sample[]> {
  const samples: Sample[] = [];
  while (!isOver()) {
    const megabytes = await residentMegabytes(await processTree(pid));
    samples.push({ stored: await storedIn(db), megabytes });
    await sleep(SAMPLE_MS);
  }
  return samples;
}

/** The maximum in each tenth of the import. */
function memoryRows(samples: readonly Sample[], stored: number): Row[] {
  const most = (from: number, to: number): number =>
    Math.max(
      ...samples
        .filter((each) => each.stored >= from * stored && each.stored <= to * stored)
        .map(({ megabytes }) => megabytes),
    );
  const parts = Array.from({ length: PARTS }, (_, part) => {
    const until = (part + 1) / PARTS;
    const figure = `resident memory, until ${Math.round(until * stored)}`;
    return shown(figure, most(part / PARTS, until), "MB");
  });
  const goal = most(0, 0.5) + GROWTH_MB;
  const late = most(0.5, 1);
  return [
    ...parts,
    {
      ...shown("resident memory, second half", late, "MB"),
      goal: `<= ${Math.round(goal)}`,
      isMet: late <= goal,
    },
  ];
}

function latencyRows(when: string, latencies: readonly number[]): Row[] {
  return [0.5, 0.99].map((p) =>
    shown(`p${p * 100} sends at ${SENDS.rate}/s, ${when}`, percentile(latencies, p), "ms"),
  );
}
