import { afterEach, expect, test, vi } from "vitest";
import { checkInbound, checkOutbound, checkQueuesEmpty, startLoad, writeInbound } from "../kit/load.ts";
import type { ServiceProcess } from "../kit/service.ts";
import { type Channel, type Stand, type StandOptions, send, startStand } from "../kit/stand.ts";

let stand: Stand;
let channel: Channel;

afterEach(() => stand.stop());

const IN_ORDER = { code: 0, signal: null };

/** A stand whose service runs, with a channel. The lease is long: a node that gets a channel soon has been given it. */
async function open(options: StandOptions = {}): Promise<ServiceProcess> {
  stand = await startStand({ ...options, settings: { NODE_LEASE_MS: "30000", ...options.settings } });
  const service = await stand.start();
  channel = await stand.addChannel(4);
  return service;
}

async function msOf(work: Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work;
  return performance.now() - began;
}

/** A message that the messenger has not received yet. */
async function sendHanging(): Promise<void> {
  const [person = ""] = channel.people;
  await stand.telegram.admin("POST /faults", { method: "sendMessage", hang_ms: 60_000 });
  await send(stand, channel, person, "hangs");
  await vi.waitUntil(async () =>
    (await stand.telegram.admin<{ items: { hits: number }[] }>("GET /faults")).items.some(
      ({ hits }) => hits > 0,
    ),
  );
}

test("SIGTERM under load completes what is in progress, releases everything and exits with 0", async () => {
  const service = await open();
  const load = startLoad(stand, [channel]);
  const sent = await channel.bot.sentTotal();
  load.more(200);
  await writeInbound(stand, channel, { people: 4, count: 200, rate: 400 });
  await channel.bot.untilSent(sent + 50);
  const patience = msOf(service.ended);
  expect(await service.end("SIGTERM")).toEqual(IN_ORDER);
  expect(await patience).toBeLessThan(30_000);
  expect(service.output()).not.toMatch(/"level":"(warn|error|fatal)"/);
  expect(await stand.db.query("select 1 from nodes")).toEqual([]);
  expect(await stand.db.query("select 1 from channels where owner is not null")).toEqual([]);
  expect(await stand.db.query("select 1 from send_jobs where started_epoch is not null")).toEqual([]);

  await stand.start();
  await load.idle();
  const { unknown } = await checkOutbound(stand, load, [channel]);
  expect(unknown).toBe(0);
  await checkInbound(stand, 200);
  await checkQueuesEmpty(stand);
});

test("a send that does not end is abandoned after eight seconds; it is reported as unknown, not repeated", async () => {
  const service = await open();
  await sendHanging();
  const ended = msOf(service.ended);
  expect(await service.end("SIGTERM")).toEqual(IN_ORDER);
  expect(await ended).toBeLessThan(40_000);
  expect(service.output()).toContain("stopping without what does not end");

  await stand.start();
  await stand.receiver.until(() => stand.receiver.taken().some(({ status }) => status === "error"));
  expect(stand.receiver.taken().find(({ status }) => status === "error")?.error?.error).toBe("UNKNOWN_ERROR");
  const { items } = await stand.telegram.admin<{ items: unknown[] }>(
    `GET /bots/${channel.bot.id}/calls?method=sendMessage`,
  );
  expect(items.length).toBeLessThanOrEqual(1);
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "a second signal (%s) ends the service immediately",
  async (second) => {
    const service = await open();
    await sendHanging();
    service.child.kill("SIGTERM");
    await vi.waitUntil(() => service.output().includes("stopping: finishing"));
    // A signal right behind the first may have been forwarded by npm and does not count.
    const again = setInterval(() => service.child.kill(second), 100);
    expect(await service.ended).toEqual({ code: 1, signal: null });
    clearInterval(again);
    expect(service.output()).not.toContain("stopping without what does not end");
  },
);

test.each(["cut", "freeze"] as const)(
  "stopping while the database is unavailable (%s) takes no longer",
  async (how) => {
    const service = await open({ overLine: true });
    const load = startLoad(stand, [channel]);
    load.more(50);
    await load.untilAccepted(20);
    await stand.line[how]();
    const ended = msOf(service.ended);
    expect(await service.end("SIGTERM")).toEqual(IN_ORDER);
    expect(await ended).toBeLessThan(40_000);
  },
);
