import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Breather } from "./breather.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** When each of some rounds starts, in milliseconds, when each is asked for right after the one before. */
async function startsOf(breather: Breather, rounds: number): Promise<number[]> {
  const began = performance.now();
  const starts: number[] = [];
  const work = (async () => {
    for (let round = 0; round < rounds; round++) {
      await breather.rest();
      starts.push(performance.now() - began);
    }
  })();
  await vi.runAllTimersAsync();
  await work;
  return starts;
}

test("the first round starts at once, the others a pause apart", async () => {
  expect(await startsOf(new Breather(30), 3)).toEqual([0, 30, 60]);
});

test("who comes after the pause waits no more", async () => {
  const breather = new Breather(30);
  await startsOf(breather, 1);
  vi.advanceTimersByTime(31);
  expect(await startsOf(breather, 1)).toEqual([0]);
});
