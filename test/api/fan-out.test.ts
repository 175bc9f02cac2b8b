import { afterAll, beforeAll, expect, test } from "vitest";
import { type Receiver, startReceiver } from "../kit/receiver.ts";
import { call } from "./kit/call.ts";
import { write } from "./kit/inbound.ts";
import { addAccount, addChannel, startNode, type TestNode } from "./kit/service.ts";

let node: TestNode;
let receiver: Receiver;

beforeAll(async () => {
  node = await startNode();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.stop();
  await node.stop();
});

test("what is reported for an account with a hundred addresses is stored in short transactions", async () => {
  const account = await addAccount(node.db);
  const to = { account, channelId: await addChannel(node, account, { transport: "whatsapp" }) };
  const data = Array.from({ length: 100 }, (_, n) => ({ url: `${receiver.url}/${n}`, event: "message.add" }));
  const subscribed = await call(node, "POST", "/v2/webhooks", { token: account.access, body: { data } });
  expect(subscribed.status).toBe(200);
  const numbered = (first: number, count: number) =>
    Array.from({ length: count }, (_, n) => ["79001110001", `message ${first + n}`] as const);
  await write(node, to, numbered(0, 1));
  await expect.poll(() => node.db.query("select 1 from webhook_queue")).toHaveLength(100);
  await write(node, to, numbered(1, 200));
  const [row] = await node.db.query<{ places: number; most: number }>(
    `select sum(n)::int as places, max(n)::int as most
     from (select count(*) as n from webhook_queue group by xmin::text) each`,
  );
  expect(row?.places).toBe(201 * 100);
  expect(row?.most).toBeLessThanOrEqual(600);
});
