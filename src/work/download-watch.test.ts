import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { DownloadWatch } from "./download-watch.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MINUTE_MS = 60_000;
const timing = { silentMs: 10 * MINUTE_MS, longestMs: 120 * MINUTE_MS, extendEveryMs: MINUTE_MS };

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
    /** A byte at the beginning of each of these minutes. */
    async receive(minutes: number): Promise<void> {
      for (let minute = 0; minute < minutes; minute++) {
        source.write("x");
        await vi.advanceTimersByTimeAsync(MINUTE_MS);
      }
    },
  };
}

test("a slow download goes on, and its claim is extended every minute", async () => {
  const { watch, source, stored, extensions, receive } = build(true);
  await receive(100);
  source.end();
  expect([await stored, watch.signal.aborted, extensions()]).toEqual(["x".repeat(100), false, 100]);
});

test.each<{ name: string; results: (boolean | Error)[]; bytes: number; silence: number; extensions: number }>(
  [
    { name: "no bytes arrive at all", results: [true], bytes: 0, silence: 10, extensions: 0 },
    { name: "no more bytes arrive", results: [true], bytes: 2, silence: 9, extensions: 2 },
    { name: "its claim is lost", results: [true, false], bytes: 2, silence: 0, extensions: 2 },
    { name: "it takes two hours", results: [true], bytes: 120, silence: 0, extensions: 120 },
  ],
)("a download ends when $name", async ({ results, bytes, silence, extensions: expected }) => {
  const { watch, source, stored, extensions, receive } = build(...results);
  await receive(bytes);
  await vi.advanceTimersByTimeAsync(silence * MINUTE_MS);
  expect([watch.signal.aborted, await stored, source.destroyed]).toEqual([true, "AbortError", true]);
  expect(extensions()).toBe(expected);
});

test("an extension that failed is repeated, although no more bytes arrived", async () => {
  const { watch, extensions, receive } = build(new Error("the database is away"), true);
  await receive(1);
  await vi.advanceTimersByTimeAsync(5 * MINUTE_MS);
  expect([watch.signal.aborted, extensions()]).toEqual([false, 2]);
});
