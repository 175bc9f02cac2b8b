import { AdminError, missing } from "../../http/fields.ts";
import type { Account } from "../world/account.ts";
import type { Chat, Message } from "../world/chat.ts";
import type { World } from "../world/world.ts";

/** The chat of a person with another one (by phone number), or by its id. */
export function findChat(world: World, account: Account, name: string): Chat {
  const other = world.findByPhone(name);
  if (other) return world.dialog(account, other);
  const chat = /^-?\d+$/.test(name) ? world.findChat(account, Number(name)) : undefined;
  if (!chat) throw missing("chat", name);
  if (!chat.participants.has(account.id))
    throw new AdminError(409, "not_a_member", `${account.phone} is not in ${name}`);
  return chat;
}

export function findMessage(chat: Chat, id: string): Message {
  const message = /^\d+$/.test(id) ? chat.message(BigInt(id)) : undefined;
  if (!message) throw missing("message", id);
  return message;
}

/** A message of any chat that this person is in. */
export function findAnywhere(world: World, account: Account, id: string): { chat: Chat; message: Message } {
  for (const chat of world.chatsOf(account)) {
    const message = /^\d+$/.test(id) ? chat.message(BigInt(id)) : undefined;
    if (message) return { chat, message };
  }
  throw missing("message", id);
}
