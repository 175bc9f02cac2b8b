import { expect, test } from "vitest";
import { StaleChannels } from "./stale-channels.ts";

test("all channels are stale at first, later those of notifications, and all again after five seconds", () => {
  const stale = new StaleChannels();
  expect(stale.take(0, 100)).toBe("all");
  expect(stale.take(1_000, 100)).toEqual([]);
  stale.add("a");
  stale.add("b");
  stale.add("a");
  expect(stale.take(2_000, 100)).toEqual(["a", "b"]);
  expect(stale.take(4_999, 100)).toEqual([]);
  expect(stale.take(5_000, 100)).toBe("all");
  expect(stale.take(5_001, 100)).toEqual([]);
});

test("all are stale when a notification may have been lost", () => {
  const stale = new StaleChannels();
  stale.take(0, 100);
  stale.add("a");
  stale.add("");
  expect(stale.take(1, 100)).toBe("all");
  expect(stale.take(2, 100)).toEqual([]);
});

test("thousands of channels are read less often", () => {
  const stale = new StaleChannels();
  expect(stale.take(0, 10_000)).toBe("all");
  expect(stale.take(29_999, 10_000)).toEqual([]);
  expect(stale.take(30_000, 10_000)).toBe("all");
});
