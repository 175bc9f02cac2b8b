import { afterEach, expect, test, vi } from "vitest";
import type { Log } from "../platform/log.ts";
import { LeaseHealth } from "./lease-health.ts";

const LEASE_MS = 3_000;
const warnings: object[] = [];
const log = { warn: (figures: object) => void warnings.push(figures) } as unknown as Log;

afterEach(() => {
  vi.useRealTimers();
  warnings.length = 0;
});

const lost = (health: LeaseHealth): number =>
  health.lost({ nodeId: "n", askedAt: performance.now() - 2_000, hasOthers: true });

test("a loss while the process worked on names the database", () => {
  vi.useFakeTimers({ toFake: ["performance", "setInterval", "clearInterval"] });
  const health = new LeaseHealth(LEASE_MS, log);
  health.taken(performance.now());
  vi.advanceTimersByTime(2_500);
  expect(lost(health)).toBe(0);
  health.end();
  expect(warnings).toEqual([
    {
      nodeId: "n",
      sinceRenewalMs: 2_500,
      renewalMs: 2_000,
      blockedMs: 0,
      longestBlockMs: 0,
      pauseMs: 0,
      losses: 1,
      cause: "PostgreSQL did not answer in time",
    },
  ]);
});

test("a loss after blocks of the event loop names the process, with all blocks since the last renewal", () => {
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const health = new LeaseHealth(LEASE_MS, log);
  // The timer of 250 ms fires that much later.
  const turn = (lateMs: number): void => {
    now += 250 + lateMs;
    vi.advanceTimersByTime(250);
  };
  health.taken(performance.now());
  turn(900);
  const askedAt = now;
  // Its answer is read late: what delayed it counts.
  turn(700);
  health.renewed({ dueAt: askedAt - 900, askedAt });
  turn(1_100);
  now += 250 + 500;
  lost(health);
  health.end();
  clock.mockRestore();
  expect(warnings).toMatchObject([
    {
      sinceRenewalMs: 3_050,
      blockedMs: 2_300,
      longestBlockMs: 1_100,
      cause: "the process was blocked, frozen or short of processor time",
    },
  ]);
});

test("losses in a row make pauses, and each starts slowly", () => {
  vi.useFakeTimers({ toFake: ["performance", "setInterval", "clearInterval"] });
  const health = new LeaseHealth(LEASE_MS, log);
  health.taken(performance.now());
  const pauses = [1, 2, 3, 4].map(() => {
    health.renewed({ dueAt: performance.now(), askedAt: performance.now() });
    const pauseMs = lost(health);
    expect(health.concurrency).toBe(1 / 32);
    health.taken(performance.now());
    return pauseMs;
  });
  vi.advanceTimersByTime(60_000);
  expect(lost(health)).toBe(0);
  health.end();
  expect(pauses[0]).toBe(0);
  expect(pauses[1]).toBeGreaterThanOrEqual(1_000);
  expect(pauses[3]).toBeGreaterThanOrEqual(4_000);
});
