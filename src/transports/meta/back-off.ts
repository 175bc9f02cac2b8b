import type { RetryPolicy } from "../../core/transport/errors.ts";
import type { BackOff } from "../../platform/queue/back-off.ts";

/**
 * The back-off of background work that Meta is throttling: it starts with the delay after which a send is repeated, and
 * grows. Undefined for other refusals.
 */
export function throttledBackOff(retry: RetryPolicy, longestMs: number): BackOff | undefined {
  return typeof retry === "object" ? { firstMs: retry.afterMs, longestMs } : undefined;
}
