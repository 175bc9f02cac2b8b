import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Log } from "../../platform/log.ts";
import { GraceTimer, LossReports } from "./grace-timer.ts";

const MINUTE_MS = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const logged: string[] = [];
const log = {
  warn: () => void logged.push("warn"),
  debug: () => void logged.push("debug"),
} as unknown as Log;

/** A channel whose reports fail while `isBroken`, and otherwise end on command. */
function build(reports = new LossReports({ log })) {
  logged.length = 0;
  const state = { isBroken: false, attempts: 0, end: Promise.resolve() };
  const timer = new GraceTimer(reports, 1, async () => {
    state.attempts++;
    if (state.isBroken) throw new Error("no connection");
    await state.end;
  });
  return { state, timer };
}

test("a loss is reported once, after a minute", async () => {
  const { state, timer } = build();
  timer.start();
  await vi.advanceTimersByTimeAsync(MINUTE_MS / 2);
  timer.start();
  await vi.advanceTimersByTimeAsync(MINUTE_MS / 2 - 1);
  expect(state.attempts).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  timer.start();
  await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
  expect(state.attempts).toBe(1);
  timer.clear();
  timer.start();
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(state.attempts).toBe(2);
});

test("a failed report is logged, as a warning only at first, and repeated until it succeeds", async () => {
  const { state, timer } = build();
  state.isBroken = true;
  timer.start();
  await vi.advanceTimersByTimeAsync(MINUTE_MS + 2_000);
  const { attempts } = state;
  expect(attempts).toBeGreaterThan(1);
  expect(logged).toEqual(["warn", ...Array.from({ length: attempts - 1 }, () => "debug")]);
  state.isBroken = false;
  await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
  expect(state.attempts).toBe(attempts + 1);
});

test.each([
  ["before the minute is over", MINUTE_MS - 1, 0],
  ["between two attempts", MINUTE_MS, 1],
])("nothing more is reported after the channel was connected or closed %s", async (_, ms, attempts) => {
  const { state, timer } = build();
  state.isBroken = true;
  timer.start();
  await vi.advanceTimersByTimeAsync(ms);
  timer.clear();
  await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
  expect(state.attempts).toBe(attempts);
});

test("nothing more is reported after the channel was connected or closed during an attempt that fails", async () => {
  const { state, timer } = build();
  const end = Promise.withResolvers<void>();
  state.end = end.promise;
  timer.start();
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  timer.clear();
  end.reject(new Error("connection lost"));
  await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
  expect(state.attempts).toBe(1);
});

test("two losses are reported at a time; one that ends meanwhile is not reported", async () => {
  const reports = new LossReports({ log });
  const end = Promise.withResolvers<void>();
  const channels = Array.from({ length: 5 }, () => build(reports));
  for (const { state, timer } of channels) {
    state.end = end.promise;
    timer.start();
  }
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(channels.map(({ state }) => state.attempts)).toEqual([1, 1, 0, 0, 0]);
  channels[3]?.timer.clear();
  end.resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect(channels.map(({ state }) => state.attempts)).toEqual([1, 1, 1, 0, 1]);
});
