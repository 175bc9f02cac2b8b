import { expect, test } from "vitest";
import { FutilePoll } from "./futile-poll.ts";

const DUE = { latestDue: 7, channelIds: ["a", "b"] };

test.each([
  { name: "the same work", found: 0, due: DUE, afterMs: 59_999, covers: true },
  { name: "less work", found: 0, due: { ...DUE, latestDue: 6 }, afterMs: 0, covers: true },
  { name: "fewer channels", found: 0, due: { ...DUE, channelIds: ["b"] }, afterMs: 0, covers: true },
  {
    name: "work that became due later",
    found: 0,
    due: { ...DUE, latestDue: 7.001 },
    afterMs: 0,
    covers: false,
  },
  { name: "another channel", found: 0, due: { ...DUE, channelIds: ["a", "c"] }, afterMs: 0, covers: false },
  { name: "the same work a minute later", found: 0, due: DUE, afterMs: 60_000, covers: false },
  { name: "the same work, of which it found some", found: 1, due: DUE, afterMs: 0, covers: false },
])("a poll covers $name: $covers", ({ found, due, afterMs, covers }) => {
  const poll = new FutilePoll();
  expect(poll.covers(DUE, 0)).toBe(false);
  poll.begin(DUE.channelIds)(found, 0);
  expect(poll.covers(due, afterMs)).toBe(covers);
});

test("work that became due during a poll is not covered by it", () => {
  const poll = new FutilePoll();
  poll.covers(DUE, 0);
  const ended = poll.begin(DUE.channelIds);
  poll.covers({ ...DUE, latestDue: 8 }, 0);
  ended(0, 0);
  expect(poll.covers({ ...DUE, latestDue: 8 }, 0)).toBe(false);
});
