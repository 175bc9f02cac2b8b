import { setTimeout as sleep } from "node:timers/promises";
import { startProxyServer } from "../../sandbox/proxy-server.ts";
import { processTree, residentMegabytes } from "../kit/memory.ts";
import { atMost, type Row } from "../kit/numbers.ts";
import type { Running } from "../kit/service-process.ts";
import { client, type Stand } from "../kit/stand.ts";
import { FLEETS, type Fleet, type Noted, Phones } from "./phones.ts";

const SESSIONS = 200;
const ROUNDS = 5;
const RESTARTED = 300;
/** Within this time the service releases the memory that linking and connecting needed. */
const SETTLE_MS = 30_000;
const BENCH = "sessions";

/**
 * The memory of sessions of personal accounts, in the node and its workers together, also after many reconnects; and
 * how soon they are connected after a restart; with `proxied`, through a SOCKS5 proxy of the benchmark. Linking may leave memory in use, so memory is measured twice: after
 * linking and after a restart. `transports` limits the measured ones.
 */
export async function benchSessions(
  buildStand: (users: number) => Promise<Stand>,
  { transports, proxied }: { readonly transports: readonly string[]; readonly proxied: boolean },
): Promise<Row[]> {
  const proxy = proxied ? await startProxyServer({ scheme: "socks5" }) : null;
  const rows: Row[] = [];
  for (const fleet of FLEETS.filter(
    ({ transport }) => transports.length === 0 || transports.includes(transport),
  )) {
    const stand = await buildStand(1);
    try {
      rows.push(...(await measure(stand, fleet, proxy === null ? {} : { PROXY: proxy.url })));
    } finally {
      await stand.close();
    }
  }
  await proxy?.close();
  return rows;
}

interface Emulator {
  readonly admin: string;
  readonly settings: Readonly<Record<string, string>>;
}

async function measure(stand: Stand, fleet: Fleet, proxy: Readonly<Record<string, string>>): Promise<Row[]> {
  const entries = (await (await fetch(stand.sandboxUrl)).json()) as Readonly<Record<string, Emulator>>;
  const { admin = "", settings: emulated = {} } = entries[fleet.transport] ?? {};
  const settings = { ...emulated, ...proxy };
  const phones = new Phones(fleet, admin);
  const named = (rows: readonly Row[]): Row[] =>
    rows.map((row) => ({ ...row, figure: `${fleet.transport}: ${row.figure}` }));
  let service = await stand.serve(settings);
  const restart = async (signal: NodeJS.Signals): Promise<void> => {
    await service.end(signal);
    service = await stand.serve(settings);
  };
  try {
    const none = await settledMemory(service);
    await link(stand, service, phones, 1);
    const one = await settledMemory(service);
    await comeBack("SIGTERM", phones, restart);
    const oneRestarted = await settledMemory(service);
    await link(stand, service, phones, SESSIONS - 1);
    const many = await settledMemory(service);
    const growth = await reconnects(service, phones);
    await link(stand, service, phones, RESTARTED - SESSIONS);
    const times = [
      ...(await comeBack("SIGKILL", phones, restart)),
      ...(await comeBack("SIGTERM", phones, restart)),
    ];
    const restarted = await settledMemory(service);
    return named([
      ...shown("without a session", none),
      ...shown("with 1", one),
      ...shown(`with ${SESSIONS}`, many),
      perSession(fleet, "as linked", (total(many) - total(one)) / (SESSIONS - 1)),
      ...shown("with 1 after a restart", oneRestarted),
      ...shown(`with ${RESTARTED} after a restart`, restarted),
      perSession(fleet, "after a restart", (total(restarted) - total(oneRestarted)) / (RESTARTED - 1)),
      ...growth,
      ...times,
    ]);
  } finally {
    await service.stop();
  }
}

/** Resident memory in megabytes. */
interface Memory {
  readonly node: number;
  readonly workers: number;
}

async function settledMemory(service: Running): Promise<Memory> {
  await sleep(SETTLE_MS);
  const [node = 0, ...workers] = await processTree(service.pid);
  return { node: await residentMegabytes([node]), workers: await residentMegabytes(workers) };
}

function total({ node, workers }: Memory): number {
  return node + workers;
}

function shown(when: string, { node, workers }: Memory): Row[] {
  return [
    { bench: BENCH, figure: `memory of the node ${when}`, value: node, unit: "MB" },
    { bench: BENCH, figure: `memory of its workers ${when}`, value: workers, unit: "MB" },
  ];
}

function perSession({ goalMegabytes }: Fleet, when: string, value: number): Row {
  return atMost(BENCH, `memory for each session after the first, ${when}`, value, "MB", goalMegabytes);
}

async function reconnects(service: Running, phones: Phones): Promise<Row[]> {
  const times = `${SESSIONS} to ${SESSIONS * ROUNDS} reconnects`;
  await phones.dropAll();
  const before = await settledMemory(service);
  for (let round = 1; round < ROUNDS; round++) await phones.dropAll();
  const after = await settledMemory(service);
  return [
    ...shown(`after ${SESSIONS} reconnects`, before),
    ...shown(`after ${SESSIONS * ROUNDS} reconnects`, after),
    atMost(BENCH, `growth from ${times}`, total(after) - total(before), "MB", 20),
  ];
}

/** Measured from the signal, so it includes the end of the old process and the start of the new one. */
async function comeBack(
  signal: NodeJS.Signals,
  phones: Phones,
  restart: (signal: NodeJS.Signals) => Promise<void>,
): Promise<Row[]> {
  const mark = await phones.mark();
  const began = Date.now();
  await restart(signal);
  const ready = await phones.allBack(mark);
  const [first, seconds] = [Math.min, Math.max].map((pick) => (pick(...ready.map(timeOf)) - began) / 1000);
  const attempts = await phones.attempts(mark);
  return [
    { bench: BENCH, figure: `first session back after ${signal}`, value: first ?? 0, unit: "s" },
    atMost(BENCH, `${ready.length} sessions back after ${signal}`, seconds ?? 0, "s", 30),
    atMost(BENCH, `connections in the busiest second after ${signal}`, busiestSecond(attempts), "", 20),
  ];
}

/** The maximum number of events within one second. */
function busiestSecond(events: readonly Noted[]): number {
  const times = events.map(timeOf);
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1000).length));
}

function timeOf({ at }: Noted): number {
  return Date.parse(at);
}

async function link({ account }: Stand, service: Running, phones: Phones, count: number): Promise<void> {
  const api = client(service.url, account.accessToken);
  await phones.link(api, count);
  await api.close();
}
