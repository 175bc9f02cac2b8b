import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { queueDepths } from "../../../src/core/console/queue-depths.ts";
import { type Post, type Receiver, startReceiver } from "../../kit/receiver.ts";
import { call } from "../kit/call.ts";
import { startDelivery } from "../kit/delivery.ts";
import { arrive } from "../kit/inbound.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const MINUTE_MS = 60_000;
/** Rests end only by a statement of the test. */
const DELAYS_MS = [1, 2, 4, 8, 16, 32].map((minutes) => minutes * MINUTE_MS);
const MAX_ITEMS = 4;
const MAX_BYTES = 4_000;
const ANN = "79001110001";
const BOB = "79001110002";

let node: TestNode;
let stopDelivery: () => Promise<void>;
let receiver: Receiver;
let account: TestAccount;
let channelId: string;
let receiverId: string;

beforeAll(async () => {
  node = await startNode();
  const schedule = { delaysMs: DELAYS_MS, lifetimeMs: 4_320 * MINUTE_MS };
  stopDelivery = await startDelivery(node, { schedule, maxItems: MAX_ITEMS, maxBytes: MAX_BYTES });
});
beforeEach(async () => {
  account = await addAccount(node.db);
  receiver = await startReceiver();
  channelId = await addChannel(node, account, { transport: "whatsapp" });
  const body = { webhooksUri: receiver.url, subscriptions: { messagesAndStatuses: true } };
  await call(node, "PATCH", "/v3/webhooks", { token: account.api, body });
  const { json } = await call(node, "GET", "/v3/webhooks/receivers", { token: account.api });
  receiverId = (json as { receiverId: string }[])[0]?.receiverId ?? "";
  return () => receiver.stop();
});
afterAll(async () => {
  await stopDelivery();
  await node.stop();
});

const post = (path: string) => call(node, "POST", `/v3/webhooks/${path}`, { token: account.api });
let messages = 0;
async function say(chatId: string, text: string): Promise<void> {
  await arrive(
    node,
    { account, channelId },
    {
      chatType: "whatsapp",
      chatId,
      externalId: `m${++messages}`,
      contact: { name: "Customer" },
      body: { type: "text", text },
    },
  );
}
/** All of them wait when the delivery begins. */
async function sayTogether(...all: readonly (readonly [chatId: string, text: string])[]): Promise<void> {
  await post("pause");
  for (const [chatId, text] of all) await say(chatId, text);
  await post("resume");
}
const textsOf = ({ items }: Post) => items.map(({ text = "" }) => text);
const taken = () => receiver.taken().map(({ text }) => text);
const untilTaken = (text: string) => vi.waitUntil(() => taken().includes(text), { interval: 10 });
const isPoison = (text: string) => text.startsWith("poison");
const refusePoison = () => {
  receiver.respond = (request, response) =>
    response.writeHead(textsOf(request).some(isPoison) ? 422 : 200).end();
};

describe("a refused item does not delay other chats", () => {
  test("if it is larger than a request", async () => {
    refusePoison();
    await sayTogether([ANN, `poison ${"x".repeat(MAX_BYTES)}`], [ANN, "after"], [BOB, "other"]);
    await untilTaken("other");
    expect(taken()).toEqual(["other"]);
  });

  test("if the receiver takes one item at a time", async () => {
    const path = `/v3/webhooks/receivers/${receiverId}`;
    await call(node, "PATCH", path, { token: account.api, body: { maxItems: 1 } });
    refusePoison();
    await sayTogether([ANN, "poison"], [ANN, "after"], [BOB, "other"]);
    await untilTaken("other");
    expect(taken()).toEqual(["other"]);
  });

  test("if many items of its own chat come before theirs", async () => {
    refusePoison();
    const after = Array.from({ length: 2 * MAX_ITEMS }, (_, index) => [ANN, `after ${index}`] as const);
    await sayTogether([ANN, "poison"], ...after, [BOB, "other 1"], [BOB, "other 2"]);
    await untilTaken("other 2");
    expect(taken()).toEqual(["other 1", "other 2"]);
  });
});

test("the item that tests the receiver is not one of a chat that waits because of an earlier refused item", async () => {
  refusePoison();
  await sayTogether([ANN, "poison"], [BOB, "other 1"]);
  await untilTaken("other 1");
  await vi.waitUntil(async () => (await separateChats()) === 1);
  // Ann's chat waits. Her next message arrives while Bob's item is being refused.
  receiver.respond = async (request, response) => {
    if (textsOf(request).includes("poison of Bob")) await say(ANN, "after");
    response.writeHead(textsOf(request).some(isPoison) ? 422 : 200).end();
  };
  await say(BOB, "poison of Bob");
  await vi.waitUntil(async () => (await mainCursor()).attempts === 1);
  expect(taken()).toEqual(["other 1"]);
});

