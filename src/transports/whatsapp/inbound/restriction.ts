import type { ConnectionState, NewChatMessageCapInfo } from "baileys";
import type { TransportEvent } from "../../../core/transport/events.ts";
import { endOfRestriction } from "../../kit/end-of-restriction.ts";
import { holdUntil } from "../errors.ts";

/** Where WhatsApp states no end, the library passes the minute after which WhatsApp Web asks again. */
const UNSTATED_MS = 61_000;

/**
 * A notification about the account's right to start chats ("reach-out timelock"); null if it says nothing. Pure.
 */
export function readTimelock(
  { isActive, timeEnforcementEnds: until }: NonNullable<ConnectionState["reachoutTimeLock"]>,
  nowMs: number,
): TransportEvent | null {
  if (!isActive) return { kind: "cooldown", cooldown: null };
  if (until === undefined || Number.isNaN(until.getTime())) return null;
  const basis = until.getTime() - nowMs > UNSTATED_MS ? "stated" : "estimate";
  return { kind: "cooldown", cooldown: holdUntil({ until, basis }) };
}

/** A notification about the account's quota of new chats, which WhatsApp renews with each cycle. Pure. */
export function readCap({
  capping_status: status,
  cycle_end_timestamp: end,
}: NewChatMessageCapInfo): TransportEvent {
  if (status !== "CAPPED") return { kind: "restriction", of: "volume", restriction: null };
  const reason = "This account has used its quota of new chats on WhatsApp";
  return { kind: "restriction", of: "volume", restriction: { reason, until: endOfRestriction(end) } };
}
