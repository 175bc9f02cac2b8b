import { expect, test } from "vitest";
import { backOffMs } from "./back-off.ts";

const UP_TO_FIVE_MINUTES = { firstMs: 1_000, longestMs: 300_000 };

test.each([
  [1, 500, 1_000],
  [2, 1_000, 2_000],
  [5, 8_000, 16_000],
  [9, 128_000, 256_000],
  [10, 150_000, 300_000],
  [5_000, 150_000, 300_000],
])("after %i failures it waits %i to %i ms", (failures, least, most) => {
  const pauses = [0, 1].map((random) => backOffMs(failures, UP_TO_FIVE_MINUTES, random));
  expect(pauses).toEqual([least, most]);
});
