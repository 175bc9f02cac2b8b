import type { Static } from "typebox";
import type { Event } from "./event.ts";
import type { ReactionFact } from "./facts.ts";
import type { reactionItem as v2Item } from "./v2-shapes.ts";
import type { reactionItem as v3Item } from "./v3-shapes.ts";

/** The events of a reaction, in both versions. Pure. */
export function reactionEvents(fact: ReactionFact): Event[] {
  const { accountId, messageId, channelId, chat, chatType, chatId, contact, emoji, at } = fact;
  const of = { accountId, channelId, chat, subject: messageId };
  const from = fact.by ?? ("us" as const);
  const v3: Static<typeof v3Item> = {
    messageId,
    channelId,
    chatType,
    chatId,
    emoji,
    from,
    timestamp: at.toISOString(),
  };
  const v2: Static<typeof v2Item> = {
    message_id: messageId,
    channel_id: channelId,
    recipient: { chat_id: chatId, chat_type: chatType, ...contact },
    emoji,
    from,
    timestamp: at.getTime(),
  };
  return [
    { ...of, kind: "reactions", body: v3 },
    { ...of, kind: "message.reaction", body: v2 },
  ];
}
