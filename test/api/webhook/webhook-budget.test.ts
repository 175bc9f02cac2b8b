import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { Core } from "../../../src/core/core.ts";
import { receiversOf, waitingEvents } from "../../kit/event-log.ts";
import { type Receiver, startReceiver } from "../../kit/receiver.ts";
import { call } from "../kit/call.ts";
import { startDelivery } from "../kit/delivery.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

/** What a node reads for receivers whose owners set the largest allowed numbers. */

const MAX_BYTES = 100_000;

let node: TestNode;
let receiver: Receiver;
let account: TestAccount;
let channelId: string;
let stop: () => Promise<void>;
/** Of each read with events: how many there were, and the length of their bodies in characters. */
const reads: { events: number; size: number }[] = [];

/** Reads of this account wait for `end`. */
let held: { readonly accountId: number; readonly end: Promise<void> } | undefined;
/** Reads of this account fail, at these times in ms. */
let failing: { readonly accountId: number; readonly at: number[] } | undefined;
let underWay = 0;
let most = 0;

beforeAll(async () => {
  node = await startNode();
  receiver = await startReceiver();
  stop = await startDelivery(
    { ...node, core: watched(node.core) },
    { maxBytes: MAX_BYTES, timeoutMs: 60_000 },
  );
});
afterAll(async () => {
  await stop();
  await receiver.stop();
  await node.stop();
});
beforeEach(async () => {
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "whatsapp" });
  const body = { webhooksUri: receiver.url, subscriptions: { messagesAndStatuses: true } };
  await call(node, "PATCH", "/v3/webhooks", { token: account.api, body });
  const { json } = await call(node, "GET", "/v3/webhooks/receivers", { token: account.api });
  const [{ receiverId } = { receiverId: "" }] = json as { receiverId: string }[];
  const largest = { maxItems: 10_000, concurrency: 16 };
  const { status } = await call(node, "PATCH", `/v3/webhooks/receivers/${receiverId}`, {
    token: account.api,
    body: largest,
  });
  expect(status).toBe(200);
  reads.length = 0;
});

function watched(core: Core): Core {
  const query: Core["db"]["query"] = async (statement, values) => {
    const isHeld = isRead(statement) && held !== undefined && values?.[1] === held.accountId;
    if (isHeld) {
      most = Math.max(most, ++underWay);
      await held?.end;
      underWay--;
    }
    if (isRead(statement) && failing !== undefined && values?.[1] === failing.accountId) {
      failing.at.push(performance.now());
      throw new Error("cannot be read");
    }
    const rows = await core.db.query(statement, values);
    for (const row of rows as { bodies?: string | null; ids?: number[] }[])
      if (typeof row.bodies === "string")
        reads.push({ events: row.ids?.length ?? 0, size: row.bodies.length });
    return rows as never;
  };
  return { ...core, db: { ...core.db, query } };
}

function isRead(statement: Parameters<Core["db"]["query"]>[0]): boolean {
  return typeof statement !== "string" && statement.name.startsWith("webhook_cursor_read");
}

/** Events of twenty chats. */
async function publish(events: number, size: number, kind = "messages"): Promise<void> {
  await node.db.query(
    `insert into events (account_id, kind, channel_id, chat, subject, body, receivers)
     select $1, $5, $2, md5((n % 20)::text)::uuid, n::text,
            json_build_object('messageId', n::text, 'chatId', (n % 20)::text, 'text', repeat('x', $4))::text, ${receiversOf("$5")}
     from generate_series(1, $3::int) n`,
    [account.id, channelId, events, size, kind],
  );
}

