import { expect, test } from "vitest";
import { ReachoutTimelockEnforcementType } from "../library.ts";
import { readCap, readTimelock } from "./restriction.ts";

const NOW = Date.UTC(2026, 8, 1);
const lock = (isActive: boolean, inMs?: number) => ({
  isActive,
  enforcementType: ReachoutTimelockEnforcementType.DEFAULT,
  ...(inMs !== undefined && { timeEnforcementEnds: new Date(NOW + inMs) }),
});

test.each([
  ["with its end", lock(true, 3_600_000), { until: new Date(NOW + 3_600_000), basis: "stated" }],
  ["without", lock(true, 60_000), { until: new Date(NOW + 60_000), basis: "estimate" }],
])("a restriction %s", (_name, given, cooldown) =>
  expect(readTimelock(given, NOW)).toMatchObject({ kind: "cooldown", cooldown }),
);

test("its end", () => expect(readTimelock(lock(false), NOW)).toEqual({ kind: "cooldown", cooldown: null }));

test.each([
  ["nothing", lock(true)],
  ["an odd end", { ...lock(true), timeEnforcementEnds: new Date(Number.NaN) }],
])("%s says nothing", (_name, given) => expect(readTimelock(given, NOW)).toBeNull());

test.each([
  ["CAPPED", "1900000000", { until: new Date(1_900_000_000_000) }],
  ["CAPPED", undefined, { until: null }],
  ["CAPPED", "never", { until: null }],
  ["SECOND_WARNING", "1900000000", null],
  ["NONE", "1900000000", null],
  [undefined, undefined, null],
])("the quota is %s until %s", (status, end, expected) => {
  const event = readCap({ capping_status: status as never, cycle_end_timestamp: end as never });
  expect(event).toMatchObject({ kind: "restriction", of: "volume" });
  if (event.kind === "restriction" && expected !== null) expect(event.restriction).toMatchObject(expected);
  else expect(event).toMatchObject({ restriction: null });
});
