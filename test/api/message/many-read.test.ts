import { afterAll, beforeAll, expect, test } from "vitest";
import { applyMissedReports } from "../../../src/core/message/early-reports.ts";
import type { Report } from "../../../src/core/message/report.ts";
import { newId } from "../../../src/platform/ids.ts";
import { addReceiver } from "../../kit/cursors.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

/** Reports that a person has read many messages at once. */

const MANY = 2_300;
const MAX_PER_TRANSACTION = 500;

let node: TestNode;
let account: TestAccount;
let channelId: string;
let chats = 0;

beforeAll(async () => {
  node = await startNode();
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "telegram" });
  await addReceiver(node.db, account.id, ["statuses"], "v3");
});
afterAll(() => node.stop());

interface Chat {
  readonly id: string;
  readonly chatId: string;
}

/** A chat with messages 1 to `count`. `sentAt` and `status` are expressions of `n`, the number of the message. */
async function chatWith(count: number, { sentAt = "now() - n * interval '1 ms'", status = "'sent'" } = {}) {
  const chat = { id: newId(), chatId: String(++chats) };
  await node.db.query(
    `insert into chats (account_id, id, channel_id, chat_type, chat_id) values ($1, $2, $3, 'telegram', $4)`,
    [account.id, chat.id, channelId, chat.chatId],
  );
  await node.db.query(
    `insert into messages (account_id, id, channel_id, chat, direction, type, status, external_id, sent_at)
     select $1, gen_random_uuid(), $2, $3, 'out', 'text', ${status}, n::text, ${sentAt}
     from generate_series(1, $4::int) n`,
    [account.id, channelId, chat.id, count],
  );
  return chat;
}

type UpTo = { readonly externalId: string } | { readonly sentAt: Date };

const readUpTo = ({ chatId }: Chat, upTo: UpTo): Report => ({
  accountId: account.id,
  channelId,
  event: { kind: "readUpTo", chatType: "telegram", chatId, upTo, at: new Date() },
});

const now = (): UpTo => ({ sentAt: new Date("2100-01-01") });

/** How many messages each transaction has marked as read. */
async function marked({ id }: Chat): Promise<number[]> {
  const rows = await node.db.query<{ count: number }>(
    `select count(*)::int from messages where account_id = $1 and chat = $2 and status = 'read'
     group by xmin order by min(sent_at)`,
    [account.id, id],
  );
  return rows.map(({ count }) => count);
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);

/** For each published status of the chat, in order, the number of its message. */
async function published({ id }: Chat): Promise<(number | undefined)[]> {
  const messages = await node.db.query<{ id: string; number: number }>(
    "select id, external_id::int as number from messages where account_id = $1 and chat = $2",
    [account.id, id],
  );
  const numbers = new Map(messages.map((message) => [message.id, message.number]));
  const events = await node.db.query<{ subject: string }>(
    "select subject from events where account_id = $1 and chat = $2 and kind = 'statuses' order by id",
    [account.id, id],
  );
  return events.map(({ subject }) => numbers.get(subject));
}

test.each([
  ["up to a time", [now()]],
  ["up to the newest message", [{ externalId: "1" }]],
  ["several times at once", [{ externalId: "900" }, now(), { externalId: "1" }, { externalId: "1200" }]],
])("many messages that are read %s are marked by several transactions, oldest first", async (_, reports) => {
  const chat = await chatWith(MANY);
  await Promise.all(reports.map((upTo) => node.core.reports.add(readUpTo(chat, upTo))));
  const portions = await marked(chat);
  expect(sum(portions)).toBe(MANY);
  expect(Math.max(...portions)).toBeLessThanOrEqual(MAX_PER_TRANSACTION);
  expect(await published(chat)).toEqual(Array.from({ length: MANY }, (_, index) => MANY - index));
});

test("many messages that were sent at the same time are marked once each", async () => {
  const chat = await chatWith(MANY, { sentAt: "date_trunc('second', now())" });
  await node.core.reports.add(readUpTo(chat, now()));
  expect(sum(await marked(chat))).toBe(MANY);
  expect(new Set(await published(chat)).size).toBe(MANY);
  expect(await published(chat)).toHaveLength(MANY);
});

test("reports of other chats are stored between the transactions of a large one", async () => {
  const [large, small] = [await chatWith(MANY), await chatWith(3)];
  const isStored = { large: false, small: false };
  const stored = node.core.reports.add(readUpTo(large, now())).then(() => {
    isStored.large = true;
  });
  await node.core.reports.add(readUpTo(small, now()));
  isStored.small = !isStored.large;
  await stored;
  expect([isStored, await marked(small)]).toEqual([{ large: true, small: true }, [3]]);
});

test.each([
  ["the oldest of a full look is unread", 1_000, "1000", 1],
  ["an unread message is behind 600 that were read", 1_000, "600", 1],
  ["an unread message is behind 1,000 that were read", 2_000, "1500", 0],
])("a report looks only at recent messages: %s", async (_, count, unread, expected) => {
  const status = `case when n = ${unread} then 'delivered' else 'read' end`;
  const chat = await chatWith(count, { status });
  await node.core.reports.add(readUpTo(chat, now()));
  expect(await published(chat)).toHaveLength(expected);
});

test("a kept report about many messages is applied by several transactions", async () => {
  const chat = await chatWith(MANY);
  const event = {
    kind: "readUpTo",
    chatType: "telegram",
    chatId: chat.chatId,
    upTo: { externalId: "1" },
    at: { $date: new Date().toISOString() },
  };
  await node.db.query(
    `insert into early_reports (account_id, channel_id, chat, external_id, event) values ($1, $2, $3, '1', $4)`,
    [account.id, channelId, chat.id, JSON.stringify(event)],
  );
  await applyMissedReports(node.core);
  const portions = await marked(chat);
  expect(sum(portions)).toBe(MANY);
  expect(Math.max(...portions)).toBeLessThanOrEqual(MAX_PER_TRANSACTION);
  expect(await node.db.query("select 1 from early_reports")).toEqual([]);
});
