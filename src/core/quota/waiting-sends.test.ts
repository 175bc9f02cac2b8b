import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Queryable } from "../../database/database.ts";
import { WaitingSends } from "./waiting-sends.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** Of a quota of 320, ten are admitted without a lock. */
function build(waiting: () => number, hasOthers = false) {
  let counts = 0;
  const db = {
    query: async () => {
      counts++;
      return [{ waiting: waiting() }];
    },
  } as unknown as Queryable;
  const sends = new WaitingSends(db, 320, () => hasOthers);
  const admit = async (times: number): Promise<boolean[]> =>
    Promise.all(Array.from({ length: times }, () => sends.isFarFromLimit(1)));
  return { admit, counts: () => counts };
}

test("an account with a message now and then is counted once in half a minute", async () => {
  const { admit, counts } = build(() => 0);
  for (let second = 0; second < 9; second++) {
    expect(await admit(1)).toEqual([true]);
    vi.advanceTimersByTime(3_000);
  }
  expect(counts()).toBe(1);
  vi.advanceTimersByTime(3_001);
  expect(await admit(1)).toEqual([true]);
  expect(counts()).toBe(2);
});

test("beside other nodes, an account is counted once a second", async () => {
  const { admit, counts } = build(() => 0, true);
  for (let half = 0; half < 4; half++) {
    expect(await admit(1)).toEqual([true]);
    vi.advanceTimersByTime(500);
  }
  expect(counts()).toBe(2);
});

test("an account near its quota is counted again once a second, for all that wait together", async () => {
  let waiting = 4;
  const { admit, counts } = build(() => waiting);
  expect(await admit(8)).toEqual([...Array(6).fill(true), false, false]);
  vi.advanceTimersByTime(999);
  expect(await admit(2)).toEqual([false, false]);
  expect(counts()).toBe(1);
  vi.advanceTimersByTime(1);
  waiting = 8;
  expect(await admit(3)).toEqual([true, true, false]);
  expect(counts()).toBe(2);
});
