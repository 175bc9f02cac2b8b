import { readFileSync } from "node:fs";
import { join } from "node:path";
import { request } from "undici";
import { afterEach, expect, test, vi } from "vitest";
import { liveProcesses, sendSignal } from "../../src/database/embedded/processes.ts";
import { addTrigger, holdTx } from "../kit/database.ts";
import {
  checkInbound,
  checkOutbound,
  checkQueuesEmpty,
  type Load,
  startLoad,
  writeInbound,
} from "../kit/load.ts";
import type { ServiceProcess } from "../kit/service.ts";
import { type Channel, messageBody, type Stand, type StandOptions, send, startStand } from "../kit/stand.ts";

let stand: Stand;
let service: ServiceProcess;
let channel: Channel;
/** A person of the channel to whom the load does not write. */
let bystander: string;

afterEach(() => stand.stop());

const PEOPLE = 6;
const LEASE_MS = 3_000;

async function open(options: StandOptions): Promise<Load> {
  stand = await startStand({ settings: { NODE_LEASE_MS: String(LEASE_MS) }, ...options });
  service = await stand.start();
  channel = await stand.addChannel(PEOPLE + 1);
  const [person = "", ...people] = channel.people;
  bystander = person;
  return startLoad(stand, [{ ...channel, people }]);
}

/** Everything accepted or written has arrived, and the service stops gracefully. */
async function checkAll(load: Load, inbound: number): Promise<void> {
  await load.idle();
  await checkOutbound(stand, load, [channel]);
  await checkInbound(stand, inbound);
  await checkQueuesEmpty(stand);
  expect(await service.end("SIGTERM")).toEqual({ code: 0, signal: null });
}

async function status(path: string): Promise<number> {
  const { statusCode, body } = await request(stand.url + path);
  await body.dump();
  return statusCode;
}

/** A request while the database is unavailable: it waits for a moment, then gets a time to retry. */
async function expectUnavailable(): Promise<void> {
  const began = performance.now();
  const answer = await stand.call("POST", "/v2/messages", messageBody(channel, bystander, "too early"));
  expect(answer.status).toBe(503);
  expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
  expect(answer.json).toMatchObject({ error: "UNAVAILABLE" });
  expect(performance.now() - began).toBeLessThan(40_000);
}

test("a database that is unavailable for a while loses nothing: requests wait, then get Retry-After", async () => {
  const load = await open({ overLine: true });
  load.more(40);
  await writeInbound(stand, channel, { people: PEOPLE, count: 60, rate: 200 });
  await load.untilAccepted(60);
  await stand.line.cut();
  // The same while it is unavailable.
  await writeInbound(stand, channel, { people: PEOPLE, count: 60, rate: 200 });
  await Promise.all([1, 2, 3].map(expectUnavailable));
  expect(await status("/readyz")).toBe(503);
  expect(await status("/healthz")).toBe(200);
  for (let request = 1; request <= 3; request++) await expectUnavailable();
  await stand.line.restore();
  await vi.waitUntil(async () => (await status("/readyz")) === 200, { interval: 50 });
  await checkAll(load, 120);
});

test("a node that is ready keeps running, although the database is unavailable during the operator's greeting", async () => {
  stand = await startStand();
  const waiting = `select pg_terminate_backend(pid) from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database() and query like '%operators%'`;
  await holdTx(stand.db, async (tx) => {
    await tx.query("lock table operators in access exclusive mode");
    const starting = stand.start();
    const ended = async () => (await stand.db.query(waiting)).length > 0;
    await vi.waitUntil(ended, { interval: 200 });
    service = await starting;
  });
  const isOver = service.ended.then(() => true);
  const greeted = vi.waitUntil(() => service.output().includes("operator link"));
  expect(await Promise.race([isOver, greeted])).toBe(true);
  expect(service.child.exitCode).toBe(null);
  expect(await service.end("SIGTERM")).toEqual({ code: 0, signal: null });
});

async function storedMessages(): Promise<number> {
  const [row] = await stand.db.query<{ count: number }>("select count(*)::int as count from messages");
  return row?.count ?? 0;
}

/** Five losses of all connections under load, each at the moment for which `untilMoment` waits. */
async function loseConnections(untilMoment: () => Promise<void>): Promise<Load> {
  const load = await open({ overLine: true });
  load.more(60);
  await writeInbound(stand, channel, { people: PEOPLE, count: 200, rate: 200 });
  for (let drop = 1; drop <= 5; drop++) {
    await load.untilAccepted(drop * 40);
    await untilMoment();
    stand.line.drop();
  }
  await checkAll(load, 200);
  return load;
}

test("a short loss of the connections causes no errors", async () => {
  const load = await loseConnections(async () => undefined);
  expect(load.givenUp).toEqual([]);
  expect(load.accepted).toHaveLength(60 * PEOPLE);
});

test("connections lost between commit and response lose nothing and repeat nothing", async () => {
  await loseConnections(async () => {
    stand.line.mute();
    const stored = await storedMessages();
    await vi.waitUntil(async () => (await storedMessages()) > stored, { interval: 5 });
  });
});

test("connections that become silent under load are closed", async () => {
  const load = await open({ overLine: true });
  load.more(30);
  await writeInbound(stand, channel, { people: PEOPLE, count: 60, rate: 200 });
  await load.untilAccepted(60);
  stand.line.freeze();
  const silentAt = performance.now();
  await load.untilAccepted(90);
  expect(performance.now() - silentAt).toBeLessThan(60_000);
  await checkAll(load, 60);
});

