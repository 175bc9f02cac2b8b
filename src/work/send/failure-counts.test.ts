import { expect, test } from "vitest";
import { FailureCounts } from "./failure-counts.ts";

test("failures are counted by job and reason until the job has ended", () => {
  const counts = new FailureCounts();
  expect([counts.add(1, "fetch"), counts.add(1, "flood"), counts.add(1, "fetch")]).toEqual([1, 1, 2]);
  expect(counts.add(2, "fetch")).toBe(1);
  counts.forget(1);
  expect([counts.add(1, "fetch"), counts.add(2, "fetch")]).toEqual([1, 2]);
});
