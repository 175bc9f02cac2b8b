import { expect, it } from "vitest";
import { healthStep } from "./health.ts";

const HOUR = 3_600_000;
const PAUSE_AFTER = 100 * HOUR;

it.each<[hours: number, noticed: number, step: ReturnType<typeof healthStep>]>([
  [0, 0, null],
  [0.9, 0, null],
  [1, 0, { notice: 1 }],
  [1.5, 1, null],
  [10, 1, { notice: 10 }],
  [24.9, 10, null],
  [25, 10, { notice: 25 }],
  // Several at once, when it was asked seldom: the last one is enough.
  [60, 1, { notice: 50 }],
  [75, 50, { notice: 75 }],
  [90, 75, { notice: 90 }],
  [99.9, 90, null],
  [100, 90, "pause"],
  [100, 0, "pause"],
  [1_000, 90, "pause"],
])("after %d of 100 hours, with a notice at %d %%", (hours, noticed, step) => {
  expect(healthStep(hours * HOUR, PAUSE_AFTER, noticed)).toEqual(step);
});
