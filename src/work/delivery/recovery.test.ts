import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { QueuedEvent } from "../../core/delivery/cursor/events.ts";
import { type Failing, Recovery } from "./recovery.ts";

const NOW = new Date("2030-01-02T03:04:05Z");
const FAILING: Failing = { schedule: { delaysMs: [1_000], lifetimeMs: 60_000 }, now: NOW, random: 0.5 };
const MAX_ITEMS = 500;
type Claimed = ConstructorParameters<typeof Recovery>[0];
const CLAIMED: Claimed = {
  lane: "events",
  batchTo: null,
  batchLimit: MAX_ITEMS,
  attempts: 0,
  firstFailedAt: null,
  failing: false,
  concurrency: 1,
  loggedTo: 0,
};
const started = (claimed: Partial<Claimed> = {}) => new Recovery({ ...CLAIMED, ...claimed }, MAX_ITEMS);
const refused = { status: 422, failure: null, retryAfterMs: null };
const events = (count: number, first = 1): QueuedEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    id: first + index,
    kind: "messages",
    channelId: null,
    chat: null,
    body: "{}",
    seconds: 0,
  }));

describe("the search for a refused item", () => {
  it("ends in few requests, and loses nothing before it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: MAX_ITEMS }), fc.nat(), (size, at) => {
        const bad = at % size;
        const recovery = started();
        const steps = Math.ceil(Math.log2(size)) + 2;
        for (let first = 0, requests = 1; ; requests++) {
          expect(requests).toBeLessThanOrEqual(steps ** 2);
          const batchSize = Math.min(recovery.limit, size - first);
          if (bad >= first + batchSize) {
            first += batchSize;
            recovery.accepted(events(size - first), false);
            continue;
          }
          const verdict = recovery.failed(refused, batchSize, FAILING);
          if (verdict.kind === "singly") continue;
          expect([verdict.kind, first]).toEqual(["probe", bad]);
          break;
        }
      }),
    );
  });

  it("takes three requests if the receiver refuses everything", () => {
    const recovery = started();
    expect(recovery.failed(refused, 500, FAILING)).toEqual({ kind: "singly" });
    expect(recovery.limit).toBe(1);
    expect(recovery.failed(refused, 1, FAILING)).toEqual({ kind: "probe" });
  });
});

describe("a batch that must be the same after a crash", () => {
  it("has its end stored unless the stored limit alone yields it", () => {
    const recovery = started();
    // All that waits, and more may follow.
    expect(recovery.needsMark(3, 3)).toBe(true);
    expect(recovery.needsMark(500, 600)).toBe(false);
    recovery.fixed(3);
    expect(recovery.needsMark(3, 3)).toBe(false);
    // Nothing else waits, so the limit of one is stored, and a single event needs nothing.
    expect(recovery.accepted([], true)).toBe(1);
    expect(recovery.needsMark(1, 1)).toBe(false);
    expect(recovery.needsMark(2, 2)).toBe(true);
    recovery.marked();
    expect(recovery.needsMark(500, 501)).toBe(false);
  });

  it("has its end stored if the requests are concurrent", () => {
    expect(started({ concurrency: 4 }).needsMark(500, 600)).toBe(true);
    expect(started({ concurrency: 4 }).fix()).toBeNull();
  });

  it("is of one event if it may have been sent alone before a crash of the server", () => {
    const lost = { batchLimit: 1, loggedTo: 2 };
    expect(started(lost).limitFor(events(2))).toBe(1);
    expect(started({ ...lost, batchLimit: 500 }).limitFor(events(2))).toBe(500);
    const repeating = started({ ...lost, batchLimit: 500, batchTo: 2 });
    expect(repeating.limitFor(events(2))).toBe(500);
    expect(repeating.accepted(events(1, 2), false)).toBe(1);
    // More than the server can have lost.
    expect(started({ ...lost, batchLimit: 2, batchTo: 9, loggedTo: 99 }).accepted(events(90), false)).toBe(4);
  });
});

it("requests are concurrent until one fails", () => {
  const recovery = started({ concurrency: 4 });
  expect(recovery.concurrency).toBe(4);
  recovery.failed(refused, 2, FAILING);
  expect([recovery.concurrency, recovery.hasFailed]).toEqual([1, true]);
  expect(started({ concurrency: 4, attempts: 1 }).concurrency).toBe(1);
  expect(started({ concurrency: 4, lane: "creations" }).concurrency).toBe(1);
});

it("a series of failures lasts from the first one, until one is accepted", () => {
  const firstFailedAt = new Date(NOW.getTime() - 60_000);
  const recovery = started({ attempts: 3, firstFailedAt });
  expect(recovery.isOver(FAILING)).toBe(true);
  recovery.accepted([], true);
  expect(recovery.isOver(FAILING)).toBe(false);
});
