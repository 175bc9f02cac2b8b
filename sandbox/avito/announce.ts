import { createHmac, randomUUID } from "node:crypto";
import { Novelty } from "../trouble/novelty.ts";
import type { Chat, StoredMessage } from "./chat.ts";
import type { World } from "./world.ts";

/** Reports a message, including its own, to every webhook of the account. Returns the number of receivers. */
export function announce(world: World, chat: Chat, message: StoredMessage): number {
  const { account } = chat;
  const novelty = new Novelty(world.settings.novelty, world.reports++);
  const report = (payload: object): string =>
    JSON.stringify({ id: randomUUID(), version: "v3.0.0", timestamp: world.clock.now(), payload });
  const value = novelty.sprinkled(messageValue(chat, message));
  if (novelty.happens()) {
    const news = { type: `new_event_${novelty.number()}`, value: { chat_id: chat.id, user_id: account.id } };
    post(world, chat, { event: news.type, text: report(news) });
  }
  post(world, chat, { event: message.type, text: report({ type: "message", value }) });
  return account.webhooks.size;
}

function post(
  world: World,
  { account, id }: Chat,
  { event, text }: { readonly event: string; readonly text: string },
): void {
  for (const { url, clientId } of account.webhooks.values()) {
    // The content of the signature is not documented; this is what integrators assume.
    const secret = world.apps.get(clientId)?.clientSecret ?? "";
    const signature = createHmac("sha256", secret).update(text).digest("hex");
    world.callbacks.add({
      owner: String(account.id),
      url,
      orderingKey: id,
      event,
      text,
      headers: { "x-avito-messenger-signature": signature },
    });
  }
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
