import { describe, expect, it } from "vitest";
import { AFTER_LOSS, AT_START, afterRenewal, lossesInRow, pauseBeforeLeaseMs } from "./slow-start.ts";

const LEASE_MS = 3_000;

describe("afterRenewal", () => {
  it.each([
    ["in time: doubles", AFTER_LOSS, 0, 1 / 16],
    ["just in time: doubles", 1 / 8, 500, 1 / 4],
    ["in time: never exceeds the usual", 1, 20, 1],
    ["late: stays", 1 / 8, 501, 1 / 8],
    ["at half of the lease: stays", 1 / 8, 1_500, 1 / 8],
    ["later than half of the lease: halves", 1 / 8, 1_501, 1 / 16],
    ["very late: never falls below the start after a loss", AFTER_LOSS, 2_400, AFTER_LOSS],
  ])("%s", (_, concurrency, lateMs, expected) => {
    expect(afterRenewal(concurrency, lateMs, LEASE_MS)).toBe(expected);
  });

  it.each([
    ["a start", AT_START, 2],
    ["a loss", AFTER_LOSS, 5],
  ])("lets a healthy node do everything soon after %s", (_, first, renewals) => {
    let concurrency = first;
    for (let n = 0; n < renewals; n++) {
      expect(concurrency).toBeLessThan(1);
      concurrency = afterRenewal(concurrency, 5, LEASE_MS);
    }
    expect(concurrency).toBe(1);
  });

  // A renewal that is late by 2.5 s or more is a lost lease: half a second of the term is a reserve.
  it.each([2, 10, 40, 150, 300])(
    "finds a concurrency that loses no lease where each connecting channel delays renewals by %i ms",
    (costMs) => {
      let concurrency = AFTER_LOSS;
      const lates = Array.from({ length: 100 }, () => {
        const lateMs = Math.ceil(256 * concurrency) * costMs;
        concurrency = afterRenewal(concurrency, lateMs, LEASE_MS);
        return lateMs;
      });
      expect(Math.max(...lates)).toBeLessThan(2_500);
    },
  );
});

describe("lossesInRow", () => {
  it.each([
    ["the first", 0, 3_600_000, 1],
    ["one soon after the start", 0, 5_000, 1],
    ["one soon after another", 1, 5_000, 2],
    ["the fifth soon after another", 4, 59_999, 5],
    ["one after a minute that went well", 4, 60_000, 1],
  ])("counts %s", (_, former, heldMs, expected) => {
    expect(lossesInRow(former, heldMs)).toBe(expected);
  });
});

describe("pauseBeforeLeaseMs", () => {
  it.each([
    { losses: 1, hasOthers: true, least: 0, most: 0 },
    { losses: 2, hasOthers: true, least: 1_000, most: 2_000 },
    { losses: 4, hasOthers: true, least: 4_000, most: 8_000 },
    { losses: 60, hasOthers: true, least: 15_000, most: 30_000 },
    { losses: 1, hasOthers: false, least: 0, most: 0 },
    { losses: 60, hasOthers: false, least: 1_000, most: 2_000 },
  ])(
    "after $losses losses (others: $hasOthers): $least to $most ms",
    ({ losses, hasOthers, least, most }) => {
      const pauses = [0, 1].map((random) => pauseBeforeLeaseMs(losses, hasOthers, random));
      expect(pauses).toEqual([least, most]);
    },
  );
});
