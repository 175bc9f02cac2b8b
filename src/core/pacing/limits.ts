import type { FirstContactPacing, Pacing } from "../transport/definition.ts";

/** Limits that an operator or client sets for one channel; absent ones keep the transport's value. */
export interface PacingChanges {
  /** Messages of the channel per minute, above 0. */
  readonly perMinute?: number;
  /** The same for each of its chats. */
  readonly chatPerMinute?: number;
  readonly jitterMs?: number;
  /** 0: no first contacts. */
  readonly firstContactsPerDay?: number;
  /** 0: the full allowance applies immediately. */
  readonly warmUpDays?: number;
}

/** The allowance of first contacts at a point in time. */
export interface Allowance {
  readonly perDay: number;
  readonly burst: number;
}

const DAY_MS = 86_400_000;
/** If the transport sets no burst, this share of a changed allowance may be used in a row. */
const DEFAULT_BURST_SHARE = 0.2;
const DEFAULT_WARM_UP_SHARE = 0.2;

/** The transport's pacing with the channel's changes applied. Pure. */
export function changedPacing(pacing: Pacing, changes: PacingChanges): Pacing {
  const { perMinute, chatPerMinute, jitterMs = pacing.jitterMs } = changes;
  const { firstContact, warmUp, chatOfType, ...rest } = pacing;
  const first = changedFirstContact(firstContact, changes.firstContactsPerDay);
  const days = changes.warmUpDays ?? warmUp?.days ?? 0;
  return {
    ...rest,
    jitterMs,
    channel: perMinute === undefined ? pacing.channel : slowed(pacing.channel.burst, perMinute),
    chat: chatPerMinute === undefined ? pacing.chat : slowed(pacing.chat.burst, chatPerMinute),
    // A channel's own limit applies to chats of all types.
    ...(chatOfType === undefined || chatPerMinute !== undefined ? {} : { chatOfType }),
    ...(first === undefined ? {} : { firstContact: first }),
    ...(days > 0 ? { warmUp: { days, share: warmUp?.share ?? DEFAULT_WARM_UP_SHARE } } : {}),
  };
}

function slowed(burst: number, perMinute: number): Pacing["channel"] {
  return { perSecond: perMinute / 60, burst: Math.max(1, Math.min(burst, perMinute)) };
}

function changedFirstContact(
  own: FirstContactPacing | undefined,
  perDay: number | undefined,
): FirstContactPacing | undefined {
  if (perDay === undefined) return own;
  const burst = own?.burst ?? Math.ceil(perDay * DEFAULT_BURST_SHARE);
  return { perDay, burst, jitterMs: own?.jitterMs ?? 0 };
}

/** The allowance of a channel that has been active for this long; null if there is none. Pure. */
export function allowanceAt({ firstContact, warmUp }: Partial<Pacing>, ageMs: number): Allowance | null {
  if (firstContact === undefined) return null;
  const share = warmUp === undefined ? 1 : grownShare(warmUp.share, ageMs / (warmUp.days * DAY_MS));
  const perDay = firstContact.perDay === 0 ? 0 : Math.max(1, Math.floor(firstContact.perDay * share));
  return { perDay, burst: Math.max(1, Math.min(firstContact.burst, perDay)) };
}

/** `part`: the completed fraction of the warm-up, 0 at its start. */
function grownShare(first: number, part: number): number {
  return Math.min(1, first + (1 - first) * Math.max(0, part));
}
