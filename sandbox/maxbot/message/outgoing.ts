import type { RawNumber } from "../../http/raw-number.ts";
import { rawNumber } from "../../http/raw-number.ts";
import type { Bot, SentRecord } from "../bot.ts";
import type { Attachment, Chat, Link, StoredMessage, User } from "../chat/chat.ts";
import { messageShape } from "../shape.ts";
import type { World } from "../world.ts";

/** The content of a message. */
export interface Words {
  readonly text: string | null;
  readonly attachments: readonly Attachment[];
  readonly markup?: readonly unknown[];
  readonly link?: Link | undefined;
}

/** Adds a message to a chat. */
export function addMessage(world: World, chat: Chat, sender: User | Bot, words: Words): StoredMessage {
  const seq = world.nextSeq();
  sender.lastActivityMs = world.clock.nowMs();
  const message: StoredMessage = {
    mid: newMid(chat.chatId, seq),
    seq: rawNumber(seq) satisfies RawNumber,
    chat,
    sender,
    timestamp: world.clock.nowMs(),
    text: words.text,
    attachments: words.attachments,
    markup: words.markup ?? [],
    link: words.link,
  };
  chat.put(message);
  world.changed();
  return message;
}

/** Chat and number of the message in hexadecimal, as in live updates. */
function newMid(chatId: number, seq: bigint): string {
  const hex = (value: bigint) => BigInt.asUintN(64, value).toString(16).padStart(16, "0");
  return `mid.${hex(BigInt(chatId))}${hex(seq)}`;
}

/** Records a bot's action; `message`: its present state. */
export function noteSent(
  world: World,
  bot: Bot,
  what: Pick<SentRecord, "method" | "request"> & {
    chat: Chat;
    message: StoredMessage | undefined;
    mid?: string;
  },
): void {
  const { method, request, chat, message } = what;
  bot.sent.append({
    method,
    at: world.clock.nowMs(),
    chat_id: chat.chatId,
    mid: what.mid ?? message?.mid ?? null,
    message: message ? messageShape(message) : null,
    request,
  });
}
