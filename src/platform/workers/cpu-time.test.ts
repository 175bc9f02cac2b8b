import { expect, test } from "vitest";
import { cpuMsOf } from "./cpu-time.ts";

const reported = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

test.runIf(process.platform === "linux")("equals the CPU time that the process reports", () => {
  const before = cpuMsOf(process.pid) ?? 0;
  const until = process.cpuUsage();
  while (process.cpuUsage(until).user + process.cpuUsage(until).system < 60_000);
  const [least, now, most] = [reported(), cpuMsOf(process.pid) ?? 0, reported()];
  expect(now - before).toBeGreaterThanOrEqual(50);
  // Counted in ticks of 10 ms, for user and system separately.
  expect(now).toBeGreaterThan(least - 30);
  expect(now).toBeLessThan(most + 30);
});

test("is null for a missing process", () => {
  expect(cpuMsOf(2 ** 30)).toBeNull();
});
