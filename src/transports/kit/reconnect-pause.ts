import { exitHealth } from "../../platform/network/proxy/exit-health.ts";
import type { ProxyRoute } from "../../platform/network/proxy/proxy.ts";
import { type BackOff, backOffMs } from "../../platform/queue/back-off.ts";

/** Attempts that a proxy fails do not reach the messenger, so they need not become rare. */
const LONGEST_WITHOUT_PROXY_MS = 30_000;

/** How long a session waits before it connects again, after this many failures in a row. */
export function reconnectPauseMs(proxy: ProxyRoute | null, failures: number, pauses: BackOff): number {
  const isBlocked = proxy !== null && exitHealth(proxy).failure !== null;
  const longestMs = isBlocked ? Math.min(pauses.longestMs, LONGEST_WITHOUT_PROXY_MS) : pauses.longestMs;
  return backOffMs(failures, { ...pauses, longestMs });
}
