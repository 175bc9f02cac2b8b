import { type Static, Type } from "typebox";
import type { ChannelNotice } from "../../../core/pacing/notices.ts";
import { PACING_BOUNDS, type PacingRequest } from "../../../core/pacing/settings.ts";
import { type PacingView, WAITING_FOR } from "../../../core/pacing/view.ts";
import { nullableString, strictObject } from "../../shapes.ts";

const nullableTime = Type.Unsafe<string | null>({ type: ["string", "null"], format: "date-time" });
const nullableCount = Type.Unsafe<number | null>({ type: ["integer", "null"] });

const limitNames = {
  per_minute: "perMinute",
  chat_per_minute: "chatPerMinute",
  jitter_ms: "jitterMs",
  first_contacts_per_day: "firstContactsPerDay",
  warm_up_days: "warmUpDays",
} as const;
type LimitName = keyof typeof limitNames;
const LIMIT_NAMES = Object.keys(limitNames) as LimitName[];

/** What a channel may be set to; null brings back the messenger's own limit. */
function settable(name: LimitName) {
  const { min, max, whole } = PACING_BOUNDS[limitNames[name]];
  const type = whole ? "integer" : "number";
  return Type.Optional(Type.Unsafe<number | null>({ type: [type, "null"], minimum: min, maximum: max }));
}

export const pacingBody = strictObject({
  per_minute: settable("per_minute"),
  chat_per_minute: settable("chat_per_minute"),
  jitter_ms: settable("jitter_ms"),
  first_contacts_per_day: settable("first_contacts_per_day"),
  warm_up_days: settable("warm_up_days"),
  held_until: Type.Optional(
    Type.Null({ description: "null: write to new people again, though the messenger warned" }),
  ),
});

/** What the body asks for. */
export function pacingRequest(body: Static<typeof pacingBody>): PacingRequest {
  const given = LIMIT_NAMES.flatMap((name) => {
    const value = body[name];
    return value === undefined ? [] : [[limitNames[name], value] as const];
  });
  return { changes: Object.fromEntries(given), endsHold: body.held_until === null };
}

export const pacingShape = Type.Object({
  channel_id: Type.String(),
  limits: Type.Object({
    per_minute: Type.Number(),
    burst: Type.Number(),
    chat_per_minute: Type.Number(),
    chat_burst: Type.Number(),
    jitter_ms: Type.Integer(),
    first_contacts_per_day: nullableCount,
    warm_up_days: Type.Integer(),
  }),
  changed: Type.Array(Type.Unsafe<LimitName>({ type: "string", enum: LIMIT_NAMES })),
  first_contacts: Type.Object({
    allowance: nullableCount,
    left: nullableCount,
    next_at: nullableTime,
    held_until: nullableTime,
    hold_reason: nullableString,
  }),
  queue: Type.Object({
    messages: Type.Integer(),
    chats: Type.Integer(),
    oldest_at: nullableTime,
    next_send_at: nullableTime,
    waiting: Type.Array(
      Type.Object({
        for: Type.Unsafe<string>({ type: "string", enum: [...WAITING_FOR] }),
        chats: Type.Integer(),
        until: nullableTime,
      }),
    ),
  }),
  notices: Type.Array(
    Type.Object({ at: Type.String({ format: "date-time" }), kind: Type.String(), text: Type.String() }),
  ),
});

/** In the interface's spelling. */
export function pacingFields(
  channelId: string,
  { limits, changed, firstContacts, queue }: PacingView,
  notices: readonly ChannelNotice[],
): Static<typeof pacingShape> {
  return {
    channel_id: channelId,
    limits: {
      per_minute: limits.perMinute,
      burst: limits.burst,
      chat_per_minute: limits.chatPerMinute,
      chat_burst: limits.chatBurst,
      jitter_ms: limits.jitterMs,
      first_contacts_per_day: limits.firstContactsPerDay,
      warm_up_days: limits.warmUpDays,
    },
    changed: LIMIT_NAMES.filter((name) => changed.includes(limitNames[name])),
    first_contacts: {
      allowance: firstContacts.allowance,
      left: firstContacts.left,
      next_at: time(firstContacts.nextAt),
      held_until: time(firstContacts.heldUntil),
      hold_reason: firstContacts.holdReason,
    },
    queue: {
      messages: queue.messages,
      chats: queue.chats,
      oldest_at: time(queue.oldestAt),
      next_send_at: time(queue.nextSendAt),
      waiting: queue.waiting.map((group) => ({
        for: group.for,
        chats: group.chats,
        until: time(group.until),
      })),
    },
    notices: notices.map(({ at, kind, text }) => ({ at: at.toISOString(), kind, text })),
  };
}

function time(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}
