import { type Queryable, sql } from "../../database/database.ts";
import { audit } from "../audit/audit.ts";
import { endCooldown } from "./cooldown.ts";
import type { PacingChanges } from "./limits.ts";

/** The allowed values. Those that are not `whole` may have a fraction. */
export const PACING_BOUNDS: Readonly<
  Record<keyof PacingChanges, { readonly min: number; readonly max: number; readonly whole: boolean }>
> = {
  perMinute: { min: 0.1, max: 60_000, whole: false },
  chatPerMinute: { min: 0.1, max: 60_000, whole: false },
  jitterMs: { min: 0, max: 10_000, whole: true },
  firstContactsPerDay: { min: 0, max: 10_000, whole: true },
  warmUpDays: { min: 0, max: 365, whole: true },
};

/** A change of a channel's pacing: a number sets a limit, null restores the transport's. */
export interface PacingRequest {
  readonly changes: { readonly [Name in keyof PacingChanges]?: number | null };
  /** Ends the cooldown, despite the messenger's warning. */
  readonly endsCooldown: boolean;
}

const CHANGE = sql(
  "channel_pacing_change",
  `insert into channel_pacing as p (account_id, channel_id, changes) values ($1, $2, jsonb_strip_nulls($3::jsonb))
   on conflict (account_id, channel_id) do update set changes = jsonb_strip_nulls(p.changes || $3::jsonb)`,
);

/** Stores it; the owning node applies it within half a second. Idempotent. */
export async function changePacing(
  tx: Queryable,
  channel: { readonly accountId: number; readonly channelId: string },
  { changes, endsCooldown }: PacingRequest,
): Promise<void> {
  // First, because it locks the channel.
  if (endsCooldown) await endCooldown(tx, channel);
  if (Object.keys(changes).length > 0)
    await tx.query(CHANGE, [channel.accountId, channel.channelId, JSON.stringify(changes)]);
  const { accountId, channelId: subject } = channel;
  await audit(tx, { accountId, action: "channel.pacing", subject, details: { changes, endsCooldown } });
}
