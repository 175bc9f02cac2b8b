import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY_MS, leftOf, slotAt } from "./slots.ts";

const HOUR = 3_600_000;
const NOW = 100 * DAY_MS;
const ago = (...hours: number[]): number[] => hours.map((each) => NOW - each * HOUR);
const HOURLY = { perDay: 24, burst: 2 };

describe("slotAt", () => {
  const cases: readonly (readonly [string, number[], { perDay: number; burst: number }, number, number])[] = [
    ["the burst is free at once", [], HOURLY, 1, 0],
    ["then one an hour", [], HOURLY, 2, HOUR],
    ["and so on", [], HOURLY, 4, 3 * HOUR],
    ["what was made counts", ago(0, 0), HOURLY, 0, HOUR],
    ["time refills", ago(1, 0.5), HOURLY, 0, 0],
    ["but not beyond the burst", ago(20, 0), HOURLY, 1, HOUR],
    ["a day's number counts though the bucket has filled", ago(23, 22, 21), { perDay: 3, burst: 3 }, 0, HOUR],
    ["what is older than a day does not count", ago(25, 24), { perDay: 2, burst: 2 }, 1, 0],
    ["one a day", ago(23), { perDay: 1, burst: 1 }, 0, HOUR],
    ["nobody at all", [], { perDay: 0, burst: 1 }, 0, Number.POSITIVE_INFINITY],
  ];
  it.each(cases)("%s", (_, made, allowance, ahead, wait) => {
    expect(Math.max(0, slotAt(made, allowance, { from: NOW, ahead }) - NOW)).toBeCloseTo(wait, 0);
  });

  it("never exceeds the allowance in any window of a day", () => {
    const allowances = fc
      .tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 10 }))
      .map(([perDay, burst]) => ({ perDay, burst: Math.min(burst, perDay) }));
    const pauses = fc.array(fc.integer({ min: 0, max: 6 * HOUR }), { maxLength: 150 });
    fc.assert(
      fc.property(allowances, pauses, (allowance, asked) => {
        const made: number[] = [];
        let now = 0;
        for (const pause of asked) {
          now += pause;
          if (slotAt(made, allowance, { from: now, ahead: 0 }) <= now) made.push(now);
        }
        const gap = DAY_MS / allowance.perDay;
        for (const [index, start] of made.entries()) {
          const within = made.slice(index).filter((time) => time < start + DAY_MS);
          expect(within.length).toBeLessThanOrEqual(allowance.perDay);
          for (const [more, end] of within.entries())
            expect(more + 1).toBeLessThanOrEqual(allowance.burst + (end - start) / gap + 1e-6);
        }
      }),
    );
  });

  it("predicts the times at which queued messages are actually sent", () => {
    const made = fc.array(fc.integer({ min: 0, max: 30 * HOUR }), { maxLength: 12 });
    fc.assert(
      fc.property(made, fc.integer({ min: 0, max: 15 }), (ages, ahead) => {
        const allowance = { perDay: 12, burst: 3 };
        const times = ages.toSorted((a, b) => b - a).map((age) => NOW - age);
        const told = Math.max(NOW, slotAt(times, allowance, { from: NOW, ahead }));
        let now = NOW;
        for (let before = 0; before < ahead; before++) {
          now = Math.max(now, slotAt(times, allowance, { from: now, ahead: 0 }));
          times.push(now);
        }
        expect(Math.max(now, slotAt(times, allowance, { from: now, ahead: 0 }))).toBeLessThanOrEqual(
          told + 1,
        );
      }),
    );
  });
});

it("returns how many are left of the day", () => {
  expect(leftOf(ago(30, 24, 23, 1), HOURLY, NOW)).toBe(22);
  expect(leftOf(ago(3, 2, 1), { perDay: 2, burst: 1 }, NOW)).toBe(0);
});
