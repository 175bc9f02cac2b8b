import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import { type Database, openDatabase } from "../../src/database/database.ts";
import { createLog } from "../../src/platform/log.ts";
import { atMost, median, type Row } from "../kit/numbers.ts";
import type { Running } from "../kit/service-process.ts";
import type { Stand } from "../kit/stand.ts";

const MESSAGES = 1_000_000;
const CHATS = 1_000;
const ROUNDS = 3;
/** Time until an idle node has settled. */
const SETTLE_MS = 3_000;
const SAMPLE_EVERY_MS = 20;
const PERIOD = { start_at: "2026-01-01T00:00:00Z", end_at: "2027-01-01T00:00:00Z" };

/**
 * Compares the export of a million messages with PostgreSQL's own COPY of the same rows and columns, and measures the
 * node's memory.
 */
export async function benchExport(stand: Stand): Promise<Row[]> {
  const log = createLog({ level: "error", pretty: false });
  const db = openDatabase({ connection: stand.databaseUrl, max: 1, log, applicationName: "bench" });
  try {
    await fill(db, stand);
    return await compare(db, stand);
  } finally {
    await db.close();
  }
}

async function compare(db: Database, stand: Stand): Promise<Row[]> {
  const [ours, theirs, growth]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    theirs.push(await seconds(() => copy(db, stand)));
    // A new node each time, so that memory left from an earlier round does not hide the growth.
    const service = await stand.serve();
    await sleep(SETTLE_MS);
    const idle = await megabytes(service);
    const [peak, time] = await watch(service, () => seconds(() => exportAll(stand, service)));
    growth.push(peak - idle);
    ours.push(time);
    await service.stop();
  }
  return [
    { bench: "export", figure: `COPY of ${MESSAGES} messages as CSV`, value: median(theirs), unit: "s" },
    { bench: "export", figure: "export of the same, from request to link", value: median(ours), unit: "s" },
    atMost("export", "ratio to COPY", median(ours) / median(theirs), "", 4),
    atMost("export", "memory growth of the node, worst round", Math.max(...growth), "MB", 64),
  ];
}

async function fill(db: Database, { account, channelId }: Stand): Promise<void> {
  const { accountId } = account;
  await db.session(async (session) => {
    await session.query(
      `insert into chats (account_id, id, channel_id, chat_type, chat_id, name, username)
       select $1, gen_random_uuid(), $2, 'telegram', (5000000 + n)::text, 'Анна Иванова ' || n, 'user' || n
       from generate_series(1, $3) n on conflict do nothing`,
      [accountId, channelId, CHATS],
    );
    // Ids like those of the service: they start with the time.
    await session.query(
      `with known as (select array_agg(id) as ids from chats where account_id = $1)
       insert into messages (account_id, id, channel_id, chat, direction, type, status, text, sent_at, created_at)
       select $1, (lpad(to_hex(1768000000000 + n * 1000::bigint), 12, '0') || '4' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid,
         $2, ids[1 + n % array_length(ids, 1)], case n % 2 when 0 then 'in' else 'out' end, 'text',
         case n % 2 when 0 then 'inbound' else 'delivered' end,
         'Здравствуйте, заказ "' || n || '" готов? It costs 100, please call me.',
         to_timestamp(1768000000 + n), to_timestamp(1768000000 + n)
       from generate_series(1, $3) n, known`,
      [accountId, channelId, MESSAGES],
    );
    await session.query("vacuum analyze messages");
  });
}

async function copy(db: Database, { account }: Stand): Promise<void> {
  await db.session((session) =>
    session.query(
      `copy (
         select m.direction, h.transport, c.chat_id, c.name, c.username, c.phone, m.sent_at, m.channel_id, c.chat_type, m.id,
           m.type, m.status, m.text, m.content #>> '{attachment,url}', m.author_name, m.edited_at is not null, m.deleted_at is not null
         from messages m
         join chats c on c.account_id = m.account_id and c.id = m.chat
         join channels h on h.account_id = m.account_id and h.id = m.channel_id
         where m.account_id = ${account.accountId} and m.sent_at between '${PERIOD.start_at}' and '${PERIOD.end_at}'
       ) to stdout (format csv)`,
    ),
  );
}

async function exportAll(stand: Stand, service: Running): Promise<void> {
  const requested = await ask<{ export_id: string }>(stand, service, "POST", "", PERIOD);
  for (;;) {
    const { status, url } = await ask<{ status: string; url: string }>(
      stand,
      service,
      "GET",
      `/${requested.export_id}`,
    );
    if (status === "done") return checkLines(url);
    await sleep(SAMPLE_EVERY_MS);
  }
}

/** Reads only the end, so that reading the file takes no time. */
async function checkLines(url: string): Promise<void> {
  const answer = await request(url, { headers: { range: "bytes=-1000" } });
  const text = await answer.body.text();
  if (!text.includes(`заказ ""${MESSAGES}"" готов?`) || !text.endsWith("\r\n"))
    throw new Error(`the file ends with ${text}`);
}

async function ask<T>(
  { account }: Stand,
  { url }: Running,
  method: "GET" | "POST",
  path: string,
  body?: object,
): Promise<T> {
  const answer = await request(`${url}/v2/messages/messages_dump${path}`, {
    method,
    headers: { authorization: `Bearer ${account.accessToken}`, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${text}`);
  return (JSON.parse(text) as { data: T }).data;
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** The node's peak memory during the work, and the result of the work. */
async function watch<T>(service: Running, work: () => Promise<T>): Promise<[peak: number, result: T]> {
  let peak = 0;
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      peak = Math.max(peak, await megabytes(service));
      await sleep(SAMPLE_EVERY_MS);
    }
  })();
  const result = await work().finally(() => {
    isDone = true;
  });
  await watching;
  return [peak, result];
}

async function megabytes({ pid }: Running): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
