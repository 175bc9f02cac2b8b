import type { Static } from "typebox";
import type { MessageFact, QuotedFact } from "./facts.ts";
import type { quotedItem as shape } from "./v3-shapes.ts";

/** `quotedMessage` of v3; v2 has the same under its own names. Pure. */
export function quotedItem(
  { channelId, chatType, chatId }: MessageFact,
  quoted: QuotedFact,
): Static<typeof shape> {
  return {
    ...given("messageId", quoted.messageId),
    channelId,
    chatType,
    chatId,
    ...given("dateTime", quoted.sentAt?.toISOString() ?? null),
    type: quoted.type,
    ...given("status", quoted.status),
    ...given("text", quoted.text),
    ...given("contentUri", quoted.contentUri),
    ...(quoted.isEcho === false ? {} : given("authorName", quoted.authorName)),
    ...given("isEcho", quoted.isEcho),
  };
}

/** A field that is left out when its value is null. */
export function given<K extends string, V>(key: K, value: V | null): { [k in K]?: V } {
  return value === null ? {} : ({ [key]: value } as { [k in K]: V });
}
