import { expect, test } from "vitest";
import { waitOf } from "./lookups.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const OWN = {
  channel: { perSecond: 1, burst: 1 },
  chat: { perSecond: 1, burst: 1 },
  jitterMs: 0,
  phoneChecks: { perDay: 24, burst: 2, jitterMs: 0 },
  warmUp: { days: 10, share: 0.5 },
};
const state = (ages: readonly number[], more: object = {}) => ({
  changes: {},
  stopped: false,
  activeMs: 20 * DAY,
  heldMs: 0,
  ages,
  ...more,
});

test.each<[string, ReturnType<typeof state>, number]>([
  ["none so far", state([]), 0],
  ["one in a row is left", state([1_000]), 0],
  ["one an hour after that", state([2_000, 1_000]), 2 * HOUR - 2_000 - HOUR],
  ["the day's allowance is used up", state(Array.from({ length: 24 }, () => DAY - HOUR).concat([])), HOUR],
  ["a new channel has half of it", state([2_000, 1_000], { activeMs: 0 }), 2 * HOUR - 2_000],
  [
    "its owner lifted the warm-up",
    state([2_000, 1_000], { activeMs: 0, changes: { warmUpDays: 0 } }),
    HOUR - 2_000,
  ],
  ["a cooldown", state([], { heldMs: 5 * HOUR }), 5 * HOUR],
  ["an operator stopped the channel", state([], { stopped: true }), 60_000],
])("%s", (_name, given, expected) => expect(waitOf(given, OWN, true)).toBe(expected));

test("without pacing only a cooldown counts", () => {
  expect(waitOf(state([2_000, 1_000]), OWN, false)).toBe(0);
  expect(waitOf(state([], { heldMs: HOUR }), OWN, false)).toBe(HOUR);
});
