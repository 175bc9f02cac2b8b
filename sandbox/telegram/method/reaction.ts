import { isRecord } from "../../http/fields.ts";
import { badRequest } from "../call/api-error.ts";
import type { Call } from "../call/call.ts";
import { note } from "../chat/outgoing.ts";
import { targetMessage, writableChat } from "../chat/target.ts";
import { REACTIONS } from "../reactions.ts";

const emoji: ReadonlySet<string> = new Set(REACTIONS);

/**
 * https://core.telegram.org/bots/api#setmessagereaction: a bot has at most one reaction to a message; an empty list
 * removes it.
 */
export function setMessageReaction(call: Call): true {
  const { args, world } = call;
  const reactions = (args.list("reaction", "reaction types") ?? []).map(readReaction);
  if (reactions.length > 1) throw badRequest("REACTIONS_TOO_MANY");
  const chat = writableChat(call);
  const message = targetMessage(call, chat, "react");
  chat.messages.react(message.message_id, call.bot.id, reactions[0]);
  world.changed();
  note(call, { chat_id: chat.shape.id, message_id: message.message_id });
  return true;
}

/** A custom emoji has no text. */
function readReaction(value: unknown): string {
  if (!isRecord(value)) throw badRequest("can't parse reaction types: expected an Object");
  const { type } = value;
  if (type === "paid") throw badRequest("REACTION_INVALID");
  if (type === "custom_emoji") {
    if (!/^\d+$/.test(String(value["custom_emoji_id"]))) throw badRequest("invalid custom emoji identifier");
    return "⭐";
  }
  if (type !== "emoji") throw badRequest("can't parse reaction types: unsupported reaction type");
  const plain = String(value["emoji"]).replace(/\uFE0F$/, "");
  if (!emoji.has(plain)) throw badRequest("REACTION_INVALID");
  return plain;
}
