import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { waitingEvents } from "../../kit/event-log.ts";
import { type Receiver, startReceiver } from "../../kit/receiver.ts";
import { call } from "../kit/call.ts";
import { startDelivery } from "../kit/delivery.ts";
import { write } from "../kit/inbound.ts";
import { addAccount, addChannel, startNode, type TestNode } from "../kit/service.ts";

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

test("an event for an account with a hundred addresses is one row, and reaches them all", async () => {
  const account = await addAccount(node.db);
  const to = { account, channelId: await addChannel(node, account, { transport: "whatsapp" }) };
  const data = Array.from({ length: 100 }, (_, n) => ({ url: `${receiver.url}/${n}`, event: "message.add" }));
  const subscribed = await call(node, "POST", "/v2/webhooks", { token: account.access, body: { data } });
  expect(subscribed.status).toBe(200);
  const numbered = Array.from({ length: 20 }, (_, n) => ["79001110001", `message ${n}`] as const);
  await write(node, to, numbered);
  expect(await node.db.query("select 1 from events")).toHaveLength(20);
  expect(await waitingEvents(node.db, account.id)).toBe(20 * 100);
  const stop = await startDelivery(node);
  onTestFinished(stop);
  await expect.poll(() => waitingEvents(node.db, account.id), { timeout: 60_000 }).toBe(0);
  const perAddress = Map.groupBy(receiver.posts, ({ path }) => path);
  expect(perAddress.size).toBe(100);
  for (const posts of perAddress.values())
    expect(posts.flatMap(({ body }) => [...body.matchAll(/message \d+/g)].map(([text]) => text))).toEqual(
      numbered.map(([, text]) => text),
    );
  expect(await node.db.query("select 1 from events")).toHaveLength(20);
  expect(await node.db.query("select 1 from webhook_retries")).toHaveLength(0);
});
