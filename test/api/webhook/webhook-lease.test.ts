import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { reclaimCursors } from "../../../src/core/delivery/cursor/cursors.ts";
import { findDueWork } from "../../../src/core/node/due-work.ts";
import { createGuardedDispatcher } from "../../../src/platform/network/safe-fetch.ts";
import { Dispatcher } from "../../../src/work/delivery/dispatcher.ts";
import { Replayer } from "../../../src/work/delivery/replayer.ts";
import { createSinkPoster } from "../../../src/work/delivery/sink-poster.ts";
import type { Lease } from "../../../src/work/lease.ts";
import { holdTx } from "../../kit/database.ts";
import { type Receiver, startReceiver } from "../../kit/receiver.ts";
import { call } from "../kit/call.ts";
import { leaseForAnHour, startDelivery } from "../kit/delivery.ts";
import { write } from "../kit/inbound.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

/** A node whose lease ends while it works on a receiver: another node may have the queue, so nothing may follow. */

const DAY_MS = 86_400_000;

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

const untilLogged = (status: number) =>
  vi.waitUntil(
    async () =>
      (await node.db.query("select 1 from webhook_attempts where status = $1", [status])).length > 0,
  );

/** Nobody reads this table until it resolves with what lets them. */
async function locked(table: string): Promise<() => Promise<void>> {
  const isLocked = Promise.withResolvers<void>();
  const mayGo = Promise.withResolvers<void>();
  const holding = holdTx(node.db, async (tx) => {
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

/** `statement`: a pattern as of `like`. */
async function untilOneWaits(statement = "%"): Promise<void> {
  await vi.waitUntil(async () => {
    const waiting = await node.db.query(
      `select 1 from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
      [statement],
    );
    return waiting.length > 0;
  });
}

const nameOf = (statement: unknown): unknown => (statement as { readonly name?: string }).name;

/** A node that delivers under this lease. */
function deliveryUnder(of: Lease, more: { readonly maxItems?: number; readonly lifetimeMs?: number } = {}) {
  const { maxItems = 500, lifetimeMs = DAY_MS } = more;
  const delivery = new Dispatcher({
    core: node.core,
    sink: createSinkPoster(node.core, { broker: null }),
    lease: () => of,
    dispatcher,
    schedule: { delaysMs: [30], lifetimeMs },
    timeoutMs: 20_000,
    maxItems,
    maxBytes: 1_000_000,
    pauseAfterMs: DAY_MS,
  });
  delivery.start();
  onTestFinished(() => delivery.stop());
  return delivery;
}

test("a batch that was read ahead is not posted", async () => {
  const mayAnswer = Promise.withResolvers<void>();
  receiver.respond = async (_, response) => {
    await mayAnswer.promise;
    response.writeHead(200).end();
  };
  await tell("one");
  await tell("two");
  // The receiver is checked before each batch whose events were read a while ago.
  const clock = vi.spyOn(node.core.clock, "monotonicMs");
  const query = vi.spyOn(node.core.db, "query");
  onTestFinished(() => [clock, query].forEach((spy) => void spy.mockRestore()));
  const delivery = deliveryUnder(lease, { maxItems: 1 });
  await receiver.until((posts) => posts.length > 0);
  await vi.waitUntil(() => query.mock.calls.some(([text]) => nameOf(text) === "webhook_cursor_read"));
  await Promise.all(query.mock.results.map(({ value }) => value));
  clock.mockImplementation(() => performance.now() + 1_500);
  const release = await locked("webhook_endpoints");
  mayAnswer.resolve();
  await untilOneWaits("select xmin::text as version%");
  isValid = false;
  await release();
  await delivery.stop();
  expect(receiver.posts).toHaveLength(1);
});

test("a claim goes on while other work is due", async () => {
  const answers: (() => void)[] = [];
  receiver.respond = (_, response) => answers.push(() => response.writeHead(200).end());
  await tell("one");
  await tell("two");
  const versions = () => node.db.query("select claim_version from webhook_cursors where claim is not null");
  deliveryUnder(lease, { maxItems: 1 });
  await vi.waitUntil(() => answers.length === 1);
  const first = await versions();
  node.core.signals.wake("webhooks");
  answers[0]?.();
  await vi.waitUntil(() => answers.length === 2);
  expect(await versions()).toEqual(first);
  answers[1]?.();
});

/** No worker polls by itself: only notifications, and what is found to be due, start work. */
function watched(): void {
  node.core.signals.setWatched(true);
  onTestFinished(() => node.core.signals.setWatched(false));
}

test("a node that stops leaves its receivers to the others at once", async () => {
  const mayAnswer = Promise.withResolvers<void>();
  receiver.respond = async (_, response) => {
    await mayAnswer.promise;
    response.writeHead(200).end();
  };
  await tell("one");
  await tell("two");
  const delivery = deliveryUnder(lease, { maxItems: 1 });
  await receiver.until((posts) => posts.length > 0);
  watched();
  const query = vi.spyOn(node.core.db, "query");
  onTestFinished(() => query.mockRestore());
  deliveryUnder(await leaseForAnHour(node.db), { maxItems: 1 });
  await vi.waitUntil(() => query.mock.calls.some(([text]) => nameOf(text) === "webhook_cursors_claim"));
  await Promise.all(query.mock.results.map(({ value }) => value));
  const stopped = delivery.stop();
  mayAnswer.resolve();
  await stopped;
  await receiver.until((posts) => posts.length === 2);
});

test("a claim that failed is repeated without another notification", async () => {
  const { db } = node.core;
  const execute = db.query.bind(db);
  let failures = 0;
  const query = vi.spyOn(db, "query").mockImplementation((statement, ...rest) => {
    if (nameOf(statement) !== "webhook_cursors_claim" || failures++ > 0) return execute(statement, ...rest);
    return Promise.reject(new Error("The connection was lost"));
  });
  onTestFinished(() => query.mockRestore());
  watched();
  await tell("one");
  deliveryUnder(lease);
  await receiver.until((posts) => posts.length === 1);
  expect(failures).toBeGreaterThan(1);
});

test("a poll is in vain while the node works on all receivers that it claimed, and none is due", async () => {
  const mayAnswer = Promise.withResolvers<void>();
  receiver.respond = async (_, response) => {
    await mayAnswer.promise;
    response.writeHead(200).end();
  };
  const delivery = deliveryUnder(lease);
  const isInVain = async () => delivery.isPollInVain(await findDueWork(node.db, lease.nodeId));
  await tell("one");
  await receiver.until((posts) => posts.length > 0);
  expect(await isInVain()).toBe(true);
  const other = await addAccount(node.db);
  const body = { webhooksUri: receiver.url, subscriptions: { messagesAndStatuses: true } };
  await call(node, "PATCH", "/v3/webhooks", { token: other.api, body });
  expect(await isInVain()).toBe(true);
  // The response to this claim was lost. The node finds such claims every two seconds, but none that is not committed.
  const found = await node.db.tx(async (tx) => {
    await tx.query("update webhook_cursors set claim = $2 where account_id = $1", [other.id, lease.nodeId]);
    return findDueWork(tx, lease.nodeId);
  });
  expect(delivery.isPollInVain(found)).toBe(false);
  mayAnswer.resolve();
});

test("a request that fails after another node has delivered does not count as the receiver's failure", async () => {
  const mayAnswer = Promise.withResolvers<void>();
  receiver.respond = async (_, response) => {
    await mayAnswer.promise;
    response.writeHead(503).end();
  };
  const delivery = deliveryUnder(lease);
  await tell("one");
  await receiver.until((posts) => posts.length > 0);
  isValid = false;
  await node.db.query("update nodes set lease_until = now() where id = $1", [lease.nodeId]);
  expect(await reclaimCursors(node.db)).toBe(1);
  receiver.respond = null;
  const other = deliveryUnder(await leaseForAnHour(node.db));
  await untilLogged(200);
  mayAnswer.resolve();
  await untilLogged(503);
  await Promise.all([delivery.stop(), other.stop()]);
  const rows = await node.db.query("select failing_since, failures from webhook_endpoints");
  expect(rows).toEqual([{ failing_since: null, failures: 0 }]);
});

test("a receiver that refuses its last item is not tested", async () => {
  let tests = 0;
  receiver.respond = (_, response) => {
    isValid = false;
    response.writeHead(500).end();
  };
  Object.defineProperty(receiver, "takesTests", { get: () => ++tests > 0 });
  await tell("refused");
  const delivery = deliveryUnder(lease, { lifetimeMs: 0 });
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
  const sink = createSinkPoster(node.core, { broker: null });
  const replayer = new Replayer({ core: node.core, sink, lease: () => lease, dispatcher, timeoutMs: 20_000 });
  replayer.start();
  await untilOneWaits();
  isValid = false;
  await releaseEvents();
  await replayer.stop();
  expect(receiver.posts.filter(({ headers }) => headers["webhook-replay"] === "true")).toEqual([]);
});
