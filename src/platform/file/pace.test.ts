import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Pace } from "./pace.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const KB = 1_024;
const MINUTE_MS = 60_000;

/** After how many of these minutes the download is too slow; null: it is not. */
function endOf(bytesByMinute: readonly number[]): number | null {
  let end: number | null = null;
  let minute = 0;
  const pace = new Pace(() => {
    end = minute;
  });
  for (const bytes of bytesByMinute) {
    minute++;
    pace.add(bytes);
    vi.advanceTimersByTime(MINUTE_MS);
  }
  pace.stop();
  return end;
}

test.each<[string, number[], number | null]>([
  ["a byte in 20 seconds", Array(120).fill(3), 1],
  ["2 KiB/s", Array(10).fill(120 * KB), null],
  ["2 KiB/s for more than ten minutes", Array(20).fill(120 * KB), 11],
  ["fast, then nearly nothing", [100_000 * KB, 100_000 * KB, 1], 3],
  ["20 KiB/s for hours", Array(120).fill(1_200 * KB), 15],
  ["64 KiB/s for two hours", Array(120).fill(3_840 * KB), null],
  ["nothing for long, then enough", [0, 0, 0, 3_840 * KB, 3_840 * KB], null],
])("%s", (_label, bytes, end) => {
  expect(endOf(bytes)).toBe(end);
});

test("a stopped watch reports nothing", () => {
  const onSlow = vi.fn();
  const pace = new Pace(onSlow);
  pace.add(1);
  pace.stop();
  vi.advanceTimersByTime(10 * MINUTE_MS);
  expect(onSlow).not.toHaveBeenCalled();
});
