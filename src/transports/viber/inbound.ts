import type { Contact, InboundMessage, MessageRef, TransportEvent } from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign/foreign-date.ts";
import { required } from "../kit/json.ts";
import { referralFrom, startText } from "../kit/referral.ts";
import { toBody } from "./body.ts";
import { toFailure } from "./errors.ts";
import type { ViberPerson, ViberUpdate } from "./update.ts";

/** The event types to subscribe to; `message`, `subscribed` and `unsubscribed` are always sent. */
export const EVENT_TYPES = [
  "delivered",
  "seen",
  "failed",
  "subscribed",
  "unsubscribed",
  "conversation_started",
] as const;

/**
 * Maps a callback. Pure; `now` replaces missing times. Events that do not concern messages map to nothing. Throws
 * `Unreadable`.
 */
export function toEvents(update: ViberUpdate, now: Date): TransportEvent[] {
  const at = dateFromUnix(update.timestamp, now);
  switch (update.event) {
    case "message":
      return [{ kind: "message", message: fromMessage(update, at) }];
    case "conversation_started":
      return update.context === undefined
        ? []
        : [{ kind: "message", message: fromStart(update, update.context, at) }];
    case "delivered":
      return [{ kind: "receipt", ref: refOf(update), status: "delivered", at }];
    case "seen":
      return [fromSeen(update, at)];
    case "failed":
      return [{ kind: "failed", ref: refOf(update), error: toFailure(update.desc), at }];
    default:
      return [];
  }
}

function fromMessage(update: ViberUpdate, sentAt: Date): InboundMessage {
  const { sender = {}, message, message_token: token } = update;
  return {
    chatType: "viber",
    chatId: required(sender.id, "sender.id"),
    externalId: required(token, "message_token"),
    direction: "in",
    sentAt,
    contact: contactOf(sender),
    body: toBody(required(message, "message")),
  };
}

/** A person opened the bot through a link. Emitted like Telegram's `/start`, with the link's context. */
function fromStart(update: ViberUpdate, context: string, sentAt: Date): InboundMessage {
  const { user = {}, message_token: token } = update;
  return {
    chatType: "viber",
    chatId: required(user.id, "user.id"),
    externalId: required(token, "message_token"),
    direction: "in",
    sentAt,
    contact: contactOf(user),
    body: { type: "text", text: startText(context) },
    ...referralFrom("link", { ref: context }),
  };
}

/** Viber reports only the newest message seen, which implies the earlier ones. */
function fromSeen(update: ViberUpdate, at: Date): TransportEvent {
  const { chatType, chatId, externalId } = refOf(update);
  return { kind: "readUpTo", chatType, chatId, upTo: { externalId }, at };
}

function refOf({ user_id: userId, message_token: token }: ViberUpdate): MessageRef {
  return {
    chatType: "viber",
    chatId: required(userId, "user_id"),
    externalId: required(token, "message_token"),
  };
}

/** A person who hides their name is called "Subscriber" by Viber. */
function contactOf({ name = "", avatar }: ViberPerson): Contact {
  return { name, ...(avatar !== undefined && { avatar: { token: avatar } }) };
}
