import { expect, it } from "vitest";
import { dateFromUnix, plausibleDate } from "./foreign-date.ts";

const NOW = new Date("2026-09-21T12:00:00Z");
const SENT = new Date("2026-09-21T11:59:00Z");

it.each([
  ["seconds", SENT.getTime() / 1000, SENT],
  ["seconds in a string", String(SENT.getTime() / 1000), SENT],
  ["milliseconds", SENT.getTime(), SENT],
  ["a fraction of a second", SENT.getTime() / 1000 + 0.5, new Date(SENT.getTime() + 500)],
  ["nothing", undefined, NOW],
  ["null", null, NOW],
  ["an empty string", "", NOW],
  ["text", "yesterday", NOW],
  ["zero", 0, NOW],
  ["a negative number", -5, NOW],
  ["infinity", Number.POSITIVE_INFINITY, NOW],
  ["a time far in the future", NOW.getTime() / 1000 + 10 * 86_400, NOW],
  ["microseconds", SENT.getTime() * 1000, NOW],
  ["an object", {}, NOW],
])("reads %s", (_, value, expected) => {
  expect(dateFromUnix(value, NOW)).toEqual(expected);
});

it("replaces an invalid date", () => {
  expect(plausibleDate(new Date(Number.NaN), NOW)).toEqual(NOW);
});
