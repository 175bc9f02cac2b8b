import { backOffMs } from "../platform/queue/back-off.ts";

/**
 * How a node returns to work after a lost lease. Starting everything at once can cost so much that the next renewal
 * comes too late as well; the node would then lose each of its leases for as long as the load lasts. Two means prevent
 * that, and both depend on renewals alone, which measure what counts: whether the event loop and PostgreSQL respond.
 *
 * 1. Slow start. The node uses a part of its usual concurrency (channels that connect, chats that are sent, receivers
 *    that are delivered to): a quarter after its start, 1/32 after a loss. Each renewal changes it:
 *
 *        in time (before the next one is due)   → doubled, up to 1
 *        late                                   → unchanged
 *        later than half of the lease           → halved, down to 1/32
 *
 *    A healthy node renews six times per lease of 3 s: it is back to everything after 2.5 s.
 * 2. Back-off. The first loss is followed by a new lease at once: a process that was frozen for a moment loses no
 *    time. If the new lease is lost within a minute, the node waits before it takes the next one, longer each time, so
 *    that other nodes can take over its channels and keep them.
 */
export const AT_START = 1 / 4;
export const AFTER_LOSS = 1 / 32;

const RENEWALS_PER_LEASE = 6;
const HELD_WELL_MS = 60_000;
const PAUSES = { firstMs: 2_000, longestMs: 30_000 };

/** The interval from one renewal to the next. */
export function renewalIntervalMs(leaseMs: number): number {
  return leaseMs / RENEWALS_PER_LEASE;
}

/** The node's new concurrency after a renewal that was confirmed `lateMs` after it was due. */
export function afterRenewal(concurrency: number, lateMs: number, leaseMs: number): number {
  if (lateMs <= renewalIntervalMs(leaseMs)) return Math.min(1, concurrency * 2);
  return lateMs <= leaseMs / 2 ? concurrency : Math.max(AFTER_LOSS, concurrency / 2);
}

/** How many leases in a row were lost within a minute, given the former number and how long the last one was held. */
export function lossesInRow(former: number, heldMs: number): number {
  return heldMs < HELD_WELL_MS ? former + 1 : 1;
}

/**
 * How long to wait for the next lease. Without other nodes the pause does not grow: it hands the channels to nobody.
 * `random`: from 0 to 1.
 */
export function pauseBeforeLeaseMs(losses: number, hasOthers: boolean, random?: number): number {
  if (losses <= 1) return 0;
  const longestMs = hasOthers ? PAUSES.longestMs : PAUSES.firstMs;
  return backOffMs(losses - 1, { ...PAUSES, longestMs }, random);
}
