import { setTimeout as sleep } from "node:timers/promises";
import { processTree, residentMegabytes } from "./memory.ts";
import { atMost, type Row } from "./numbers.ts";
import { type Noted, Phones } from "./phones.ts";
import type { Running } from "./service-process.ts";
import { client, type Stand } from "./stand.ts";

const SESSIONS = 200;
const ROUNDS = 5;
const RESTARTED = 300;
/** After it, what linking and connecting needed for a while is given back. */
const SETTLE_MS = 15_000;
const BENCH = "sessions";

/**
 * What WhatsApp sessions hold in memory, in the node and its workers together, also after many reconnects; and how soon
 * they are back when the node starts again.
 */
export async function benchSessions(stand: Stand): Promise<Row[]> {
  const serve = (): Promise<Running> => stand.serve(stand.whatsapp.settings);
  const phones = new Phones(stand);
  let service = await serve();
  try {
    const rows = [...(await memoryOf(stand, service, phones)), ...(await reconnects(service, phones))];
    await link(stand, service, phones, RESTARTED - SESSIONS);
    for (const signal of ["SIGKILL", "SIGTERM"] as const) {
      const restart = async (): Promise<void> => {
        await service.end(signal);
        service = await serve();
      };
      rows.push(...(await comeBack(signal, phones, restart)));
    }
    return rows;
  } finally {
    await service.stop();
  }
}

async function memoryOf(stand: Stand, service: Running, phones: Phones): Promise<Row[]> {
  const none = await settledMegabytes(service);
  await link(stand, service, phones, 1);
  const one = await settledMegabytes(service);
  await link(stand, service, phones, SESSIONS - 1);
  const all = await settledMegabytes(service);
  const shown = (figure: string, value: number): Row => ({ bench: BENCH, figure, value, unit: "MB" });
  return [
    shown("resident memory without a session", none),
    shown("resident memory with one", one),
    shown(`resident memory with ${SESSIONS}`, all),
    atMost(BENCH, "memory for each session after the first", (all - one) / (SESSIONS - 1), "MB", 1.5),
  ];
}

async function reconnects(service: Running, phones: Phones): Promise<Row[]> {
  await phones.dropAll();
  const before = await settledMegabytes(service);
  for (let round = 1; round < ROUNDS; round++) await phones.dropAll();
  const growth = (await settledMegabytes(service)) - before;
  const figure = `growth from ${SESSIONS} to ${SESSIONS * ROUNDS} reconnects`;
  return [atMost(BENCH, figure, growth, "MB", 20)];
}

/** Counts from the signal, so with the end of the old process and the start of the new one. */
async function comeBack(signal: string, phones: Phones, restart: () => Promise<void>): Promise<Row[]> {
  const mark = await phones.mark();
  const began = Date.now();
  await restart();
  const ready = await phones.everyPhone("ready", mark);
  const seconds = (Math.max(...ready.map(timeOf)) - began) / 1000;
  const attempts = await phones.events(["login", "refused"], mark);
  return [
    atMost(BENCH, `${RESTARTED} sessions back after ${signal}`, seconds, "s", 30),
    atMost(BENCH, `connections in the busiest second after ${signal}`, busiestSecond(attempts), "", 20),
  ];
}

/** The most events in any stretch of a second. */
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

async function settledMegabytes(service: Running): Promise<number> {
  await sleep(SETTLE_MS);
  return residentMegabytes(await processTree(service.pid));
}
