import { expect, test } from "vitest";
import { cpuMsOf } from "./cpu-time.ts";

test.runIf(process.platform === "linux")("equals the CPU time that the process reports", () => {
  const before = cpuMsOf(process.pid) ?? 0;
  const until = process.cpuUsage();
  while (process.cpuUsage(until).user + process.cpuUsage(until).system < 60_000);
  const { user, system } = process.cpuUsage();
  const now = cpuMsOf(process.pid) ?? 0;
  expect(now - before).toBeGreaterThanOrEqual(50);
  expect(Math.abs(now - (user + system) / 1000)).toBeLessThan(50);
});

test("is null for a missing process", () => {
  expect(cpuMsOf(2 ** 30)).toBeNull();
});
