import { type Static, Type } from "typebox";
import type { ChannelNotice } from "../../../core/pacing/notices.ts";
import { PACING_BOUNDS, type PacingRequest } from "../../../core/pacing/settings.ts";
import { type PacingView, WAITING_FOR } from "../../../core/pacing/view.ts";
import { nullableString, nullableTime, strictObject, uuidText } from "../../schema/shapes.ts";

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

const limitName = Type.Unsafe<LimitName>({ type: "string", enum: LIMIT_NAMES });

function settable(name: LimitName) {
  const { min: minimum, max: maximum, whole } = PACING_BOUNDS[limitNames[name]];
  return Type.Optional(whole ? Type.Integer({ minimum, maximum }) : Type.Number({ minimum, maximum }));
}

/** Null means "absent" in every body, so resetting to the messenger's defaults has a separate field. */
export const pacingBody = strictObject({
  per_minute: settable("per_minute"),
  chat_per_minute: settable("chat_per_minute"),
  jitter_ms: settable("jitter_ms"),
  first_contacts_per_day: settable("first_contacts_per_day"),
  warm_up_days: settable("warm_up_days"),
  reset: Type.Optional(
    Type.Array(limitName, { maxItems: 10, description: "Limits to reset to the messenger's defaults" }),
  ),
  end_hold: Type.Optional(
    Type.Boolean({ description: "true: allow first contacts again, despite the messenger's warning" }),
  ),
});

/** The requested change. */
export function pacingRequest(body: Static<typeof pacingBody>): PacingRequest {
  const cleared = (body.reset ?? []).map((name) => [limitNames[name], null] as const);
  const given = LIMIT_NAMES.flatMap((name) => {
    const value = body[name];
    return value === undefined ? [] : [[limitNames[name], value] as const];
  });
  return { changes: Object.fromEntries([...cleared, ...given]), endsCooldown: body.end_hold === true };
}

export const pacingShape = Type.Object(
  {
    channel_id: uuidText(),
    limits: Type.Object(
      {
        per_minute: Type.Number(),
        burst: Type.Number(),
        chat_per_minute: Type.Number(),
        chat_burst: Type.Number(),
        jitter_ms: Type.Integer(),
        first_contacts_per_day: nullableCount,
        warm_up_days: Type.Integer(),
      },
      { title: "PacingLimits" },
    ),
    changed: Type.Array(limitName),
    first_contacts: Type.Object(
      {
        allowance: nullableCount,
        left: nullableCount,
        next_at: nullableTime,
        held_until: nullableTime,
        hold_reason: nullableString,
      },
      { title: "FirstContacts" },
    ),
    queue: Type.Object(
      {
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
      },
      { title: "SendQueue" },
    ),
    notices: Type.Array(
      Type.Object({ at: Type.String({ format: "date-time" }), kind: Type.String(), text: Type.String() }),
    ),
  },
  { title: "Pacing" },
);

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
