import { expect, test } from "vitest";
import { SeenLanes } from "./seen-lanes.ts";

const CHANNEL = "one";

test("nothing is left out before a lane was seen", () => {
  expect(new SeenLanes().before({ channelId: CHANNEL, epoch: 1 })).toBeUndefined();
});

test("what was due five seconds before the last lane is left out, whatever the order of the lanes", () => {
  const seen = new SeenLanes();
  for (const dueSince of [20_000, 50_000, 30_000]) seen.add({ channelId: CHANNEL, epoch: 1, dueSince });
  expect(seen.before({ channelId: CHANNEL, epoch: 1 })).toBe(45_000);
  expect(seen.before({ channelId: "another", epoch: 1 })).toBeUndefined();
});

test("a channel that was away may have changed meanwhile", () => {
  const seen = new SeenLanes();
  seen.add({ channelId: CHANNEL, epoch: 1, dueSince: 50_000 });
  expect(seen.before({ channelId: CHANNEL, epoch: 2 })).toBeUndefined();
  seen.add({ channelId: CHANNEL, epoch: 2, dueSince: 20_000 });
  expect(seen.before({ channelId: CHANNEL, epoch: 2 })).toBe(15_000);
});

test("all is looked for again every ten seconds", () => {
  const seen = new SeenLanes();
  seen.forgetNowAndThen(0);
  seen.add({ channelId: CHANNEL, epoch: 1, dueSince: 50_000 });
  seen.forgetNowAndThen(9_999);
  expect(seen.before({ channelId: CHANNEL, epoch: 1 })).toBe(45_000);
  seen.forgetNowAndThen(10_000);
  expect(seen.before({ channelId: CHANNEL, epoch: 1 })).toBeUndefined();
});
