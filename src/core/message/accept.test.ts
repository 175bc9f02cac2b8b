import { expect, test } from "vitest";
import type { Database } from "../../database/database.ts";
import { createAcceptQueue } from "./accept.ts";
import type { AcceptedMessage } from "./accepted-message.ts";

const message = (account: number, text: string, more: Partial<AcceptedMessage> = {}): AcceptedMessage => ({
  account_id: account,
  id: crypto.randomUUID(),
  channel_id: "channel",
  chat: "chat",
  chat_type: "telegram",
  chat_id: "100",
  chat_name: "",
  new_chat: false,
  type: "text",
  text,
  content: {},
  quoted_id: null,
  author_id: null,
  author_name: null,
  crm_message_id: null,
  ...more,
});

/** The accounts of the messages that each statement stored. */
async function statementsOf(messages: readonly AcceptedMessage[]): Promise<number[][]> {
  const statements: number[][] = [];
  const db: Pick<Database, "query"> = {
    async query(_statement, [accounts] = []) {
      statements.push([accounts].flat() as number[]);
      return [];
    },
  };
  const queue = createAcceptQueue(db as Database, () => undefined);
  const results = await Promise.all(messages.map((each) => queue.add(each)));
  await queue.close();
  expect(results).toEqual(messages.map(() => "stored"));
  return statements;
}

test("large messages of one account delay those of another by one statement at most", async () => {
  const large = Array.from({ length: 40 }, () => message(1, "x".repeat(500_000)));
  const statements = await statementsOf([...large, message(2, "Hello")]);
  expect(statements.slice(0, 2).flat()).toContain(2);
  expect(Math.max(...statements.map(({ length }) => length))).toBeLessThan(12);
});

test("content counts like text", async () => {
  const content = { template: { id: "t", values: ["x".repeat(500_000)], payloads: [] } };
  const large = Array.from({ length: 40 }, () => message(1, "", { content }));
  const statements = await statementsOf(large);
  expect(Math.max(...statements.map(({ length }) => length))).toBeLessThan(12);
});

test("small messages of all accounts share a statement", async () => {
  const small = Array.from({ length: 200 }, (_, number) => message(number % 5, "Hello"));
  const statements = await statementsOf(small);
  expect(statements.length).toBeLessThanOrEqual(2);
});
