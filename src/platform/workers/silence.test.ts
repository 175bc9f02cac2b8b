import { expect, test } from "vitest";
import { isStuck } from "./silence.ts";

const LIMIT_MS = 10_000;

test.each([
  ["heard a moment ago", { wallMs: 900, cpuMs: 900, hasSpoken: true }, false],
  ["runs and says nothing", { wallMs: 10_100, cpuMs: 10_050, hasSpoken: true }, true],
  ["runs on a busy machine and says nothing", { wallMs: 40_000, cpuMs: 10_050, hasSpoken: true }, true],
  ["waits for the processor", { wallMs: 40_000, cpuMs: 6_000, hasSpoken: true }, false],
  ["waits for the processor for very long", { wallMs: 90_000, cpuMs: 2_000, hasSpoken: true }, false],
  ["starts on a busy machine", { wallMs: 40_000, cpuMs: 3_000, hasSpoken: false }, false],
  ["runs into an endless loop at its start", { wallMs: 40_000, cpuMs: 10_050, hasSpoken: false }, true],
  ["does nothing for very long", { wallMs: 60_100, cpuMs: 0, hasSpoken: true }, true],
  ["never began", { wallMs: 60_100, cpuMs: 0, hasSpoken: false }, true],
  ["of an unknown time, silent for too long", { wallMs: 10_100, cpuMs: null, hasSpoken: true }, true],
  ["of an unknown time, starts", { wallMs: 40_000, cpuMs: null, hasSpoken: false }, false],
  ["of an unknown time, never began", { wallMs: 60_100, cpuMs: null, hasSpoken: false }, true],
] as const)("a process that %s", (_, silence, expected) => {
  expect(isStuck(silence, LIMIT_MS)).toBe(expected);
});
