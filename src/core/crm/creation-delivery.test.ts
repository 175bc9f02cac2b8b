import { expect, test } from "vitest";
import type { Queryable } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { HasLive } from "../event/live-notifier.ts";
import { storeAnswer } from "./creation-delivery.ts";

test.each([
  ["a response without an entity", "createContact", "{}"],
  ["a response to another event", "messages", "{}"],
])("what follows %s is stored in one transaction", async (_, kind, answer) => {
  const open: Queryable = { query: () => Promise.resolve([]) };
  const db = { tx: (work: (tx: Queryable) => Promise<unknown>) => work(open) };
  const event = { kind, chat: "c", body: '{"responsibleUserId":"u","contactData":[]}' };
  const core = { db } as unknown as Base & HasLive;
  const used = await storeAnswer(core, { accountId: 1 }, { event, answer }, (tx) => Promise.resolve(tx));
  expect(used).toBe(open);
});
