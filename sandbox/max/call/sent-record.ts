import { notFound } from "../refusal.ts";
import type { Chat, Message } from "../world/chat.ts";
import { kindOf } from "../world/posting.ts";
import { type MemberCall, needMessageId } from "./operation.ts";

/** The message of a request; throws if it no longer exists. */
export function needMessage({ fields }: MemberCall, chat: Chat): Message {
  const message = chat.message(needMessageId(fields, "messageId"));
  if (!message || message.status === "REMOVED") throw notFound("message");
  return message;
}

/** Adds a client's action to the list `sent`. */
export function record(
  { world, account, session }: MemberCall,
  what: { method: string; chat: Chat; message?: Message; repeated?: boolean },
): void {
  const { method, chat, message, repeated = false } = what;
  world.sent.append({
    at: world.stamp(),
    phone: account.phone,
    session: session.number,
    method,
    chat_id: String(chat.id),
    message_id: message ? String(message.id) : null,
    cid: message?.cid ?? null,
    repeated,
    kind: message ? kindOf(message) : null,
    text: message?.text ?? null,
  });
}
