import type { Contact, InboundMessage, MessageRef, TransportEvent } from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign-date.ts";
import { needed } from "../kit/json.ts";
import { toBody } from "./body.ts";
import { toFailure } from "./errors.ts";
import type { ViberPerson, ViberUpdate } from "./update.ts";

/** What Viber is asked to tell; `message`, `subscribed` and `unsubscribed` come in any case. */
export const EVENT_TYPES = [
  "delivered",
  "seen",
  "failed",
  "subscribed",
  "unsubscribed",
  "conversation_started",
] as const;

/**
 * What a callback tells. Pure; `now` stands for times that Viber does not give. Events that say nothing of messages tell
 * nothing. Throws `Unreadable`.
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
    chatId: needed(sender.id, "sender.id"),
    externalId: needed(token, "message_token"),
    direction: "in",
    sentAt,
    contact: contactOf(sender),
    body: toBody(needed(message, "message")),
  };
}

/** Somebody opened the bot by a link; told as Telegram tells it, with what the link carried. */
function fromStart(update: ViberUpdate, context: string, sentAt: Date): InboundMessage {
  const { user = {}, message_token: token } = update;
  return {
    chatType: "viber",
    chatId: needed(user.id, "user.id"),
    externalId: needed(token, "message_token"),
    direction: "in",
    sentAt,
    contact: contactOf(user),
    body: { type: "text", text: `/start ${context}` },
  };
}

/** Viber tells of the newest message only, which says that the earlier ones were seen, too. */
function fromSeen(update: ViberUpdate, at: Date): TransportEvent {
  const { chatType, chatId, externalId } = refOf(update);
  return { kind: "readUpTo", chatType, chatId, upTo: { externalId }, at };
}

function refOf({ user_id: userId, message_token: token }: ViberUpdate): MessageRef {
  return {
    chatType: "viber",
    chatId: needed(userId, "user_id"),
    externalId: needed(token, "message_token"),
  };
}

/** Who forbids it is named "Subscriber" by Viber. */
function contactOf({ name = "", avatar }: ViberPerson): Contact {
  return { name, ...(avatar !== undefined && { avatar: { token: avatar } }) };
}
