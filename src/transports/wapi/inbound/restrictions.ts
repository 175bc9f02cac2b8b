import type { RestrictionKind } from "../../../core/transport/errors.ts";
import type { TransportEvent } from "../../../core/transport/events.ts";
import { endOfRestriction } from "../../kit/end-of-restriction.ts";
import { type Json, objectsIn, textIn } from "../../kit/json.ts";

/** The values of `restriction_type` that concern messages (reference of the webhook `account_update`). */
const TYPES: Readonly<Record<string, { readonly kind: RestrictionKind; readonly reason: string }>> = {
  RESTRICTED_BIZ_INITIATED_MESSAGING: {
    kind: "new_chats",
    reason: "Meta does not allow this business to start conversations; replies are possible",
  },
  RESTRICTED_CUSTOMER_INITIATED_MESSAGING: {
    kind: "replies",
    reason: "Meta does not allow this business to reply to customers",
  },
};
const QUALITY = "Many people blocked or reported this number; Meta may restrict it if that goes on";
const VOLUME = "This number has reached its limit of conversations; Meta accepts more when 24 hours are over";
const DATE = /^[\w .,:/+-]{1,60}$/;

function restricted(of: RestrictionKind, reason: string, until: Date | null): TransportEvent {
  return { kind: "restriction", of, restriction: { reason, until } };
}

export function ended(of: RestrictionKind): TransportEvent {
  return { kind: "restriction", of, restriction: null };
}

/** `ACCOUNT_RESTRICTION`: each restriction ends at its `expiration`. Others, such as of calls, are ignored. Pure. */
export function restrictionsIn(value: Json): TransportEvent[] {
  return objectsIn(value, "restriction_info").flatMap((info) => {
    const type = TYPES[textIn(info, "restriction_type") ?? ""];
    if (type === undefined) return [];
    return [restricted(type.kind, type.reason, endOfRestriction(info["expiration"]))];
  });
}

/** `SCHEDULE_FOR_DISABLE`: `date` is Meta's text, such as "January 6, 2026". */
export function blockAnnounced(date: string | undefined): TransportEvent {
  const on = date !== undefined && DATE.test(date) ? ` on ${date}` : "";
  return restricted("block_announced", `Meta will block this business${on}`, null);
}

/** The events `FLAGGED` and `UNFLAGGED` of `phone_number_quality_update`; others concern the tier. Pure. */
export function qualityOf(value: Json): TransportEvent[] {
  const event = textIn(value, "event");
  if (event === "FLAGGED") return [restricted("quality", QUALITY, null)];
  return event === "UNFLAGGED" ? [ended("quality")] : [];
}

/** A number's `status` in the list of its business: what it says of quality and volume. Pure. */
export function restrictionsOfStatus(status: string): TransportEvent[] {
  return [
    status === "FLAGGED" ? restricted("quality", QUALITY, null) : ended("quality"),
    status === "RESTRICTED" ? restricted("volume", VOLUME, null) : ended("volume"),
  ];
}
