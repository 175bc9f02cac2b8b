import { expect, test } from "vitest";
import { ConnectionLost } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { Cache } from "../cache.ts";
import { type ChatKey, type HasChats, resolveChat } from "./chats.ts";

const NAME = { accountId: 1, channelId: "c", chatType: "telegram", chatId: "7" };

/** A database whose first `losses` queries lose their connection. */
function build(losses: number): { core: Base & HasChats; queries: () => number } {
  let queries = 0;
  const query = async (): Promise<object[]> => {
    if (++queries <= losses) throw new ConnectionLost(new Error("reset"), { rolledBack: false });
    return [{ ord: 1, id: "chat", is_unheard: false }];
  };
  const caches = { chats: new Cache<string, ChatKey>({ maxEntries: 10 }) };
  return { core: { db: { query }, caches } as unknown as Base & HasChats, queries: () => queries };
}

test("a chat is read again when the connection breaks, and then known", async () => {
  const { core, queries } = build(2);
  const chat = { id: "chat", chatType: "telegram", chatId: "7", isNew: false, isUnheard: false };
  expect(await resolveChat(core, NAME)).toEqual(chat);
  expect(await resolveChat(core, NAME)).toEqual(chat);
  expect(queries()).toBe(3);
});
