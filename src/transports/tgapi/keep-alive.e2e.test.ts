import { SessionConnection } from "@mtcute/core";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SHOP, signal, useTgapi } from "./e2e-test-kit.ts";
import { textMessage } from "./testing.ts";

const { admin, connect } = useTgapi();
const MINUTE_SECONDS = 60;
/** A message now and then, with pauses longer than the library's shortest delay. */
const BETWEEN_MESSAGES_SECONDS = 20;

/** The library's connections, also those that were closed. */
let connections: readonly unknown[] = [];

beforeEach(() => {
  // The library with its pings, and the emulator, which closes connections without them, have the same time.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], shouldAdvanceTime: true });
  // As with the real one, no two readings are equal: the library would call itself until the time goes on.
  const [start, startedAt] = [performance.now(), Date.now()];
  let readings = 0;
  vi.spyOn(performance, "now").mockImplementation(() => start + Date.now() - startedAt + ++readings / 1e6);
  connections = vi.spyOn(SessionConnection.prototype, "onConnected").mock.contexts;
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const isAwaitingPong = (connection: unknown): boolean =>
  connection instanceof SessionConnection &&
  connection.isConnected &&
  !connection._session.lastPingMsgId.isZero();

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Moves the time on by a second, in which sockets are read. */
async function step(): Promise<void> {
  await vi.advanceTimersByTimeAsync(1_000);
  for (let turns = 0; turns < 10; turns++) await turn();
}

/** Moves the time on, second by second; each ping is answered within its second. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await vi.advanceTimersByTimeAsync(1_000);
    while (connections.some(isAwaitingPong)) await turn();
  }
}

interface Journal {
  readonly items: readonly object[];
}

const closes = async (): Promise<number> =>
  (await admin<Journal>("GET", "/events?event=closed")).items.length;

test("an hour without and with messages closes no connection", { timeout: 120_000 }, async () => {
  const { session } = await connect();
  const to = { chatType: "telegram", username: "bob_b" } as const;
  await pass(MINUTE_SECONDS);
  const before = await closes();
  await pass(29 * MINUTE_SECONDS);
  for (let index = 0; index < (30 * MINUTE_SECONDS) / BETWEEN_MESSAGES_SECONDS; index++) {
    await session.send(textMessage({ id: `m${index}`, to }), signal());
    await pass(BETWEEN_MESSAGES_SECONDS);
  }
  expect(await closes()).toBe(before);
});

test("a connection that has become silent is replaced, although nothing is sent", async () => {
  await connect();
  await pass(MINUTE_SECONDS);
  const before = connections.length;
  await admin("POST", `/people/${SHOP}/sessions/any/freezes`);
  const silentAt = Date.now();
  while (connections.length === before) await step();
  // At most 35 s until the next ping, and 15 s for its answer; the rest is for a busy machine.
  expect(Date.now() - silentAt).toBeLessThan(90_000);
});
