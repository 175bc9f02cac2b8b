import type { Static } from "typebox";
import type { MessageFact, QuotedFact } from "../../event/facts.ts";
import type { quotedItem as shape } from "./v3-shapes.ts";

/** `quotedMessage` of v3; the object of v2 has other names. Pure. */
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

/** An object with this field, or without it if the value is null. */
export function given<K extends string, V>(key: K, value: V | null): { [k in K]?: V } {
  return value === null ? {} : ({ [key]: value } as { [k in K]: V });
}
