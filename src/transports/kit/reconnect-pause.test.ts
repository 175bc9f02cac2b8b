import { expect, test } from "vitest";
import { reportExit } from "../../platform/network/proxy/exit-health.ts";
import { reconnectPauseMs } from "./reconnect-pause.ts";

test("attempts become rare, but not while the proxy is the reason", () => {
  const pauses = { firstMs: 1_000, longestMs: 300_000 };
  const proxy = { url: "socks5://reconnect.example", allowNetworks: null };
  const report = (failure: string | null) =>
    reportExit(proxy, failure, { host: "messenger.example", port: 1 });
  const pause = () => reconnectPauseMs(proxy, 20, pauses);
  expect(reconnectPauseMs(null, 20, pauses)).toBeGreaterThan(100_000);
  expect(pause()).toBeGreaterThan(100_000);
  for (let failures = 0; failures < 2; failures += 1) report("refused");
  expect(pause()).toBeLessThanOrEqual(30_000);
  report(null);
  expect(pause()).toBeGreaterThan(100_000);
});
