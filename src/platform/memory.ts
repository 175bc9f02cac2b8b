import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isOutOfDescriptors } from "./descriptors.ts";

const MEGABYTE = 1024 * 1024;
const LOOK_MS = 1_000;
/** The share of one core below which a process mostly waits. */
const QUIET_SHARE = 0.1;
/**
 * As many quiet looks in a row make an end of a burst. Not after each short pause: compiled code goes too, and the next
 * burst begins at half the speed.
 */
const QUIET_LOOKS = 20;
/** What was added since memory was given back last; less is not worth a stop. */
const WORTH_BYTES = 16 * MEGABYTE;
/** The larger the heap, the longer the stop; above it V8 goes on alone. */
const MAX_HEAP_BYTES = 128 * MEGABYTE;
/** At most this share of a core is spent on it. */
const MAX_SHARE = 1 / 50;

/** A process at one moment: the time it computed since its start, on any clock that goes evenly, and what it holds. */
export interface Look {
  readonly nowMs: number;
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
}

/** Decides when a process gives memory back: after a burst of work, when it waits and holds more than before. */
export class BurstWatch {
  #quietLooks = 0;
  #last: Look | null = null;
  /** The least it was seen to hold since memory was given back last. */
  #floorBytes = 0;
  #restUntilMs = 0;

  /** Whether now is the time. Call it at even intervals. */
  isDue(look: Look): boolean {
    const last = this.#last;
    this.#last = look;
    const isQuiet = last !== null && look.cpuMs - last.cpuMs < (look.nowMs - last.nowMs) * QUIET_SHARE;
    this.#quietLooks = isQuiet ? this.#quietLooks + 1 : 0;
    this.#floorBytes = Math.min(this.#floorBytes, look.rssBytes);
    return (
      this.#quietLooks >= QUIET_LOOKS &&
      look.nowMs >= this.#restUntilMs &&
      look.heapBytes <= MAX_HEAP_BYTES &&
      look.rssBytes - this.#floorBytes >= WORTH_BYTES
    );
  }

  /** Memory was given back between these two moments. */
  released(before: Look, after: Look): void {
    this.#last = after;
    this.#quietLooks = 0;
    this.#floorBytes = after.rssBytes;
    this.#restUntilMs = after.nowMs + (after.cpuMs - before.cpuMs) / MAX_SHARE;
  }
}

/**
 * Gives memory back whenever a burst of work is long over: many sessions that were linked or came back, a peak of
 * traffic. V8 leaves its space for young objects as large as the burst made it, and what died in it where it lies, until
 * it is pressed for memory; a process that waits is not. Each time stops the program for some tens of milliseconds.
 * With `atOnce` what the start took (modules' sources, compiled schemas, migrations) is given back without waiting for
 * quiet. Does not keep the process alive.
 */
export function releaseMemoryAfterBursts({ atOnce = false, lookMs = LOOK_MS } = {}): void {
  const watch = new BurstWatch();
  const release = (before: Look): void => {
    collect();
    watch.released(before, look());
  };
  if (atOnce) release(look());
  const check = (): void => {
    const now = lookIfPossible();
    if (now !== null && watch.isDue(now)) release(now);
  };
  setInterval(check, lookMs).unref();
}

/** Null where no file descriptor is left to ask the system by: that must not end the process. */
function lookIfPossible(): Look | null {
  try {
    return look();
  } catch (error) {
    if (isOutOfDescriptors(error)) return null;
    throw error;
  }
}

function look(): Look {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return { nowMs: performance.now(), cpuMs: (user + system) / 1000, rssBytes: rss, heapBytes: heapUsed };
}

function collect(): void {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as (options: object) => void;
  gc({ type: "major", execution: "sync", flavor: "last-resort" });
}
