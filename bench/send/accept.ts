import autocannon from "autocannon";
import { openDatabase, sql } from "../../src/database/database.ts";
import { newId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { atLeast, median, type Row } from "../kit/numbers.ts";
import { run } from "../kit/service-process.ts";
import { chatId, type Stand } from "../kit/stand.ts";

const CONNECTIONS = 128;
const SECONDS = 5;
const ROUNDS = 3;

/**
 * Durable acceptance over HTTP compared with a bare endpoint that only parses and responds, measured alternately with
 * the generator on the same cores. The node has only the role `api`, so accepted messages stay queued.
 */
export async function benchAccept(stand: Stand): Promise<Row[]> {
  const bare = await run("bench/send/bare-endpoint.ts", [], {}, /listening on (http:\S+)/);
  const service = await stand.serve({ ROLES: "api" });
  const rates: { bare: number[]; ours: number[]; p99: number[] } = { bare: [], ours: [], p99: [] };
  try {
    await load(`${service.url}/v2/messages`, stand, 2);
    for (let round = 0; round < ROUNDS; round++) {
      rates.bare.push((await load(bare.url, stand, SECONDS)).requests.average);
      const ours = await load(`${service.url}/v2/messages`, stand, SECONDS);
      if (ours.non2xx > 0 || ours.errors > 0)
        throw new Error(`${ours.non2xx} refusals, ${ours.errors} errors`);
      rates.ours.push(ours.requests.average);
      rates.p99.push(ours.latency.p99);
    }
  } finally {
    await Promise.all([bare.stop(), service.stop()]);
  }
  const inserts = await rawInserts(stand);
  const ratio = median(rates.ours.map((rate, round) => rate / (rates.bare[round] ?? rate)));
  return [
    { bench: "accept", figure: "bare node:http endpoint", value: median(rates.bare), unit: "requests/s" },
    { bench: "accept", figure: "raw inserts of 256 rows, 2 connections", value: inserts, unit: "rows/s" },
    { bench: "accept", figure: "POST /v2/messages, durable", value: median(rates.ours), unit: "requests/s" },
    { bench: "accept", figure: `p99 at ${CONNECTIONS} connections`, value: median(rates.p99), unit: "ms" },
    atLeast("accept", "ratio to the bare endpoint", ratio, "", 0.45),
  ];
}

/** PostgreSQL's rate if it stores nothing but rows of this size, with one durable commit per 256 rows. */
async function rawInserts(stand: Stand): Promise<number> {
  const log = createLog({ level: "error", pretty: false });
  const db = openDatabase({ connection: stand.databaseUrl, max: 2, log, applicationName: "bench" });
  await db.query("create table raw (id uuid primary key, body text not null)");
  const body = message(stand.channelId, 0);
  const end = performance.now() + SECONDS * 1000;
  let rows = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() < end) {
      const ids = Array.from({ length: 256 }, newId);
      await db.query(RAW_INSERT, [ids, body]);
      rows += ids.length;
    }
  };
  await Promise.all([worker(), worker()]);
  await db.close();
  return rows / SECONDS;
}

const RAW_INSERT = sql("raw_insert", "insert into raw select id, $2 from unnest($1::uuid[]) as id");

async function load(url: string, stand: Stand, seconds: number): Promise<autocannon.Result> {
  let n = 0;
  return autocannon({
    url,
    connections: CONNECTIONS,
    duration: seconds,
    requests: [
      {
        method: "POST",
        headers: { authorization: `Bearer ${stand.account.accessToken}`, "content-type": "application/json" },
        setupRequest: (request) => ({ ...request, body: message(stand.channelId, n++) }),
      },
    ],
  });
}

function message(channelId: string, n: number): string {
  return JSON.stringify({
    channel_id: channelId,
    recipient: { chat_type: "telegram", chat_id: chatId(n % 1000) },
    text: `Message ${n}`,
  });
}