/** Sessions of a database that are starting: they may have read its former settings, and are not listed as its own yet. */
const STARTING = `select 1 from pg_locks where locktype = 'object' and classid = 'pg_database'::regclass
  and objid = (select oid from pg_database where datname = $1) and pid <> pg_backend_pid()`;

/** Like the former primary after a failover, or a managed server whose disk is nearly full. */
async function setReadOnly(isReadOnly: boolean): Promise<void> {
  await stand.db.session(async (session) => {
    await session.query("set default_transaction_read_only = off");
    const [{ name } = {}] = await session.query("select current_database() as name");
    await session.query(`alter database ${name} set default_transaction_read_only = ${isReadOnly}`);
    await vi.waitUntil(async () => (await session.query(STARTING, [name])).length === 0, { interval: 5 });
    await session.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = current_user and pid <> pg_backend_pid()",
      [name],
    );
  });
}

/** Resolves when the node has just renewed its lease. */
async function untilRenewed(): Promise<void> {
  const until = async () => {
    const [row] = await stand.db.query<{ until: Date }>("select lease_until as until from nodes");
    return row?.until.getTime() ?? 0;
  };
  const before = await until();
  await vi.waitUntil(async () => (await until()) > before, { interval: 20 });
}

test("reports of the messenger while the database is read-only are stored when it is writable again", async () => {
  await open({ settings: { NODE_LEASE_MS: "60000" } });
  // The whole lease is left: on a busy machine, the refusals alone may take half a minute.
  await untilRenewed();
  await stand.telegram.admin("POST /faults", { method: "sendMessage", hang_ms: 8_000 });
  const messageId = await send(stand, channel, bystander, "answered late");
  await vi.waitUntil(
    async () => (await stand.db.query("select 1 from send_jobs where started_epoch is not null")).length > 0,
  );
  await setReadOnly(true);
  await channel.bot.untilSent(1);
  // At a time: what takes longer than the lease ends as unknown.
  await Promise.all([1, 2, 3, 4, 5].map(expectUnavailable));
  await setReadOnly(false);
  const told = () =>
    stand.receiver.taken().filter((item) => item.kind === "statuses" && item.messageId === messageId);
  await stand.receiver.until(() => told().length > 0);
  expect(told(), service.output()).toMatchObject([{ status: "sent" }]);
});

test("an outcome that the database cannot store ends as unknown, even if the chat continued after it", async () => {
  await open({});
  const { db } = stand;
  await addTrigger(db, "before update on messages", {
    when: "new.status = 'sent' and new.text = 'not stored'",
    run: "raise exception 'could not write' using errcode = 'XX000'",
  });
  // While the first one is in transit, the others queue behind it.
  await stand.telegram.admin("POST /faults", { method: "sendMessage", hang_ms: 1_000 });
  await send(stand, channel, bystander, "slow");
  const lost = await send(stand, channel, bystander, "not stored");
  const next = await send(stand, channel, bystander, "next");
  const told = (id: string) =>
    stand.receiver.taken().find(({ kind, messageId }) => kind === "statuses" && messageId === id);
  await stand.receiver.until(() => told(next) !== undefined && told(lost) !== undefined);
  expect([told(next)?.status, told(lost)?.error?.error]).toEqual(["sent", "UNKNOWN_ERROR"]);
  await checkQueuesEmpty(stand);
});

/** Processes of the embedded PostgreSQL. */
function cluster(): string {
  return join(stand.environment["DATA_DIR"] ?? "", "db");
}

function postmaster(): number {
  return Number.parseInt(readFileSync(join(cluster(), "postmaster.pid"), "utf8"), 10);
}

test.each<[string, NodeJS.Signals, () => Promise<number[]> | number[]]>([
  ["kill -9 of its first process", "SIGKILL", () => [postmaster()]],
  ["kill -9 of all of its processes", "SIGKILL", () => liveProcesses(cluster())],
  ["a fast shutdown", "SIGINT", () => [postmaster()]],
])("the embedded PostgreSQL's end under load is survived: %s", async (_, signal, victims) => {
  const load = await open({ embedded: true });
  const rounds = 3;
  for (let round = 1; round <= rounds; round++) {
    const accepted = load.accepted.length;
    load.more(15);
    await writeInbound(stand, channel, { people: PEOPLE, count: 60, rate: 300 });
    await load.untilAccepted(accepted + 10 * round);
    const killed = postmaster();
    for (const pid of await victims()) sendSignal(pid, signal);
    await vi.waitUntil(
      () => service.output().split('"the embedded PostgreSQL is running again"').length > round,
    );
    expect(postmaster()).not.toBe(killed);
    await load.idle();
  }
  await checkAll(load, rounds * 60);
});

test("a frozen embedded PostgreSQL makes requests fail in time, and continues where it stopped", async () => {
  const load = await open({ embedded: true });
  load.more(40);
  await writeInbound(stand, channel, { people: PEOPLE, count: 60, rate: 200 });
  await load.untilAccepted(60);
  const frozen = await liveProcesses(cluster());
  for (const pid of frozen) sendSignal(pid, "SIGSTOP");
  try {
    await vi.waitUntil(() => service.output().includes("this node lost its lease"));
    await expectUnavailable();
    expect(await status("/readyz")).toBe(503);
    await expectUnavailable();
  } finally {
    for (const pid of frozen) sendSignal(pid, "SIGCONT");
  }
  await vi.waitUntil(async () => (await status("/readyz")) === 200, { interval: 50 });
  await checkAll(load, 60);
});
