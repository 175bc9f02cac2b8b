import { expect, test } from "vitest";
import { StaleChannels } from "./stale-channels.ts";

test("all channels are stale at first, later those of notifications, and all again after five seconds", () => {
  const stale = new StaleChannels();
  expect(stale.take(0)).toBe("all");
  expect(stale.take(1_000)).toEqual([]);
  stale.add("a");
  stale.add("b");
  stale.add("a");
  expect(stale.take(2_000)).toEqual(["a", "b"]);
  expect(stale.take(4_999)).toEqual([]);
  expect(stale.take(5_000)).toBe("all");
  expect(stale.take(5_001)).toEqual([]);
});

test("all are stale when a notification may have been lost", () => {
  const stale = new StaleChannels();
  stale.take(0);
  stale.add("a");
  stale.add("");
  expect(stale.take(1)).toBe("all");
  expect(stale.take(2)).toEqual([]);
});
