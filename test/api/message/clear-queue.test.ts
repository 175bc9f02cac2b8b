import { afterAll, beforeAll, expect, test } from "vitest";
import { cancelWaiting } from "../../../src/core/message/clear.ts";
import { newId } from "../../../src/platform/ids.ts";
import { addAccount, addChannel, startNode, type TestNode } from "../kit/service.ts";

let node: TestNode;

beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());

test("a long queue is cleared to its end, although some of its messages have been sent meanwhile", async () => {
  const account = await addAccount(node.db);
  const channelId = await addChannel(node, account, { transport: "telegram" });
  const chat = newId();
  await node.db.query(
    "insert into chats (account_id, id, channel_id, chat_type, chat_id) values ($1, $2, $3, 'telegram', '7')",
    [account.id, chat, channelId],
  );
  await node.db.query(
    `with message as (
       insert into messages (account_id, id, channel_id, chat, direction, type, status, text, sent_at)
       select $1, gen_random_uuid(), $2, $3, 'out', 'text', case when n % 100 = 0 then 'sent' else 'queued' end, 'Hello', now()
       from generate_series(1, 1200) n returning id)
     insert into send_jobs (account_id, channel_id, chat, message_id, kind)
     select $1, $2, $3, id, 'send' from message`,
    [account.id, channelId, chat],
  );
  expect(await cancelWaiting(node.core, { accountId: account.id, channelId })).toBe(1_188);
  expect(await node.db.query("select 1 from send_jobs where channel_id = $1", [channelId])).toEqual([]);
  const states = `select status, error ->> 'code' as code, count(*)::int as messages from messages
    where channel_id = $1 group by 1, 2 order by 1`;
  expect(await node.db.query(states, [channelId])).toEqual([
    { status: "error", code: "MESSAGE_CANCELLED", messages: 1_188 },
    { status: "sent", code: null, messages: 12 },
  ]);
});

test("messages that wait are cancelled by the database's clock, whatever that of the node shows", async () => {
  const account = await addAccount(node.db);
  const channelId = await addChannel(node, account, { transport: "telegram" });
  const clock = { ...node.core.clock, now: () => new Date(Date.now() - 3_600_000) };
  await node.db.query(
    `with message as (
       insert into messages (account_id, id, channel_id, chat, direction, type, status, text, sent_at)
       values ($1, gen_random_uuid(), $2, gen_random_uuid(), 'out', 'text', 'queued', 'Hello', now()) returning id, chat)
     insert into send_jobs (account_id, channel_id, chat, message_id, kind)
     select $1, $2, chat, id, 'send' from message`,
    [account.id, channelId],
  );
  expect(await cancelWaiting({ ...node.core, clock }, { accountId: account.id, channelId })).toBe(1);
});
