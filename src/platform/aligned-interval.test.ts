import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { alignedInterval } from "./aligned-interval.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([
  { startMs: 0, everyMs: 1_000, calls: [1_000, 2_000, 3_000] },
  { startMs: 300, everyMs: 1_000, calls: [1_000, 2_000, 3_000] },
  { startMs: 300, everyMs: 500, calls: [500, 1_000, 1_500, 2_000, 2_500, 3_000] },
  { startMs: 980, everyMs: 1_000, calls: [2_000, 3_000] },
  { startMs: 1_100, everyMs: 2_000, calls: [2_000] },
])("started at $startMs, every $everyMs ms: $calls", async ({ startMs, everyMs, calls }) => {
  const began = performance.now();
  await vi.advanceTimersByTimeAsync(startMs);
  const seen: number[] = [];
  const stop = alignedInterval(() => seen.push(performance.now() - began), everyMs);
  await vi.advanceTimersByTimeAsync(3_400 - startMs);
  stop();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(seen).toEqual(calls);
});

test("goes on after a call that throws, and can be stopped by its own call", async () => {
  let calls = 0;
  const stop = alignedInterval(() => {
    if (++calls === 3) stop();
    if (calls === 1) throw new Error("of the first call");
  }, 100);
  await expect(vi.advanceTimersByTimeAsync(150)).rejects.toThrow("of the first call");
  await vi.advanceTimersByTimeAsync(1_000);
  expect(calls).toBe(3);
});
