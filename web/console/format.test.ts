import { expect, test } from "vitest";
import { bytesText, durationText, shellWord } from "./format.ts";

test.each([
  [-5, "0 ms"],
  [350.4, "350 ms"],
  [4_230, "4.2 s"],
  [59_999, "60 s"],
  [60_000, "1 min"],
  [3_599_000, "59 min"],
  [7_200_000, "2 h"],
  [172_800_000, "2 d"],
])("%i ms is %s", (ms, expected) => {
  expect(durationText(ms)).toBe(expected);
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1_500, "1.5 kB"],
  [12_345_678, "12 MB"],
  [2_000_000_000_000_000, "2000 TB"],
])("%i bytes are %s", (bytes, expected) => {
  expect(bytesText(bytes)).toBe(expected);
});

test("a word of a shell stays one word", () => {
  expect(shellWord(`it's "$HOME"`)).toBe(`'it'\\''s "$HOME"'`);
});
