import type { InboundMessage, MessageRef, TransportEvent } from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign-date.ts";
import { needed } from "../kit/json.ts";
import { toBody } from "./body.ts";
import type { AvitoMessage, AvitoQuote } from "./update.ts";

/** The chat's other side, and the listing that it is about. */
export type ChatFacts = Pick<InboundMessage, "contact" | "advert">;

export interface InboundContext {
  readonly chatId: string;
  /** Account whose channel this is. */
  readonly userId: string;
  readonly about: ChatFacts;
  /** Stands for times that Avito does not give. */
  readonly now: Date;
}

/** Whether the channel's own account wrote it: through us, or on Avito itself. */
export function isOwn({ author_id, direction }: AvitoMessage, userId: string): boolean {
  return direction === "out" || author_id === userId;
}

/** What a message tells, whether it came by webhook or was found in its chat. Throws `Unreadable`. */
export function toEvent(message: AvitoMessage, context: InboundContext): TransportEvent {
  const { chatId, now } = context;
  const ref: MessageRef = { chatType: "avito", chatId, externalId: needed(message.id, "message id") };
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
