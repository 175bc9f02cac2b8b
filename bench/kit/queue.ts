import { appendEvents } from "../../src/core/event/log.ts";
import { openDatabase } from "../../src/database/database.ts";
import { newId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import type { Stand } from "./stand.ts";

const AT_ONCE = 1_000;

/**
 * Queues `count` messages of customers for the account's receiver, alternating between its chats, as if they had just
 * been stored.
 */
export async function queueMessages(
  { databaseUrl, account: { accountId } }: Pick<Stand, "databaseUrl" | "account">,
  { count, chats }: { readonly count: number; readonly chats: number },
): Promise<void> {
  const log = createLog({ level: "error", pretty: false });
  const db = openDatabase({ connection: databaseUrl, max: 1, log, applicationName: "bench" });
  const channelId = newId();
  const ids = Array.from({ length: chats }, newId);
  try {
    for (let first = 1; first <= count; first += AT_ONCE) {
      const events = Array.from({ length: Math.min(AT_ONCE, count - first + 1) }, (_, index) =>
        eventOf(accountId, channelId, { number: first + index, chat: ids[(first + index) % chats] ?? "" }),
      );
      await db.tx((tx) => appendEvents(tx, events));
    }
  } finally {
    await db.close();
  }
}

function eventOf(accountId: number, channelId: string, { number, chat }: { number: number; chat: string }) {
  const messageId = newId();
  const body = {
    messageId,
    channelId,
    chatType: "telegram",
    chatId: chat,
    dateTime: new Date().toISOString(),
    type: "text",
    status: "inbound",
    text: `Message ${number}`,
    isEcho: false,
    contact: { name: `Customer ${chat}` },
  };
  return { accountId, kind: "messages", channelId, chat, subject: messageId, body };
}