test("a retry without a response does not delay those of other chats", async () => {
  refusePoison();
  for (const [chatId, name] of [
    [ANN, "Ann"],
    [BOB, "Bob"],
  ] as const) {
    await sayTogether([chatId, `poison of ${name}`], ["79001110003", `beside ${name}`]);
    await untilTaken(`beside ${name}`);
  }
  await vi.waitUntil(async () => (await separateChats()) === 2);
  const held = Promise.withResolvers<void>();
  receiver.respond = async (request, response) => {
    if (textsOf(request).includes("poison of Ann")) await held.promise;
    response.writeHead(200).end();
  };
  await retryNow(ANN);
  await vi.waitUntil(
    () => receiver.posts.filter((each) => textsOf(each).includes("poison of Ann")).length > 1,
  );
  await retryNow(BOB);
  await untilTaken("poison of Bob");
  expect(taken()).not.toContain("poison of Ann");
  held.resolve();
  await untilTaken("poison of Ann");
});

test("a refused item counts as late", async () => {
  refusePoison();
  await sayTogether([ANN, "poison"], [BOB, "other"]);
  await vi.waitUntil(async () => (await separateChats()) === 1);
  await node.db.query(
    "update webhook_retries set created_at = now() - interval '400 days' where endpoint_id = $1",
    [receiverId],
  );
  const waiting = (await queueDepths(node.db)).find(({ queue }) => queue === "webhook");
  expect(waiting?.delay).toBeGreaterThan(399 * 86_400);
});

describe("while a chat waits because of a refused item, and gets more items", () => {
  beforeEach(async () => {
    refusePoison();
    await sayTogether([ANN, "poison"], [BOB, "other"]);
    await untilTaken("other");
    await vi.waitUntil(async () => (await separateChats()) === 1 && (await mainCursor()).claim === null);
  });

  test("a batch of other chats is repeated unchanged if its node dies, whatever is published meanwhile", async () => {
    const held = Promise.withResolvers<void>();
    receiver.respond = async (request, response) => {
      if (idsOf("one").length === 1) await held.promise;
      response.writeHead(textsOf(request).some(isPoison) ? 422 : 200).end();
    };
    await sayTogether([ANN, "after"], [BOB, "one"]);
    await receiver.until(() => idsOf("one").length === 1);
    await say(BOB, "two");
    // As if its node had died: the claim ends, and another one begins.
    await node.db.query("update webhook_cursors set claim = null, due = now() where id = $1", [receiverId]);
    await untilTaken("two");
    held.resolve();
    expect(new Set(idsOf("one")).size).toBe(1);
    expect(idsOf("one")).toHaveLength(2);
  });

  test("the rests of a failing receiver become longer", async () => {
    receiver.respond = (_, response) => response.writeHead(503).end();
    await say(BOB, "one");
    const rests: number[] = [];
    for (const failures of DELAYS_MS.keys()) {
      await vi.waitUntil(async () => receiver.posts.filter(hasOne).length === failures + 1 && isResting());
      rests.push((await mainCursor()).rest_ms);
      await say(ANN, `after ${failures}`);
      await node.db.query("update webhook_cursors set due = now() where id = $1", [receiverId]);
    }
    // Each planned delay is twice the one before; the real one differs by at most 20 %.
    expect(rests).toEqual(rests.toSorted((a, b) => a - b));
    expect(rests.at(-1)).toBeGreaterThan(10 * (rests[0] ?? 0));
  });
});

const hasOne = (post: Post): boolean => textsOf(post).includes("one");
const idsOf = (text: string) =>
  receiver.posts.filter((each) => textsOf(each).includes(text)).map(({ headers }) => headers["webhook-id"]);

/** The refused item of the chat is due; its receiver's retries are claimed, if they are not yet. */
async function retryNow(chatId: string): Promise<void> {
  await node.db.query(
    `update webhook_retries r set due = now() from chats c
     where r.endpoint_id = $1 and r.state = 'refused' and c.id = r.chat and c.chat_id = $2`,
    [receiverId, chatId],
  );
  await node.db.query(
    "update webhook_cursors set due = now() where endpoint_id = $1 and lane = 'retries' and claim is null",
    [receiverId],
  );
}

async function isResting(): Promise<boolean> {
  const { claim, rest_ms } = await mainCursor();
  return claim === null && rest_ms > 0;
}

async function separateChats(): Promise<number> {
  const rows = await node.db.query(
    "select 1 from webhook_retries where endpoint_id = $1 and state = 'refused'",
    [receiverId],
  );
  return rows.length;
}

interface MainCursor {
  readonly attempts: number;
  readonly claim: string | null;
  readonly rest_ms: number;
}
async function mainCursor(): Promise<MainCursor> {
  const [row] = await node.db.query<MainCursor>(
    `select attempts, claim, (extract(epoch from due - now()) * 1000)::float8 as rest_ms
     from webhook_cursors where id = $1`,
    [receiverId],
  );
  if (row === undefined) throw new Error("the receiver has no cursor");
  return row;
}
