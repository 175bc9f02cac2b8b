import { expect, test } from "vitest";
import { labelEvery, segmentsOf, ticksOf } from "./scale.ts";

test.each([
  [0, true, [0, 1]],
  [1, true, [0, 1]],
  [3, true, [0, 1, 2, 3]],
  [4, true, [0, 1, 2, 3, 4]],
  [7, true, [0, 2, 4, 6, 8]],
  [100, true, [0, 50, 100]],
  [101, true, [0, 50, 100, 150]],
  [0.4, false, [0, 0.1, 0.2, 0.3, 0.4]],
  [1_234, true, [0, 500, 1_000, 1_500]],
])("an axis up to %d (whole: %s) has the values %j", (max, isWhole, expected) => {
  expect(ticksOf(max, isWhole)).toEqual(expected);
});

test.each([
  [13, 600, 60, 2],
  [13, 1_000, 60, 1],
  [31, 250, 60, 8],
  [31, 10, 60, 31],
])("of %d points on %d px with labels of %d px, every %dth is named", (points, width, label, every) => {
  expect(labelEvery(points, width, label)).toBe(every);
});

test("a line is interrupted where nothing was counted", () => {
  expect(segmentsOf([1, 2, null, null, 3, null])).toEqual([[1, 2], [3]]);
  expect(segmentsOf([null])).toEqual([]);
});
