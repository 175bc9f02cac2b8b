import type { InboundMessage, MessageRef, TransportEvent } from "../../core/transport/events.ts";
import { dateFromUnix, plausibleDate } from "../../platform/foreign/foreign-date.ts";
import { required } from "../kit/json.ts";
import { TYPES, toBody } from "./body.ts";
import type { AvitoMessage, AvitoQuote } from "./inbound/update.ts";

/** The other participant of a chat, and the listing that it is about. */
export type ChatFacts = Pick<InboundMessage, "contact" | "advert">;

export interface InboundContext {
  readonly chatId: string;
  /** The id of the channel's account. */
  readonly userId: string;
  readonly about: ChatFacts;
  /** Used for times that Avito does not report. */
  readonly now: Date;
}

/** Whether the channel's own account wrote the message, through this service or on Avito. */
export function isOwn({ author_id, direction }: AvitoMessage, userId: string): boolean {
  return direction === "out" || author_id === userId;
}

/**
 * Whether Avito itself wrote it: its bots ("Сообщения от чат-ботов Авито"), and everything that it writes in its own
 * chats with the account.
 */
function isNotice(message: AvitoMessage, { chatId, userId }: InboundContext): boolean {
  const { type, author_id, content, chat_type } = message;
  if (type === "system" || author_id === "0" || content?.flow_id !== undefined) return true;
  return (chat_type === "a2u" || chatId.startsWith("a2u-")) && !isOwn(message, userId);
}

/**
 * Maps a message, whether it came by webhook or by polling. Null if it has no words and no file. Throws `Unreadable`.
 */
export function toEvent(message: AvitoMessage, context: InboundContext): TransportEvent | null {
  const { chatId, now } = context;
  const ref: MessageRef = { chatType: "avito", chatId, externalId: required(message.id, "message id") };
  if (message.type === "deleted") return { kind: "deleted", ref, at: now };
  const body = toBody(message.type, message.content);
  if (body === null) return null;
  return {
    kind: "message",
    message: {
      ...ref,
      direction: isOwn(message, context.userId) ? "echo" : "in",
      sentAt: sentAt(message, now),
      ...context.about,
      ...(isNotice(message, context) && { isSystem: true }),
      body,
      ...quotedOf(message.quote),
    },
  };
}

function sentAt({ created, published_at }: AvitoMessage, now: Date): Date {
  return created === undefined
    ? plausibleDate(new Date(published_at ?? ""), now)
    : dateFromUnix(created, now);
}

function quotedOf(quote: AvitoQuote | undefined): Pick<InboundMessage, "quoted"> {
  if (quote?.id === undefined) return {};
  const body = toBody(quote.type, quote.content);
  return { quoted: { externalId: quote.id, ...(body !== null && { body }) } };
}

/** Reports of a hostile message may have thousands. */
const MAX_UNKNOWN = 3;

/** What of a message Avito's API description does not have. */
export function unknownIn({
  type,
  content,
}: AvitoMessage): { readonly kind: string; readonly sample: unknown }[] {
  const isUnknown = type !== undefined && !TYPES.includes(type);
  const more = Object.entries(content?.more ?? {});
  return [
    ...(isUnknown ? [{ kind: `type.${type}`, sample: content?.more ?? content }] : []),
    ...more.map(([key, sample]) => ({ kind: `content.${key}`, sample })),
  ].slice(0, MAX_UNKNOWN);
}
