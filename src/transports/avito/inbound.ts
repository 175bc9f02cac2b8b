import type { InboundMessage, MessageRef, TransportEvent } from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign/foreign-date.ts";
import { required } from "../kit/json.ts";
import { toBody } from "./body.ts";
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

/** Maps a message, whether it came by webhook or by polling. Throws `Unreadable`. */
export function toEvent(message: AvitoMessage, context: InboundContext): TransportEvent {
  const { chatId, now } = context;
  const ref: MessageRef = { chatType: "avito", chatId, externalId: required(message.id, "message id") };
  if (message.type === "deleted") return { kind: "deleted", ref, at: now };
  return {
    kind: "message",
    message: {
      ...ref,
      direction: isOwn(message, context.userId) ? "echo" : "in",
      sentAt: dateFromUnix(message.created, now),
      ...context.about,
      body: toBody(message.type, message.content),
      ...quotedOf(message.quote),
    },
  };
}

function quotedOf(quote: AvitoQuote | undefined): Pick<InboundMessage, "quoted"> {
  if (quote?.id === undefined) return {};
  return { quoted: { externalId: quote.id, body: toBody(quote.type, quote.content) } };
}
