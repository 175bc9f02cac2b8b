import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { alignedInterval } from "./aligned-interval.ts";
import { unlessOutOfDescriptors } from "./file/descriptors.ts";

const MEGABYTE = 1024 * 1024;
const SAMPLE_MS = 1_000;
/** Below this share of one core, a process is considered idle. */
const QUIET_SHARE = 0.1;
/**
 * This many idle samples in a row end a burst. Short pauses do not count: a collection also discards compiled code,
 * and the next burst would start at half speed.
 */
const QUIET_SAMPLES = 20;
/** The minimum growth since the last release; less is not worth a pause. */
const MIN_GROWTH_BYTES = 16 * MEGABYTE;
/** A collection takes longer the larger the heap; above this size it is left to V8. */
const MAX_HEAP_BYTES = 128 * MEGABYTE;
/** The maximum share of a core spent on releases. */
const MAX_CPU_SHARE = 1 / 50;

/**
 * From this size on, the old generation may grow to twice its size after a full collection, until the heap is small
 * again. The growth that the command line allows is for small heaps. See docs/decisions/0031-many-long-polls.md.
 */
const LARGE_HEAP_BYTES = 256 * MEGABYTE;
const SMALL_HEAP_BYTES = 128 * MEGABYTE;
const LARGE_HEAP_GROWTH_PERCENT = 100;

/** A sample of a process: CPU time since its start, by any steady clock, and memory in use. */
export interface MemorySample {
  readonly nowMs: number;
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
}

/** Decides when a process should release memory: when it is idle after a burst of work and holds more than before. */
export class BurstDetector {
  #quietSamples = 0;
  #last: MemorySample | null = null;
  /** The lowest memory use seen since the last release. */
  #floorBytes = 0;
  #pausedUntilMs = 0;

  /** Whether memory should be released now. Call at even intervals. */
  isDue(takeSample: MemorySample): boolean {
    const last = this.#last;
    this.#last = takeSample;
    const isQuiet =
      last !== null && takeSample.cpuMs - last.cpuMs < (takeSample.nowMs - last.nowMs) * QUIET_SHARE;
    this.#quietSamples = isQuiet ? this.#quietSamples + 1 : 0;
    this.#floorBytes = Math.min(this.#floorBytes, takeSample.rssBytes);
    return (
      this.#quietSamples >= QUIET_SAMPLES &&
      takeSample.nowMs >= this.#pausedUntilMs &&
      takeSample.heapBytes <= MAX_HEAP_BYTES &&
      takeSample.rssBytes - this.#floorBytes >= MIN_GROWTH_BYTES
    );
  }

  /** Records that memory was released between these samples. */
  released(before: MemorySample, after: MemorySample): void {
    this.#last = after;
    this.#quietSamples = 0;
    this.#floorBytes = after.rssBytes;
    this.#pausedUntilMs = after.nowMs + (after.cpuMs - before.cpuMs) / MAX_CPU_SHARE;
  }
}

/** Whether the heap counts as large, given whether it did at the last sample. */
export function isLargeHeap(heapBytes: number, wasLarge: boolean): boolean {
  return heapBytes > (wasLarge ? SMALL_HEAP_BYTES : LARGE_HEAP_BYTES);
}

/**
 * Releases memory after a burst of work has ended: many sessions linked or restored, or a peak of traffic. V8 keeps
 * its young generation as large as the burst made it, and keeps garbage until memory is short, which never happens in
 * an idle process. Each release pauses the program for some tens of milliseconds. With `atOnce`, memory used during
 * start-up (module sources, compiled schemas, migrations) is released immediately. Also limits the growth of a large
 * heap. Does not keep the process alive.
 */
export function releaseMemoryAfterBursts({ atOnce = false, lookMs = SAMPLE_MS } = {}): void {
  const watch = new BurstDetector();
  const release = (before: MemorySample): void => {
    collect();
    watch.released(before, unlessOutOfDescriptors(sample) ?? before);
  };
  let isLarge = false;
  let isOwed = atOnce;
  const check = (): void => {
    const now = unlessOutOfDescriptors(sample);
    if (now === null) return;
    const wasLarge = isLarge;
    isLarge = isLargeHeap(now.heapBytes, wasLarge);
    if (isLarge !== wasLarge) setGrowth(isLarge ? LARGE_HEAP_GROWTH_PERCENT : givenGrowthPercent());
    if (!isOwed && !watch.isDue(now)) return;
    isOwed = false;
    release(now);
  };
  if (atOnce) check();
  alignedInterval(check, lookMs, { ref: false });
}

function sample(): MemorySample {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return { nowMs: performance.now(), cpuMs: (user + system) / 1000, rssBytes: rss, heapBytes: heapUsed };
}

/** How much the old generation may grow from the end of the next full collection on; 0: V8 decides. */
function setGrowth(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

function givenGrowthPercent(): number {
  const given = process.execArgv.map((option) => /^--heap-growing-percent=(\d+)$/.exec(option)?.[1]);
  return Number(given.findLast((percent) => percent !== undefined) ?? 0);
}

function collect(): void {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as (options: object) => void;
  gc({ type: "major", execution: "sync", flavor: "last-resort" });
}
