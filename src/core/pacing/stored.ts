import type { Cooldown } from "../transport/errors.ts";
import type { PacingChanges } from "./limits.ts";

/** A channel's stored pacing, as used by its owner. Times are on the node's monotonic clock. */
export interface StoredPacing {
  readonly changes: PacingChanges;
  readonly activeSince: number;
  /** -Infinity: no cooldown, not paused. */
  readonly cooldownUntil: number;
  readonly pausedUntil: number;
  /** An operator stopped sending. */
  readonly stopped: boolean;
}

/** Columns of `StoredPacing`, with channels as `c` and channel_pacing, left-joined, as `p`. */
export const STORED_PACING_COLUMNS = `p.changes,
     (extract(epoch from now() - coalesce(c.active_since, c.created_at)) * 1000)::float8 as active_ms,
     (extract(epoch from p.held_until - now()) * 1000)::float8 as held_ms,
     (extract(epoch from p.paused_until - now()) * 1000)::float8 as paused_ms,
     p.stopped_at is not null as stopped`;

export interface StoredPacingRow {
  readonly changes: PacingChanges | null;
  readonly active_ms: number;
  readonly held_ms: number | null;
  readonly paused_ms: number | null;
  readonly stopped: boolean;
}

/** `now` is when the row was read, on the monotonic clock. */
export function storedPacing(row: StoredPacingRow, now: number): StoredPacing {
  return {
    changes: row.changes ?? {},
    activeSince: now - row.active_ms,
    cooldownUntil: row.held_ms === null ? Number.NEGATIVE_INFINITY : now + row.held_ms,
    pausedUntil: row.paused_ms === null ? Number.NEGATIVE_INFINITY : now + row.paused_ms,
    stopped: row.stopped,
  };
}

/** The same after a cooldown, or its end, was stored. */
export function withCooldown(
  stored: StoredPacing,
  cooldown: Cooldown | null,
  { now, wall }: { readonly now: number; readonly wall: Date },
): StoredPacing {
  const cooldownUntil =
    cooldown === null ? Number.NEGATIVE_INFINITY : now + cooldown.until.getTime() - wall.getTime();
  return { ...stored, cooldownUntil };
}