test.each([
  ["large", 400, 50_000],
  ["small", 40_000, 10],
])("%s events for such a receiver are read in pieces and delivered in order", async (_, events, size) => {
  const before = receiver.taken().length;
  await publish(events, size);
  await vi.waitUntil(() => receiver.taken().length === before + events, { timeout: 60_000 });
  const perChat = Map.groupBy(receiver.taken().slice(before), ({ chatId }) => chatId);
  for (const items of perChat.values()) {
    const numbers = items.map(({ messageId }) => Number(messageId));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  }
  expect(Math.max(...reads.map((read) => read.size))).toBeLessThan(16 * MAX_BYTES + size + 1_000);
  expect(Math.max(...reads.map((read) => read.events))).toBeLessThanOrEqual(10_000);
  // Each read brings what the next requests take, besides what slower ones still have. Reading all that waits, or up to
  // the limit, for each of the 25 requests would be six times the events and more.
  expect(reads.reduce((sum, read) => sum + read.events, 0)).toBeLessThan(4 * events);
});

test("the receivers of an account read one at a time, another account's at once", async () => {
  const crowd = account;
  const count = 40;
  const before = receiver.taken().length;
  const data = Array.from({ length: count }, (_, n) => ({
    url: `${receiver.url}/${n}`,
    event: "message.add",
  }));
  const { status } = await call(node, "POST", "/v2/webhooks", { token: crowd.access, body: { data } });
  expect(status).toBe(200);
  const { promise: end, resolve: release } = Promise.withResolvers<void>();
  held = { accountId: crowd.id, end };
  onTestFinished(() => release());
  await publish(1, 10, "message.add");
  await vi.waitUntil(() => underWay >= 1, { timeout: 60_000 });
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "whatsapp" });
  const body = { webhooksUri: receiver.url, subscriptions: { messagesAndStatuses: true } };
  await call(node, "PATCH", "/v3/webhooks", { token: account.api, body });
  await publish(5, 10);
  await vi.waitUntil(() => receiver.taken().length >= before + 5, { timeout: 60_000 });
  expect(most).toBe(1);
  release();
  await vi.waitUntil(async () => (await waitingEvents(node.db, crowd.id)) === 0, { timeout: 60_000 });
  expect(most).toBe(1);
});

test("all receivers of an account together read little ahead, however many they are", async () => {
  const count = 40;
  const data = Array.from({ length: count }, (_, n) => ({
    url: `${receiver.url}/${n}`,
    event: "message.add",
  }));
  await call(node, "POST", "/v2/webhooks", { token: account.access, body: { data } });
  const { json } = await call(node, "GET", "/v3/webhooks/receivers", { token: account.api });
  const receivers = json as { receiverId: string }[];
  for (const { receiverId } of receivers) {
    const path = `/v3/webhooks/receivers/${receiverId}`;
    await call(node, "PATCH", path, { token: account.api, body: { maxItems: 10_000, concurrency: 16 } });
  }
  // What has been read stays in memory while no request is answered.
  const hanging: ServerResponse[] = [];
  const answer = (): void => {
    for (const response of hanging.splice(0)) response.writeHead(200).end();
  };
  const paths = new Set<string>();
  receiver.respond = ({ path }, response) => {
    paths.add(path);
    hanging.push(response);
  };
  onTestFinished(() => {
    receiver.respond = null;
    answer();
  });
  const untilAllAsked = () => vi.waitUntil(() => paths.size === count, { timeout: 60_000 });
  // Each has its share only once all are at work.
  await publish(1, 10, "message.add");
  await untilAllAsked();
  await publish(100, 20_000, "message.add");
  reads.length = 0;
  paths.clear();
  answer();
  await untilAllAsked();
  const size = reads.reduce((sum, read) => sum + read.size, 0);
  // What is in the requests under way is read besides. Without the share it would be all that waits: 80 MB.
  expect(size).toBeGreaterThan(count * 20_000);
  expect(size).toBeLessThan(24_000_000);
});

test("a receiver whose queue cannot be read is tried again every half second, and goes on by itself", async () => {
  const before = receiver.taken().length;
  const at: number[] = [];
  failing = { accountId: account.id, at };
  onTestFinished(() => {
    failing = undefined;
  });
  await publish(1, 10);
  await vi.waitUntil(() => at.length >= 4, { timeout: 60_000 });
  const [first = 0, , , fourth = 0] = at;
  expect(fourth - first).toBeGreaterThan(3 * 490);
  failing = undefined;
  await vi.waitUntil(() => receiver.taken().length === before + 1, { timeout: 60_000 });
});
