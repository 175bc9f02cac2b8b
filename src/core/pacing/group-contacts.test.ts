import { expect, test } from "vitest";
import { contactsWaitMs } from "./group-contacts.ts";
import { DAY_MS } from "./slots.ts";

const HOUR = DAY_MS / 24;

test.each<[string, readonly number[], number, number | null]>([
  ["nobody", [], 0, 0],
  ["as many as a day allows", [], 5, 0],
  ["more than a day ever allows", [], 6, null],
  ["what is left", [HOUR, 2 * HOUR], 3, 0],
  ["one too many: when the oldest is a day old", [HOUR, 2 * HOUR], 4, DAY_MS - 2 * HOUR],
  ["two too many: when the next one is", [2 * HOUR, HOUR], 5, DAY_MS - HOUR],
  ["those of yesterday no longer count", [DAY_MS, HOUR], 4, 0],
])("%s", (_, ages, count, expected) => {
  expect(contactsWaitMs(ages, { perDay: 5 }, count)).toBe(expected);
});
