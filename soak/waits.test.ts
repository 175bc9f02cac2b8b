import { expect, test } from "vitest";
import { createWaits } from "./waits.ts";

test("the longest wait of a time is that of all that overlap it", () => {
  const waits = createWaits();
  waits.note(0, 10);
  waits.note(5, 105);
  waits.note(200, 230);
  expect(waits.longest(0, 1_000)).toBe(100);
  expect(waits.longest(0, 4)).toBe(10);
  expect(waits.longest(105, 110)).toBe(100);
  expect(waits.longest(106, 210)).toBe(30);
  expect(waits.longest(300, 400)).toBe(0);
});
