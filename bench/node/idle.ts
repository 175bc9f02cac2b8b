import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { type Database, openDatabase } from "../../src/database/database.ts";
import { createLog } from "../../src/platform/log.ts";
import { familySeconds, processTree, residentMegabytes } from "../kit/memory.ts";
import type { Row } from "../kit/numbers.ts";
import type { Running } from "../kit/service-process.ts";
import { client, createChannel, post, type Stand } from "../kit/stand.ts";

const BENCH = "idle";
/** Within this time the service has started, and closed the connections that it needed for that. */
const SETTLE_MS = 30_000;
const IDLE_MS = 60_000;
/** Receivers and channels of an account elsewhere. */
const CHANNELS_PER_ACCOUNT = 10;
const NODES_ELSEWHERE = 3;

export interface IdleOptions {
  /** Channels of the node. */
  readonly channels: number;
  /**
   * Channels of other nodes, in the tables only, with a receiver for ten of them. Their nodes hold leases and do nothing.
   */
  readonly elsewhere: number;
  readonly buildStand: (users: number) => Promise<Stand>;
}

/**
 * A quiet night: what the service and PostgreSQL cost while nothing happens, measured from outside. The messenger has no
 * news and is asked for them by long polls.
 */
export async function benchIdle({ channels, elsewhere, buildStand }: IdleOptions): Promise<Row[]> {
  const stand = await buildStand(1);
  const log = createLog({ level: "error", pretty: false });
  const db = openDatabase({ connection: stand.databaseUrl, max: 1, log, applicationName: "bench" });
  try {
    await addChannels(stand, channels - 1);
    if (elsewhere > 0) await addElsewhere(db, elsewhere);
    const service = await stand.serve();
    try {
      await sleep(SETTLE_MS);
      const cost = await costOf(stand, service, db);
      const name = `${channels} here, ${elsewhere} elsewhere`;
      return Object.entries(cost).map(([figure, [value, unit]]) => ({
        bench: BENCH,
        figure: `${name}: ${figure}`,
        value,
        unit,
      }));
    } finally {
      await service.stop();
    }
  } finally {
    await db.close();
    await stand.close();
  }
}

async function addChannels(stand: Stand, more: number): Promise<void> {
  if (more <= 0) return;
  const service = await stand.serve();
  const api = client(service.url, stand.account.accessToken);
  for (let n = 0; n < more; n++) {
    const bot = await post<{ token: string }>(`${stand.admin}/bots`, {});
    await createChannel(api, bot.token);
  }
  await api.close();
  await service.stop();
}

async function addElsewhere(db: Database, channels: number): Promise<void> {
  await db.session(async (session) => {
    await session.query(
      `with added as (
         insert into nodes (id, name, roles, lease_until, schema_version)
         select gen_random_uuid(), 'elsewhere ' || n, array['sessions', 'delivery'], now() + interval '1 hour',
           (select max(version) from schema_migrations)
         from generate_series(1, ${NODES_ELSEWHERE}) n returning id
       ), owners as (select array_agg(id) as ids from added), tenants as (
         insert into accounts (id, name) select 50000000 + n, 'Elsewhere'
         from generate_series(0, ${Math.ceil(channels / CHANNELS_PER_ACCOUNT)} - 1) n returning id
       ), receivers as (
         insert into webhook_endpoints (account_id, id, version, url, kinds, secret)
         select id, gen_random_uuid(), 'v3', 'http://127.0.0.1:9/', array['messages'], '' from tenants returning account_id, id
       ), positions as (
         insert into webhook_cursors (id, account_id, endpoint_id, position) select id, account_id, id, 0 from receivers
       )
       insert into channels (account_id, id, transport, status, messenger_id, verified_id, credentials, owner, epoch)
       select 50000000 + n / ${CHANNELS_PER_ACCOUNT}, gen_random_uuid(), 'telegram', 'active', 'e' || n, 'e' || n, '',
         ids[1 + n % ${NODES_ELSEWHERE}], 1
       from owners, generate_series(0, ${channels} - 1) n`,
    );
    await session.query("vacuum analyze");
  });
}

type Cost = Readonly<Record<string, readonly [value: number, unit: string]>>;

async function costOf(stand: Stand, service: Running, db: Database): Promise<Cost> {
  const roots = { service: service.pid, PostgreSQL: stand.postgresPid };
  const sampled = async () => ({
    at: performance.now(),
    seconds: await each(roots, familySeconds),
    wakeUps: await each(roots, wakeUps),
    ...(await transactions(db)),
  });
  const before = await sampled();
  await sleep(IDLE_MS);
  const after = await sampled();
  const seconds = (after.at - before.at) / 1000;
  const perSecond = (a: number, b: number): number => (a - b) / seconds;
  const [servicePids, serverPids] = await Promise.all([
    processTree(service.pid),
    processTree(stand.postgresPid),
  ]);
  return {
    "processor of the service": [
      perSecond(after.seconds.service, before.seconds.service) * 1000,
      "ms a second",
    ],
    "processor of PostgreSQL": [
      perSecond(after.seconds.PostgreSQL, before.seconds.PostgreSQL) * 1000,
      "ms a second",
    ],
    "wake-ups of the service": [perSecond(after.wakeUps.service, before.wakeUps.service), "a second"],
    "wake-ups of PostgreSQL": [perSecond(after.wakeUps.PostgreSQL, before.wakeUps.PostgreSQL), "a second"],
    transactions: [perSecond(after.transactions, before.transactions), "a second"],
    "rows read": [perSecond(after.rows, before.rows), "a second"],
    "processes of PostgreSQL": [serverPids.length, ""],
    "memory of the service": [await residentMegabytes(servicePids), "MB"],
  };
}

interface Roots {
  readonly service: number;
  readonly PostgreSQL: number;
}

async function each(roots: Roots, of: (root: number) => Promise<number>): Promise<Roots> {
  return { service: await of(roots.service), PostgreSQL: await of(roots.PostgreSQL) };
}

/** How often the threads of a process and its descendants have given up a processor to wait. */
async function wakeUps(root: number): Promise<number> {
  let sum = 0;
  for (const pid of await processTree(root))
    for (const task of await readdir(`/proc/${pid}/task`).catch(() => [])) {
      const text = await readFile(`/proc/${pid}/task/${task}/status`, "utf8").catch(() => "");
      sum += Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(text)?.[1] ?? 0);
    }
  return sum;
}

/** Of the whole database since its creation: transactions, and rows that statements have read. */
async function transactions(db: Database): Promise<{ transactions: number; rows: number }> {
  const [row] = await db.query<{ transactions: number; rows: number }>(
    `select (xact_commit + xact_rollback)::float8 as transactions, (tup_returned + tup_fetched)::float8 as rows
     from pg_stat_database where datname = current_database()`,
  );
  if (row === undefined) throw new Error("The database has no statistics");
  return row;
}
