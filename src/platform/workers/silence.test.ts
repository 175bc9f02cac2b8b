import { expect, test } from "vitest";
import { isStuck } from "./silence.ts";

const LIMIT_MS = 10_000;

test.each([
  ["recent heartbeat", { wallMs: 900, cpuMs: 900, everHeard: true }, false],
  ["busy without a heartbeat", { wallMs: 10_100, cpuMs: 10_050, everHeard: true }, true],
  ["busy without a heartbeat on a busy machine", { wallMs: 40_000, cpuMs: 10_050, everHeard: true }, true],
  ["waiting for CPU", { wallMs: 40_000, cpuMs: 6_000, everHeard: true }, false],
  ["waiting for CPU for very long", { wallMs: 90_000, cpuMs: 2_000, everHeard: true }, false],
  ["starting on a busy machine", { wallMs: 40_000, cpuMs: 3_000, everHeard: false }, false],
  ["in an endless loop at its start", { wallMs: 40_000, cpuMs: 10_050, everHeard: false }, true],
  ["idle for very long", { wallMs: 60_100, cpuMs: 0, everHeard: true }, true],
  ["never started", { wallMs: 60_100, cpuMs: 0, everHeard: false }, true],
  ["unknown CPU time, silent for too long", { wallMs: 10_100, cpuMs: null, everHeard: true }, true],
  ["unknown CPU time, starting", { wallMs: 40_000, cpuMs: null, everHeard: false }, false],
  ["unknown CPU time, never started", { wallMs: 60_100, cpuMs: null, everHeard: false }, true],
] as const)("a process: %s", (_, silence, expected) => {
  expect(isStuck(silence, LIMIT_MS)).toBe(expected);
});
