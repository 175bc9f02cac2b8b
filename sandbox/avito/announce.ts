import { createHmac, randomUUID } from "node:crypto";
import type { Chat, StoredMessage } from "./chat.ts";
import type { World } from "./world.ts";

/** Tells every webhook of the account of a message, its own too. Answers how many are told. */
export function announce(world: World, chat: Chat, message: StoredMessage): number {
  const { account } = chat;
  const text = JSON.stringify({
    id: randomUUID(),
    version: "v3.0.0",
    timestamp: world.clock.now(),
    payload: { type: "message", value: messageValue(chat, message) },
  });
  for (const { url, clientId } of account.webhooks.values()) {
    // What it is made of is not documented; this is what integrators guess.
    const secret = world.apps.get(clientId)?.clientSecret ?? "";
    const signature = createHmac("sha256", secret).update(text).digest("hex");
    world.callbacks.add({
      owner: String(account.id),
      url,
      lane: chat.id,
      event: message.type,
      text,
      headers: { "x-avito-messenger-signature": signature },
    });
  }
  return account.webhooks.size;
}

function messageValue(chat: Chat, message: StoredMessage): Readonly<Record<string, unknown>> {
  const { id, authorId, created, type, content, read } = message;
  return {
    id,
    chat_id: chat.id,
    user_id: chat.account.id,
    author_id: authorId,
    created,
    type,
    chat_type: chat.type,
    content,
    ...(chat.item && { item_id: chat.item.id }),
    read,
    published_at: new Date(created * 1000).toISOString().replace(".000Z", "Z"),
  };
}
