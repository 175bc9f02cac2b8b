import type { Contact, InboundMessage, MessageRef, TransportEvent } from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign/foreign-date.ts";
import { required } from "../kit/json.ts";
import { referralFrom, startText } from "../kit/referral.ts";
import { unknownFields } from "../kit/unknown-fields.ts";
import { isKnownType, toBodies } from "./body.ts";
import { toFailure } from "./errors.ts";
import { isVibers } from "./files.ts";
import type { ViberMessage, ViberPerson, ViberUpdate } from "./update.ts";

/** The event types to subscribe to; `message`, `subscribed` and `unsubscribed` are always sent. */
export const EVENT_TYPES = [
  "delivered",
  "seen",
  "failed",
  "subscribed",
  "unsubscribed",
  "conversation_started",
] as const;

export interface InboundContext {
  /** Replaces missing times. */
  readonly now: Date;
  /** Files are at Viber's own hosts, or at this address. */
  readonly apiUrl: string;
}

/** Maps a callback. Pure. Events that do not concern messages map to nothing. Throws `Unreadable`. */
export function toEvents(update: ViberUpdate, { now, apiUrl }: InboundContext): TransportEvent[] {
  const at = dateFromUnix(update.timestamp, now);
  switch (update.event) {
    case "message":
      return fromMessage(update, at, apiUrl);
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

/** `webhook` confirms the address; the others may concern messages. */
const KNOWN: readonly (string | undefined)[] = [...EVENT_TYPES, "message", "webhook"];
/** The fields of a message (developers.viber.com, "Receive message from user", "Message types"). */
const FIELDS: ReadonlySet<string> = new Set([
  "type",
  "text",
  "media",
  "thumbnail",
  "file_name",
  "size",
  "duration",
  "contact",
  "location",
  "sticker_id",
  "tracking_data",
  "alt_text",
  "rich_media",
  "min_api_version",
]);

/** What the connector does not know of a callback. */
export function unknownIn({ event, message }: ViberUpdate): readonly string[] {
  if (!KNOWN.includes(event)) return [`event.${event}`];
  if (message === undefined) return [];
  const { type = "untyped", raw } = message;
  if (!isKnownType(type)) return [`message.${type}`];
  const isEmpty = toBodies(message, () => true).length === 0;
  return [
    ...(isEmpty ? ["message.empty"] : []),
    ...unknownFields(raw, FIELDS).map((field) => `message.${field}`),
  ];
}

function fromMessage(update: ViberUpdate, sentAt: Date, apiUrl: string): TransportEvent[] {
  const { sender = {}, message_token: token } = update;
  const message = required(update.message, "message");
  const externalId = required(token, "message_token");
  const common = {
    chatType: "viber",
    chatId: required(sender.id, "sender.id"),
    direction: "in",
    sentAt,
    contact: contactOf(sender),
  } as const;
  return toBodies(message, (address) => isVibers(address, apiUrl)).map((body, index) => ({
    kind: "message",
    message: {
      ...common,
      externalId: index === 0 ? externalId : `${externalId}#${index + 1}`,
      body,
      ...(index === 0 && answersOf(message)),
    },
  }));
}

/** What the bot's last message had for its sender (developers.viber.com, `tracking_data`); we send none. */
function answersOf({ tracking_data: payload }: ViberMessage): Pick<InboundMessage, "answers"> {
  return payload === undefined ? {} : { answers: [{ type: "tracking_data", payload }] };
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
