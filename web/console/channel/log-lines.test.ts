import { expect, test } from "vitest";
import { linesAfter, PAGE } from "./log-lines.ts";

test.each([
  [0, 1],
  [1, 1],
  [PAGE - 1, 1],
  [PAGE, 2],
  [PAGE + 1, 2],
  [2 * PAGE + 50, 3],
  [10 * PAGE - 1, 10],
  [10 * PAGE, 10],
])("%d lines after the last known one take %d requests", async (count, requests) => {
  const last = 7;
  const log = Array.from({ length: last + count }, (_, index) => ({ id: last + count - index }));
  let asked = 0;
  const read = async ({ after = "0", before = "Infinity" }) => {
    asked++;
    return log.filter(({ id }) => id > Number(after) && id < Number(before)).slice(0, PAGE);
  };
  expect(await linesAfter(last, read)).toEqual(count === 10 * PAGE ? null : log.slice(0, count));
  expect(asked).toBe(requests);
});
