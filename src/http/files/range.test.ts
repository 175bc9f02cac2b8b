import { expect, test } from "vitest";
import { parseRange } from "./range.ts";

test.each([
  [undefined, 10, null],
  ["bytes=0-4", 10, { start: 0, end: 4 }],
  ["bytes=5-", 10, { start: 5, end: 9 }],
  ["bytes=-3", 10, { start: 7, end: 9 }],
  ["bytes=-30", 10, { start: 0, end: 9 }],
  ["bytes=8-30", 10, { start: 8, end: 9 }],
  ["bytes = 0 - 0", 10, { start: 0, end: 0 }],
  ["bytes=10-", 10, "unsatisfiable"],
  ["bytes=99999999999999999999-", 10, "unsatisfiable"],
  ["bytes=-0", 10, "unsatisfiable"],
  ["bytes=0-", 0, "unsatisfiable"],
  ["bytes=-5", 0, "unsatisfiable"],
  ["bytes=4-2", 10, null],
  ["bytes=-", 10, null],
  ["bytes=0-1,3-4", 10, null],
  ["items=0-4", 10, null],
  ["bytes=a-b", 10, null],
] as const)("%j of %i bytes", (header, size, expected) => {
  expect(parseRange(header, size)).toEqual(expected);
});
