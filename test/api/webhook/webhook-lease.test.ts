import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createGuardedDispatcher } from "../../../src/platform/network/safe-fetch.ts";
import { Dispatcher } from "../../../src/work/delivery/dispatcher.ts";
import { Replayer } from "../../../src/work/delivery/replayer.ts";
import type { Lease } from "../../../src/work/lease.ts";
import { type Receiver, startReceiver } from "../../kit/receiver.ts";
import { call } from "../kit/call.ts";
import { leaseForAnHour, startDelivery } from "../kit/delivery.ts";
import { write } from "../kit/inbound.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

/** A node whose lease ends while it works on a receiver: another node may have the queue, so nothing may follow. */

let node: TestNode;
let receiver: Receiver;
let account: TestAccount;
let channelId: string;
let isValid = true;
let lease: Lease;
let dispatcher: ReturnType<typeof createGuardedDispatcher>;

beforeEach(async () => {
  node = await startNode();
  receiver = await startReceiver();
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "whatsapp" });
  const body = { webhooksUri: receiver.url, subscriptions: { messagesAndStatuses: true } };
  await call(node, "PATCH", "/v3/webhooks", { token: account.api, body });
  isValid = true;
  lease = { ...(await leaseForAnHour(node.db)), isValid: () => isValid };
  dispatcher = createGuardedDispatcher({ allowNetworks: ["127.0.0.0/8"] });
});
afterEach(async () => {
  await dispatcher.destroy();
  await receiver.stop();
  await node.stop();
});

const tell = (text: string): Promise<void> => write(node, { account, channelId }, [["79001110001", text]]);

/** Nobody reads this table until it resolves with what lets them. */
async function locked(table: string): Promise<() => Promise<void>> {
  const isLocked = Promise.withResolvers<void>();
  const mayGo = Promise.withResolvers<void>();
  const holding = node.db.tx(async (tx) => {
    await tx.query(`lock table ${table} in access exclusive mode`);
    isLocked.resolve();
    await mayGo.promise;
  });
  await isLocked.promise;
  return async () => {
    mayGo.resolve();
    await holding;
  };
}

async function untilOneWaits(): Promise<void> {
  await vi.waitUntil(async () => {
    const waiting = await node.db.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return waiting.length > 0;
  });
}

test("a receiver that refuses its last item is not tested", async () => {
  let tests = 0;
  receiver.respond = (_, response) => {
    isValid = false;
    response.writeHead(500).end();
  };
  Object.defineProperty(receiver, "takesTests", { get: () => ++tests > 0 });
  await tell("refused");
  const delivery = new Dispatcher({
    core: node.core,
    lease: () => lease,
    dispatcher,
    schedule: { delaysMs: [30], lifetimeMs: 0 },
    timeoutMs: 20_000,
    maxItems: 500,
    maxBytes: 1_000_000,
    pauseAfterMs: 86_400_000,
  });
  delivery.start();
  await receiver.until((posts) => posts.length > 0);
  await delivery.stop();
  expect(tests).toBe(0);
});

test("a replay whose events are read late is not posted", async () => {
  const stop = await startDelivery(node);
  await tell("told");
  await receiver.until((posts) => posts.length > 0);
  await vi.waitUntil(async () => (await node.db.query("select 1 from webhook_attempts")).length > 0);
  await stop();
  const body = { from: "2000-01-01" };
  expect((await call(node, "POST", "/v3/webhooks/replay", { token: account.api, body })).status).toBe(202);
  const releaseEvents = await locked("events");
  const replayer = new Replayer({ core: node.core, lease: () => lease, dispatcher, timeoutMs: 20_000 });
  replayer.start();
  await untilOneWaits();
  isValid = false;
  await releaseEvents();
  await replayer.stop();
  expect(receiver.posts.filter(({ headers }) => headers["webhook-replay"] === "true")).toEqual([]);
});
