import { expect, test } from "vitest";
import { BurstDetector, isLargeHeap, type MemorySample } from "./memory.ts";

const MEGABYTE = 1024 * 1024;

/**
 * One second of a process: its CPU share (0 to 1), and the memory it would hold without any release, in megabytes.
 */
type Second = readonly [busy: number, held: number, heap?: number];

/** The seconds in which memory is released, down to 100 MB. */
function releases(seconds: readonly Second[], costMs = 100): number[] {
  const watch = new BurstDetector();
  let cpuMs = 0;
  let givenBack = 0;
  return [...seconds.entries()].flatMap(([second, [busy, held, heap = 40]]) => {
    cpuMs += busy * 1000;
    const nowMs = second * 1000;
    const rss = held - givenBack;
    const look: MemorySample = { nowMs, cpuMs, rssBytes: rss * MEGABYTE, heapBytes: heap * MEGABYTE };
    if (!watch.isDue(look)) return [];
    givenBack += Math.max(0, rss - 100);
    cpuMs += costMs;
    const rssBytes = Math.min(rss, 100) * MEGABYTE;
    watch.released(look, { ...look, nowMs: nowMs + costMs, cpuMs, rssBytes });
    return [second];
  });
}

const quiet = (seconds: number, rss: number, heap?: number): Second[] =>
  Array.from({ length: seconds }, () => [0.01, rss, heap ?? 40] as const);
const busy = (seconds: number, rss: number): Second[] => Array.from({ length: seconds }, () => [0.9, rss]);

test.each<[string, readonly Second[], number[]]>([
  ["start-up counts as a burst", [...busy(2, 150), ...quiet(30, 150)], [21]],
  ["nothing while busy", busy(60, 500), []],
  [
    "short pauses do not end a burst",
    [...busy(2, 300), ...quiet(19, 300), ...busy(2, 300), ...quiet(19, 300)],
    [],
  ],
  ["a later burst", [...quiet(30, 100), ...busy(5, 300), ...quiet(30, 300)], [20, 54]],
  ["a burst that left little", [...quiet(30, 100), ...busy(5, 115), ...quiet(30, 115)], [20]],
  ["a process that slowly grows", [...quiet(50, 100), ...quiet(20, 108), ...quiet(20, 116)], [20, 70]],
  [
    "memory that V8 released itself counts",
    [...quiet(50, 100), ...quiet(20, 80), ...quiet(20, 96)],
    [20, 70],
  ],
  ["a heap whose collection would take too long", [...busy(2, 900), ...quiet(40, 900, 500)], []],
])("%s", (_, seconds, expected) => {
  expect(releases(seconds)).toEqual(expected);
});

test("a heap is large from 256 MB on, until it is below 128 MB", () => {
  let isLarge = false;
  const states = [100, 200, 257, 200, 129, 128, 200].map((megabytes) => {
    isLarge = isLargeHeap(megabytes * MEGABYTE, isLarge);
    return isLarge;
  });
  expect(states).toEqual([false, false, true, true, true, false, false]);
});

test("limits how often memory is released that grows again at once", () => {
  const growing = Array.from({ length: 130 }, (_, second): Second => [0.05, 100 + 20 * second]);
  expect(releases(growing, 1_500)).toEqual([20, 97]);
});
