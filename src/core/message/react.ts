import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { publicChatId } from "../chat/nickname.ts";
import { AppError } from "../errors.ts";
import type { Scope } from "../scope.ts";
import { definitionOf } from "../transport/registry.ts";
import { findChangeable, runChange } from "./change.ts";
import { OURS } from "./stored-reaction.ts";

const CURRENT = sql(
  "reaction_current",
  `select emoji from message_reactions where account_id = $1 and message_id = $2 and person = '${OURS}'`,
);

/**
 * Sets or, with null, removes the channel's reaction to a message, and waits for the messenger's response. Without
 * effect if the reaction is already so. Throws AppError if the interface, the transport or the messenger rejects it.
 */
export async function reactToMessage(
  core: Base,
  scope: Scope,
  messageId: string,
  emoji: string | null,
): Promise<{ messageId: string; chatId: string }> {
  if (emoji !== null && !isEmoji(emoji))
    throw new AppError("VALIDATION_ERROR", {
      data: { fields: [{ field: "emoji", message: "must be one emoji" }] },
    });
  const message = await findChangeable(core, scope, messageId);
  const { capabilities } = definitionOf(core.transports, message.transport);
  if (capabilities.reactions?.send !== true) throw new AppError("CHANNEL_INVALID_TRANSPORT");
  if (message.deleted_at !== null) throw new AppError("MESSAGES_ALREADY_DELETED");
  if (message.external_id === null) throw new AppError("MESSAGES_NOT_SENT");
  const [current] = await core.db.query<{ emoji: string | null }>(CURRENT, [scope.accountId, messageId]);
  if ((current?.emoji ?? null) !== emoji)
    await runChange(core, scope, message, { kind: "react", change: emoji === null ? {} : { emoji } });
  return {
    messageId,
    chatId: publicChatId({ chatType: message.chat_type, chatId: message.chat_id }),
  };
}

const MAX_EMOJI_LENGTH = 32;

/** One emoji, with or without the selectors and modifiers that keyboards add. Pure. */
function isEmoji(text: string): boolean {
  if (text.length > MAX_EMOJI_LENGTH || [...new Intl.Segmenter().segment(text)].length !== 1) return false;
  return /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|^[0-9#*]\uFE0F?\u20E3$/u.test(text);
}
