import { expect, test } from "vitest";
import { FailedRuns } from "./failed-runs.ts";

test("each failure in a row doubles the rest of a cursor, up to ten seconds, until one of its runs works", () => {
  const runs = new FailedRuns();
  const rests = Array.from({ length: 7 }, () => runs.failed("a"));
  expect(rests).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  expect(runs.failed("b")).toBe(500);
  runs.worked("a");
  expect(runs.failed("a")).toBe(500);
});
