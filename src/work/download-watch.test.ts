import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { DownloadWatch } from "./download-watch.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MINUTE_MS = 60_000;
const timing = { silentMs: 10 * MINUTE_MS, longestMs: 12 * MINUTE_MS, extendEveryMs: MINUTE_MS };
/** Of one minute of a download that is slow, but not too slow. */
const PART = "x".repeat(3_840 * 1_024);

/** A download whose claim is extended with these results, the last of them repeatedly. */
function build(...results: (boolean | Error)[]) {
  let extensions = 0;
  const watch = new DownloadWatch({
    timing,
    extendClaim: async () => {
      const result = results[Math.min(extensions++, results.length - 1)] ?? true;
      if (result instanceof Error) throw result;
      return result;
    },
    onError: () => undefined,
  });
  onTestFinished(() => watch.stop());
  const source = new PassThrough();
  const stored = buffer(watch.follow(source, watch.signal)).then(String, ({ name }: Error) => name);
  return {
    watch,
    source,
    stored,
    extensions: () => extensions,
    /** A part at the beginning of each of these minutes. */
    async receive(minutes: number, part = PART): Promise<void> {
      for (let minute = 0; minute < minutes; minute++) {
        source.write(part);
        await vi.advanceTimersByTimeAsync(MINUTE_MS);
      }
    },
  };
}

test("a slow download goes on, and its claim is extended every minute", async () => {
  const { watch, source, stored, extensions, receive } = build(true);
  await receive(11);
  source.end();
  expect((await stored) === PART.repeat(11)).toBe(true);
  expect([watch.signal.aborted, extensions()]).toEqual([false, 11]);
});

test.each<{
  name: string;
  results: (boolean | Error)[];
  minutes: number;
  part?: string;
  silence: number;
  extensions: number;
}>([
  { name: "no bytes arrive at all", results: [true], minutes: 0, silence: 10, extensions: 0 },
  { name: "no more bytes arrive", results: [true], minutes: 2, silence: 1, extensions: 2 },
  {
    name: "a few bytes arrive each minute",
    results: [true],
    minutes: 1,
    part: "x",
    silence: 0,
    extensions: 1,
  },
  { name: "its claim is lost", results: [true, false], minutes: 2, silence: 0, extensions: 2 },
  { name: "it takes too long", results: [true], minutes: 12, silence: 0, extensions: 12 },
])("a download ends when $name", async ({ results, minutes, part, silence, extensions: expected }) => {
  const { watch, source, stored, extensions, receive } = build(...results);
  await receive(minutes, part);
  await vi.advanceTimersByTimeAsync(silence * MINUTE_MS);
  expect([watch.signal.aborted, await stored, source.destroyed]).toEqual([true, "AbortError", true]);
  expect(extensions()).toBe(expected);
});

test("an extension that failed is repeated, although no more bytes arrived", async () => {
  const { extensions, receive } = build(new Error("the database is away"), true);
  await receive(1);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(extensions()).toBe(2);
});
