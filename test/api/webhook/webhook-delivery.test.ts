import { createHmac, randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { queueDepths } from "../../../src/core/console/queue-depths.ts";
import { isTemporary } from "../../../src/database/database.ts";
import { retentionSteps } from "../../../src/work/upkeep/retention.ts";
import type { UpkeepStep } from "../../../src/work/upkeep/upkeep.ts";
import { addTrigger } from "../../kit/database.ts";
import { letDaysPass, receiversOf, waitingEvents } from "../../kit/event-log.ts";
import { type Post, type Receiver, startReceiver } from "../../kit/receiver.ts";
import { holdTimers, stopClock } from "../../kit/timers.ts";
import { call, outcome } from "../kit/call.ts";
import { startDelivery } from "../kit/delivery.ts";
import { write } from "../kit/inbound.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const DAY_MS = 86_400_000;
const ANN = "79001110001";
const BOB = "79001110002";

let node: TestNode;
let stopDelivery: () => Promise<void>;
let receiver: Receiver;
let account: TestAccount;
let channelId: string;

const deliver = () => startDelivery(node, { maxItems: 4, pauseAfterMs: 2 * DAY_MS });

beforeAll(async () => {
  node = await startNode();
  stopDelivery = await deliver();
});
beforeEach(async () => {
  account = await addAccount(node.db);
  receiver = await startReceiver();
  channelId = await addChannel(node, account, { transport: "whatsapp" });
  const body = { webhooksUri: receiver.url, subscriptions: { messagesAndStatuses: true } };
  expect((await call(node, "PATCH", "/v3/webhooks", { token: account.api, body })).status).toBe(200);
  return () => receiver.stop();
});
afterAll(async () => {
  await stopDelivery();
  await node.stop();
});

const get = async <T>(path: string): Promise<T> =>
  (await call(node, "GET", `/v3/webhooks/${path}`, { token: account.api })).json as T;
const post = (path: string, body?: object) =>
  call(node, "POST", `/v3/webhooks/${path}`, { token: account.api, ...(body === undefined ? {} : { body }) });
const say = (...messages: readonly (readonly [string, string])[]) =>
  write(node, { account, channelId }, messages);
const texts = (posts: readonly Post[]) => posts.flatMap(({ items }) => items.map(({ text }) => text));
const taken = () => receiver.taken().map(({ text }) => text);
const untilTaken = (...wanted: readonly string[]) =>
  vi.waitUntil(() => wanted.every((text) => taken().includes(text)), { interval: 10 });
/** Resolves when every claim has ended. */
const untilClaimsEnd = async () => {
  await stopDelivery();
  await node.db.query("delete from nodes");
  stopDelivery = await deliver();
};
const refuse = (text: string, status = 500) => {
  receiver.respond = (request, response) =>
    response.writeHead(texts([request]).includes(text) ? status : 200).end("no");
};

/** The receiver answers nothing until the returned function is called, and then each request with this status. */
function hold(statusOf: (post: Post) => number): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  receiver.respond = async (post, response) => {
    await promise;
    response.writeHead(statusOf(post)).end();
  };
  return resolve;
}

interface ReceiverView {
  readonly receiverId: string;
  readonly state: string;
  readonly pauseReason: string | null;
  readonly failures: number;
  readonly queued: number;
  readonly parked: number;
  readonly lastSuccessAt: string | null;
  readonly notices: readonly { readonly kind: string; readonly text: string }[];
}
const receivers = () => get<ReceiverView[]>("receivers");
async function view(): Promise<ReceiverView> {
  const [first] = await receivers();
  return get<ReceiverView>(`receivers/${first?.receiverId}`);
}
const untilState = (state: string) =>
  vi.waitUntil(async () => (await receivers())[0]?.state === state, { interval: 20 });
const notices = async () => (await view()).notices.map(({ kind }) => kind).toReversed();
/** Lets it look as if the first failure was so long ago. */
const failingFor = (ms: number) =>
  node.db.query(
    "update webhook_endpoints set failing_since = now() - $2 * interval '1 millisecond' where account_id = $1",
    [account.id, ms],
  );

interface Logged {
  readonly id: number;
  readonly deliveryId: string;
  readonly purpose: string;
  readonly result: string;
  readonly status: number | null;
  readonly failure: string | null;
  readonly items: number;
  readonly kinds: readonly string[];
  readonly channelIds: readonly string[];
}
interface Exchange extends Logged {
  readonly body: string | null;
  readonly eventIds: readonly number[];
  readonly sentHeaders: Readonly<Record<string, string>>;
  readonly receivedHeaders: Readonly<Record<string, string>> | null;
  readonly answer: string | null;
}
interface LogPage {
  readonly data: readonly Logged[];
  readonly next: string | null;
}
const log = (query = "") => get<LogPage>(`deliveries?${query}`);
const untilLogged = (condition: (logged: readonly Logged[]) => boolean) =>
  vi.waitUntil(async () => condition((await log("limit=1000")).data), { interval: 20 });

interface ReplayView {
  readonly replayId: string;
  readonly finishedAt: string | null;
  readonly total: number;
  readonly delivered: number;
  readonly failed: number;
  readonly failures: readonly { readonly status: number | null; readonly failure: string | null }[];
}
async function replay(body: object): Promise<ReplayView> {
  const answer = await post("replay", body);
  expect(answer.status).toBe(202);
  const { replayId } = answer.json as ReplayView;
  const path = `replay/${replayId}`;
  await vi.waitUntil(async () => (await get<ReplayView>(path)).finishedAt !== null);
  return get<ReplayView>(path);
}
const replays = () => receiver.posts.filter(({ headers }) => headers["webhook-replay"] === "true");

describe("a receiver that fails for long", () => {
  test("causes notices, is paused in the end, and gets everything in order when it is resumed", async () => {
    await receiver.down();
    await say([ANN, "one"]);
    await untilState("failing");
    await failingFor(0.3 * DAY_MS);
    await vi.waitUntil(async () => (await notices()).length === 1);
    await failingFor(1.2 * DAY_MS);
    await vi.waitUntil(async () => (await notices()).length === 2);
    const { notices: told } = await view();
    expect(told[1]?.text).toContain("10 % of the time");
    expect(told[0]?.text).toContain("50 % of the time");
    // An attempt that waited for this statement is counted as of its own, earlier beginning.
    await failingFor(2.1 * DAY_MS);
    await untilState("paused");
    expect(await view()).toMatchObject({ pauseReason: "failing", queued: 1 });
    expect(await notices()).toEqual(["failing", "failing", "paused"]);

    await receiver.up();
    await say([BOB, "two"], [ANN, "three"]);
    const lanes = await node.db.query(
      "select due = 'infinity' as rests, claim from webhook_cursors where account_id = $1",
      [account.id],
    );
    expect(lanes).toEqual([{ rests: true, claim: null }]);
    expect(receiver.posts).toEqual([]);
    expect((await post("resume")).json).toMatchObject({ state: "active", queued: 3 });
    await untilTaken("one", "two", "three");
    expect(taken()).toEqual(["one", "two", "three"]);
    expect(await notices()).toEqual(["failing", "failing", "paused", "resumed"]);
    expect((await view()).lastSuccessAt).not.toBeNull();
  });

  test("causes no notice for a short failure, and one for the end of a noticed failure", async () => {
    refuse("one", 503);
    await say([ANN, "one"]);
    await untilState("failing");
    receiver.respond = null;
    await untilTaken("one");
    await untilState("active");
    expect(await notices()).toEqual([]);
    refuse("two", 503);
    await say([ANN, "two"]);
    await untilState("failing");
    await failingFor(1.9 * DAY_MS);
    await vi.waitUntil(async () => (await notices()).length === 1);
    receiver.respond = null;
    await untilTaken("two");
    await untilState("active");
    expect(await notices()).toEqual(["failing", "recovered"]);
    expect((await view()).failures).toBe(0);
  });
});

describe("pause by an operator", () => {
  test("keeps everything until it is resumed", async () => {
    expect((await post("pause")).json).toMatchObject({ state: "paused", pauseReason: "asked" });
    await say([ANN, "one"], [BOB, "two"]);
    await post("pause");
    expect((await receivers())[0]).toMatchObject({ state: "paused", queued: 2 });
    expect(receiver.posts).toEqual([]);
    await post("resume");
    await untilTaken("one", "two");
    expect(await notices()).toEqual(["paused", "resumed"]);
  });

  test("nothing follows the current request", async () => {
    const letGo = hold(() => 200);
    await say([ANN, "one"]);
    await receiver.until((posts) => posts.length === 1);
    await say([ANN, "two"]);
    await post("pause");
    letGo();
    await untilLogged((logged) => logged.length === 1);
    expect((await receivers())[0]).toMatchObject({ state: "paused", queued: 1 });
    expect(texts(receiver.posts)).toEqual(["one"]);
    await post("resume");
    await untilTaken("two");
  });

  test("no item of another chat follows the current request if that is refused", async () => {
    const letGo = hold(() => 400);
    await say([ANN, "one"]);
    await receiver.until((posts) => posts.length === 1);
    await say([BOB, "two"]);
    await post("pause");
    letGo();
    await untilClaimsEnd();
    expect(texts(receiver.posts)).toEqual(["one"]);
    expect((await receivers())[0]).toMatchObject({ state: "paused", queued: 2 });
    receiver.respond = null;
    await post("resume");
    await untilTaken("one", "two");
  });

  test("a change of the address does not end it", async () => {
    await post("pause");
    await say([ANN, "one"]);
    const body = { webhooksUri: `${receiver.url}/new` };
    await call(node, "PATCH", "/v3/webhooks", { token: account.api, body });
    expect((await receivers())[0]?.state).toBe("paused");
    const [lane] = await node.db.query(
      "select due = 'infinity' as rests from webhook_cursors where account_id = $1",
      [account.id],
    );
    expect(lane).toEqual({ rests: true });
    await post("resume");
    await untilTaken("one");
    expect(receiver.posts[0]?.path).toBe("/new");
  });

  test.each(["pause", "resume", "secret", "test"])(
    "%s of an account without receivers: 404",
    async (path) => {
      account = await addAccount(node.db);
      expect(outcome(await post(path))).toBe("404 WEBHOOK_RECEIVER_NOT_FOUND");
      const other = "0197a1b2-0000-4000-8000-000000000000";
      expect(outcome(await post(`${path}?receiverId=${other}`))).toBe("404 WEBHOOK_RECEIVER_NOT_FOUND");
    },
  );
});

test("after a change of the address during a refused request, everything goes to the new address", async () => {
  const letGo = hold((post) => (texts([post]).includes("one") ? 400 : 200));
  await say([ANN, "one"]);
  await receiver.until((posts) => posts.length === 1);
  await say([BOB, "two"]);
  const body = { webhooksUri: `${receiver.url}/new` };
  expect((await call(node, "PATCH", "/v3/webhooks", { token: account.api, body })).status).toBe(200);
  letGo();
  await untilTaken("two");
  const requests = receiver.posts.slice(0, 3);
  expect(requests.map((each) => [each.path, texts([each])])).toEqual([
    ["/", ["one"]],
    ["/new", ["one"]],
    ["/new", ["two"]],
  ]);
  const [first, second] = requests.map(({ headers }) => headers["webhook-id"]);
  expect(second).toBe(first);
});

describe("an item that is refused for ever", () => {
  /** Lets it look as if its schedule was over. */
  const scheduleOver = async () => {
    for (const table of ["webhook_cursors", "webhook_retries"])
      await node.db.query(
        `update ${table} set first_failed_at = now() - interval '3 days' where account_id = $1 and first_failed_at is not null`,
        [account.id],
      );
  };
  const untilParked = () => vi.waitUntil(async () => (await view()).parked === 1, { interval: 20 });

  test("is parked also if nothing else waits, if the receiver accepts a test", async () => {
    refuse("poison", 422);
    await say([ANN, "poison"]);
    await untilState("failing");
    await scheduleOver();
    await untilParked();
    await say([ANN, "next"]);
    await untilTaken("next");
    expect(await notices()).toContain("parked");
    expect((await get<LogPage>("parked")).data).toMatchObject([
      { kind: "messages", channelId, reason: "HTTP 422", item: { text: "poison" } },
    ]);
    await untilState("active");
  });

  test("waits while the receiver refuses a test too", async () => {
    receiver.respond = (_, response) => response.writeHead(500).end();
    await say([ANN, "one"]);
    await untilState("failing");
    const test = vi.waitUntil(async () =>
      (await log("result=refused")).data.some(({ purpose }) => purpose === "test"),
    );
    receiver.takesTests = false;
    await scheduleOver();
    await test;
    expect(await view()).toMatchObject({ parked: 0, queued: 1, state: "failing" });
    receiver.respond = null;
    await untilTaken("one");
  });

  test("can be replayed, which removes it from the list; the attempt does not affect its health", async () => {
    refuse("poison");
    await say([ANN, "poison"]);
    await untilState("failing");
    await scheduleOver();
    await untilParked();
    expect(await replay({ parked: true })).toMatchObject({
      total: 1,
      delivered: 0,
      failed: 1,
      failures: [{ status: 500 }],
    });
    expect(await view()).toMatchObject({ parked: 1, state: "active", failures: 0 });
    receiver.respond = null;
    expect(await replay({ parked: true })).toMatchObject({ total: 1, delivered: 1, failed: 0 });
    expect((await view()).parked).toBe(0);
    expect(await replay({ parked: true })).toMatchObject({ total: 0 });
    const [first] = receiver.posts.filter((each) => texts([each]).includes("poison"));
    const [, last] = replays();
    expect([last?.body, last?.headers["webhook-id"]]).toEqual([first?.body, first?.headers["webhook-id"]]);
  });

  test("can be discarded, and is never sent", async () => {
    refuse("poison");
    await say([ANN, "poison"]);
    await untilState("failing");
    await scheduleOver();
    await untilParked();
    const { data } = await get<{ data: { eventId: number; receiverId: string }[] }>("parked");
    const [only] = data;
    const foreign = await addAccount(node.db);
    const ofOther = `/v3/webhooks/discard?receiverId=${only?.receiverId}`;
    const body = { eventIds: [only?.eventId, 1] };
    expect(outcome(await call(node, "POST", ofOther, { token: foreign.api, body }))).toBe(
      "404 WEBHOOK_RECEIVER_NOT_FOUND",
    );
    expect((await post("discard", body)).json).toEqual({ discarded: 1 });
    expect((await post("discard", body)).json).toEqual({ discarded: 0 });
    expect((await view()).parked).toBe(0);
    receiver.respond = null;
    expect(await replay({ parked: true })).toMatchObject({ total: 0 });
  });

  test.each([
    [{}, "400 VALIDATION_ERROR eventIds"],
    [{ eventIds: [] }, "400 VALIDATION_ERROR eventIds"],
    [{ eventIds: [2 ** 60] }, "400 VALIDATION_ERROR eventIds[0]"],
  ])("discarding %j is faulty", async (body, expected) => {
    expect(outcome(await post("discard", body))).toBe(expected);
  });
});

describe("a claim", () => {
  /** After so long without events a claim ends by itself. */
  const QUIET_MS = 3_000;
  /** The receiver's cursor that follows the log. */
  const cursor = async () => {
    const rows = await node.db.query<{ claim: string | null; version: number }>(
      "select claim, claim_version as version from webhook_cursors where account_id = $1 and id = endpoint_id",
      [account.id],
    );
    return rows[0];
  };
  /** The time of claims stands still, except that so much passes at each call. */
  const stopClaims = (): ((ms: number) => void) => {
    holdTimers(QUIET_MS);
    return stopClock(node.core.clock);
  };

  test("lasts while there is an event now and then, until the account's receivers change", async () => {
    const pass = stopClaims();
    await say([ANN, "one"]);
    await untilTaken("one");
    const first = await cursor();
    for (const text of ["two", "three"]) {
      pass(2_000);
      await say([ANN, text]);
      await untilTaken(text);
    }
    expect(await cursor()).toEqual(first);
    await post("resume");
    await vi.waitUntil(async () => (await cursor())?.claim === null);
  });

  test("ends soon after a refusal, so that requests are concurrent again", async () => {
    const pass = stopClaims();
    refuse("poison");
    await say([ANN, "poison"], [BOB, "one"]);
    await untilTaken("one");
    const refused = await cursor();
    pass(1_500);
    for (const text of ["two", "three"]) {
      await say([BOB, text]);
      await untilTaken(text);
    }
    expect((await cursor())?.version).toBeGreaterThan(refused?.version ?? 0);
    receiver.respond = null;
    await untilTaken("poison");
  });
});

describe("the log", () => {
  test("has every request and response, with secrets masked", async () => {
    const body = { crmKey: "very secret" };
    await call(node, "PATCH", "/v3/webhooks", { token: account.api, body });
    receiver.respond = (_, response) =>
      response.writeHead(200, { "x-trace": "t-1", "set-cookie": "session=1" }).end("y".repeat(5_000));
    await say([ANN, "one"]);
    await untilLogged((logged) => logged.length === 1);
    const { data } = await log();
    expect(data).toMatchObject([
      {
        purpose: "delivery",
        result: "delivered",
        status: 200,
        failure: null,
        items: 1,
        kinds: ["messages"],
        channelIds: [channelId],
        deliveryId: receiver.posts[0]?.headers["webhook-id"],
      },
    ]);
    const exchange = await get<Exchange>(`deliveries/${data[0]?.id}`);
    expect(exchange.body).toBe(receiver.posts[0]?.body);
    expect(exchange.sentHeaders).toMatchObject({
      authorization: "***",
      "content-type": "application/json; charset=utf-8",
      "webhook-signature": receiver.posts[0]?.headers["webhook-signature"],
    });
    expect(exchange.receivedHeaders).toMatchObject({ "x-trace": "t-1", "set-cookie": "***" });
    expect(exchange.answer).toBe("y".repeat(4_096));
    expect(JSON.stringify(exchange)).not.toContain("very secret");
  });

  test("can be searched and paged", async () => {
    const other = await addChannel(node, account, { transport: "whatsapp" });
    refuse("two", 400);
    await say([ANN, "one"]);
    await untilTaken("one");
    await say([ANN, "two"]);
    await untilLogged((logged) => logged.some(({ status }) => status === 400));
    const untilDelivered = (count: number) =>
      untilLogged((logged) => logged.filter(({ result }) => result === "delivered").length === count);
    receiver.respond = null;
    // What is delivered again is logged by itself: only now before what comes next.
    await untilDelivered(2);
    await write(node, { account, channelId: other }, [[BOB, "three"]]);
    await untilDelivered(3);
    const { data: all } = await log();
    const ids = async (query: string) => (await log(query)).data.map(({ id }) => id);
    const delivered = all.filter(({ result }) => result === "delivered").map(({ id }) => id);
    const message = (text: string) => receiver.taken().find((item) => item.text === text)?.messageId;

    expect(await ids("result=delivered")).toEqual(delivered);
    expect(await ids("result=refused")).toEqual(
      all.map(({ id }) => id).filter((id) => !delivered.includes(id)),
    );
    expect(await ids("result=failed")).toEqual([]);
    expect(await ids(`channelId=${other}`)).toEqual(delivered.slice(0, 1));
    expect(await ids("kind=statuses")).toEqual([]);
    expect(await ids("kind=messages&result=delivered")).toEqual(delivered);
    expect(await ids(`messageId=${message("one")}`)).toEqual(delivered.slice(2));
    expect((await ids(`messageId=${message("two")}`)).length).toBeGreaterThanOrEqual(2);
    const { eventIds } = await get<Exchange>(`deliveries/${delivered[0]}`);
    expect(await ids(`eventId=${eventIds[0]}`)).toEqual(delivered.slice(0, 1));
    expect(await ids(`from=${new Date(Date.now() + DAY_MS).toISOString()}`)).toEqual([]);
    expect(await ids(`to=${new Date(Date.now() + DAY_MS).toISOString()}`)).toHaveLength(all.length);

    const paged: number[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: LogPage = await log(`limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`);
      paged.push(...page.data.map(({ id }) => id));
      cursor = page.next;
    }
    expect(paged).toEqual(all.map(({ id }) => id));
  });

  test.each([
    ["deliveries?cursor=nonsense", "400 VALIDATION_ERROR cursor"],
    ["parked?cursor=nonsense", "400 VALIDATION_ERROR cursor"],
    ["deliveries?from=yesterday", "400 VALIDATION_ERROR from"],
    ["deliveries?from=2030-13-01", "400 VALIDATION_ERROR from"],
    ["deliveries?result=good", "400 VALIDATION_ERROR result"],
    ["deliveries?channelId=x", "400 VALIDATION_ERROR channelId"],
    ["deliveries/0", "404 WEBHOOK_DELIVERY_NOT_FOUND"],
    ["deliveries/x", "404 WEBHOOK_DELIVERY_NOT_FOUND"],
    ["replay/x", "404 WEBHOOK_REPLAY_NOT_FOUND"],
    ["receivers/x", "404 WEBHOOK_RECEIVER_NOT_FOUND"],
  ])("GET %s: %s", async (path, expected) => {
    expect(outcome(await call(node, "GET", `/v3/webhooks/${path}`, { token: account.api }))).toBe(expected);
  });

  test("another account's is not visible", async () => {
    await say([ANN, "one"]);
    await untilLogged((logged) => logged.length === 1);
    const [mine] = (await log()).data;
    const { receiverId } = await view();
    account = await addAccount(node.db);
    expect(await log()).toEqual({ data: [], next: null });
    const look = (path: string) => call(node, "GET", `/v3/webhooks/${path}`, { token: account.api });
    expect(outcome(await look(`deliveries/${mine?.id}`))).toBe("404 WEBHOOK_DELIVERY_NOT_FOUND");
    expect(outcome(await look(`receivers/${receiverId}`))).toBe("404 WEBHOOK_RECEIVER_NOT_FOUND");
    expect(outcome(await look(`secret?receiverId=${receiverId}`))).toBe("404 WEBHOOK_RECEIVER_NOT_FOUND");
    expect(await replay({ deliveryIds: [mine?.id] })).toMatchObject({ total: 0 });
  });
});

describe("replay", () => {
  /** Every post but the replays, by text. */
  const original = (text: string) =>
    receiver.posts.find(
      (each) => each.headers["webhook-replay"] === undefined && texts([each]).includes(text),
    );

  test("one: same body, same id, signed anew with today's keys, once, and marked", async () => {
    await say([ANN, "one"]);
    await untilLogged((logged) => logged.length === 1);
    const [first] = (await log()).data;
    await call(node, "PATCH", "/v3/webhooks", { token: account.api, body: { crmKey: "new key" } });
    const done = await replay({ deliveryIds: [first?.id] });
    expect(done).toMatchObject({ total: 1, delivered: 1 });
    const [again] = replays();
    expect(again?.body).toBe(original("one")?.body);
    expect(again?.headers).toMatchObject({
      "webhook-id": original("one")?.headers["webhook-id"],
      authorization: "Bearer new key",
    });
    const { data } = await log();
    expect(data.map(({ purpose }) => purpose)).toEqual(["replay", "delivery"]);
    expect((await log(`replayId=${done.replayId}`)).data).toEqual(data.slice(0, 1));
  });

  test("a failing one is attempted once, on a paused receiver too, and does not affect its health", async () => {
    await say([ANN, "one"]);
    await untilLogged((logged) => logged.length === 1);
    const [first] = (await log()).data;
    await post("pause");
    refuse("one", 500);
    expect(await replay({ deliveryIds: [first?.id] })).toMatchObject({
      delivered: 0,
      failed: 1,
      failures: [{ status: 500, failure: null }],
    });
    expect(replays()).toHaveLength(1);
    expect(await view()).toMatchObject({ state: "paused", pauseReason: "asked", failures: 0 });
  });

  test("a period: each accepted delivery, once, in order", async () => {
    refuse("three", 400);
    await say([ANN, "one"]);
    await untilLogged((logged) => logged.length === 1);
    const from = new Date().toISOString();
    await say([ANN, "two"], [BOB, "three"], [ANN, "four"]);
    await untilLogged((logged) => logged.some(({ status }) => status === 400));
    receiver.respond = null;
    await untilTaken("two", "three", "four");
    await vi.waitUntil(async () => (await view()).queued === 0);
    const { total, delivered } = await replay({ from });
    expect(delivered).toBe(total);
    const again = texts(replays());
    expect(again.toSorted()).toEqual(["four", "three", "two"]);
    expect(again.filter((text) => text !== "three")).toEqual(["two", "four"]);
    expect(await replay({ from, to: from, kind: "messages" })).toMatchObject({ total: 0 });
    expect(
      await replay({ from: "2000-01-01", channelId: "0197a1b2-0000-4000-8000-000000000000" }),
    ).toMatchObject({
      total: 0,
    });
  });

  test.each([
    ["when its node dies", "gen_random_uuid()"],
    [
      "when its node does not know that it has it",
      "(select id from nodes where lease_until > now() and 'delivery' = any(roles))",
    ],
  ])("continues where it was %s", async (_, claim) => {
    await say([ANN, "one"]);
    await untilLogged((logged) => logged.length === 1);
    const [first] = (await log()).data;
    await node.db.query(
      `with r as (insert into webhook_replays (account_id, id, claim) values ($1, gen_random_uuid(), ${claim}) returning *)
       insert into webhook_replay_items (account_id, replay_id, position, endpoint_id, delivery_id, event_ids)
       select $1, r.id, 1, a.endpoint_id, a.delivery_id, a.event_ids from r, webhook_attempts a
       where a.account_id = $1 and a.id = $2`,
      [account.id, first?.id],
    );
    await receiver.until(() => replays().length === 1);
  });

  test("deleted events and a removed receiver are reported", async () => {
    await say([ANN, "one"]);
    await untilLogged((logged) => logged.length === 1);
    const [first] = (await log()).data;
    await call(node, "PATCH", "/v3/webhooks", { token: account.api, body: { webhooksUri: "" } });
    const noAddress = await replay({ deliveryIds: [first?.id] });
    expect(noAddress.failures).toMatchObject([{ failure: "the receiver no longer has an address" }]);
    expect((await log(`replayId=${noAddress.replayId}`)).data).toEqual([]);
    await call(node, "PATCH", "/v3/webhooks", { token: account.api, body: { webhooksUri: receiver.url } });
    await node.db.query("delete from events where account_id = $1", [account.id]);
    const forgotten = await replay({ deliveryIds: [first?.id] });
    expect(forgotten.failures).toMatchObject([{ failure: "its events are deleted" }]);
    expect(await get<Exchange>(`deliveries/${first?.id}`)).toMatchObject({ body: null });
  });

  test("a deleted receiver is reported, and the deliveries to others are sent", async () => {
    const v2 = (method: "POST" | "DELETE", data: unknown) =>
      call(node, method, "/v2/webhooks", { token: account.access, body: { data } });
    const added = await v2("POST", [{ url: `${receiver.url}/v2`, event: "message.add" }]);
    await say([ANN, "one"]);
    await untilLogged((logged) => logged.length === 2);
    const { data } = await log();
    await v2(
      "DELETE",
      (added.json as { data: { id: string }[] }).data.map(({ id }) => ({ id })),
    );
    // As when more addresses without subscriptions exist than are kept.
    await node.db.query("delete from webhook_endpoints where account_id = $1 and version = 'v2'", [
      account.id,
    ]);
    expect(await replay({ deliveryIds: data.map(({ id }) => id) })).toMatchObject({
      total: 2,
      delivered: 1,
      failed: 1,
      failures: [{ status: null, failure: "the receiver no longer exists" }],
    });
  });

  test("the same Idempotency-Key causes one request", async () => {
    const headers = { "idempotency-key": "again" };
    const ask = () =>
      call(node, "POST", "/v3/webhooks/replay", { token: account.api, headers, body: { parked: true } });
    const [first, second] = [await ask(), await ask()];
    expect([second.status, second.json]).toEqual([202, first.json]);
  });

  test.each([
    [{}, "400 VALIDATION_ERROR from"],
    [{ to: "2030-01-01" }, "400 VALIDATION_ERROR from"],
    [{ eventIds: [1] }, "400 VALIDATION_ERROR eventIds"],
    [{ parked: true, kind: "messages" }, "400 VALIDATION_ERROR kind"],
    [{ parked: true, deliveryIds: [1] }, "400 VALIDATION_ERROR deliveryIds"],
    [{ deliveryIds: [1], from: "2030-01-01" }, "400 VALIDATION_ERROR from"],
    [{ deliveryIds: [] }, "400 VALIDATION_ERROR deliveryIds"],
    [{ deliveryIds: ["1"] }, "400 VALIDATION_ERROR deliveryIds[0]"],
    [{ from: "now" }, "400 VALIDATION_ERROR from"],
  ])("%j is faulty", async (body, expected) => {
    expect(outcome(await post("replay", body))).toBe(expected);
  });
});

describe("the secret", () => {
  interface Secret {
    readonly secret: string;
    readonly previousUntil: string | null;
  }
  /** Which of the secrets signed it, by HMAC as Standard Webhooks has it. */
  const signers = ({ headers, body }: Post, secrets: readonly string[]) => {
    const signatures = String(headers["webhook-signature"]).split(" ");
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
    return secrets.filter((secret) => {
      const key = Buffer.from(secret.slice("whsec_".length), "base64");
      return signatures.includes(`v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
    });
  };

  test("signs; for a while after a change both do", async () => {
    const first = await get<Secret>("secret");
    expect(first).toEqual({ secret: expect.stringMatching(/^whsec_.{44}$/), previousUntil: null });
    await say([ANN, "one"]);
    await untilTaken("one");
    const second = (await post("secret", { overlapSeconds: 3_600 })).json as Secret;
    expect(second.secret).not.toBe(first.secret);
    expect(new Date(second.previousUntil ?? 0).getTime()).toBeGreaterThan(Date.now() + 3_500_000);
    await say([ANN, "two"]);
    await untilTaken("two");
    const third = (await post("secret", { overlapSeconds: 0 })).json as Secret;
    expect(third.previousUntil).toBeNull();
    await say([ANN, "three"]);
    await untilTaken("three");
    expect(await get<Secret>("secret")).toEqual(third);
    const all = [first, second, third].map(({ secret }) => secret);
    expect(receiver.posts.map((each) => signers(each, all))).toEqual([
      [first.secret],
      [first.secret, second.secret],
      [third.secret],
    ]);
  });

  /** Holds back the answer to request number `place` until the secret is changed. Returns both. */
  async function changeDuring(
    place: number,
    { begin, meanwhile }: Record<"begin" | "meanwhile", () => Promise<unknown>>,
  ): Promise<Secret[]> {
    const { promise: arrived, resolve: hasArrived } = Promise.withResolvers<void>();
    const { promise: changed, resolve: isChanged } = Promise.withResolvers<void>();
    receiver.respond = async (_, response) => {
      if (receiver.posts.length === place) {
        hasArrived();
        await changed;
      }
      response.writeHead(200).end();
    };
    const old = await get<Secret>("secret");
    await begin();
    await arrived;
    await meanwhile();
    const current = (await post("secret", { overlapSeconds: 0 })).json as Secret;
    isChanged();
    return [old, current];
  }
  const signedBy = (secrets: readonly Secret[]) =>
    receiver.posts.map((each) =>
      signers(
        each,
        secrets.map(({ secret }) => secret),
      ),
    );

  test("a change applies to events that arrive during a request", async () => {
    const secrets = await changeDuring(1, {
      begin: () => say([ANN, "one"]),
      meanwhile: () => say([ANN, "two"]),
    });
    await untilTaken("two");
    const [old, current] = secrets;
    expect(signedBy(secrets)).toEqual([[old?.secret], [current?.secret]]);
  });

  test("a change during a slow request applies to events read before", async () => {
    await post("pause");
    await say(...Array.from({ length: 12 }, (_, index) => [ANN, `${index}`] as const));
    const clock = vi.spyOn(node.core.clock, "monotonicMs");
    onTestFinished(() => clock.mockRestore());
    // The third batch of four is read while the second is under way.
    const secrets = await changeDuring(2, {
      begin: () => post("resume"),
      meanwhile: async () => clock.mockImplementation(() => performance.now() + 1_500),
    });
    await untilTaken("11");
    const [old, current] = secrets;
    expect(signedBy(secrets)).toEqual([[old?.secret], [old?.secret], [current?.secret]]);
  });

  test("the previous one signs no longer than it may, also during a claim", async () => {
    const old = await get<Secret>("secret");
    const current = (await post("secret", { overlapSeconds: 3_600 })).json as Secret;
    await say([ANN, "one"]);
    await untilTaken("one");
    const clock = vi.spyOn(node.core.clock, "now");
    onTestFinished(() => clock.mockRestore());
    clock.mockImplementation(() => new Date(Date.now() + 3_601_000));
    await say([ANN, "two"]);
    await untilTaken("two");
    expect(signedBy([old, current])).toEqual([[old.secret, current.secret], [current.secret]]);
  });

  test.each([-1, 1.5, "60", 31 * 86_400])("overlapSeconds %j is faulty", async (overlapSeconds) => {
    expect(outcome(await post("secret", { overlapSeconds }))).toBe("400 VALIDATION_ERROR overlapSeconds");
  });
});

test("a message whose id no index accepts is refused alone, and delays no other", async () => {
  // The kit uses the text as the message's id.
  const long = randomBytes(4_000).toString("hex");
  await expect(say([ANN, "one"], [ANN, long], [ANN, "two"])).rejects.toThrow(/index row/);
  await untilTaken("one", "two");
  expect(taken()).toEqual(["one", "two"]);
});

test("a test sends an example of each kind, marked, also while the receiver is paused", async () => {
  const body = {
    subscriptions: { channelsUpdates: true, contactsAndDealsCreation: true, templateStatus: true },
  };
  await call(node, "PATCH", "/v3/webhooks", { token: account.api, body });
  await post("pause");
  refuse("Is my order ready?", 500);
  const results = (await post("test")).json as { kind: string; ok: boolean; status: number }[];
  expect(results.map(({ kind }) => kind).toSorted()).toEqual([
    "channel.qr_update",
    "channel.status_update",
    "channelsUpdates",
    "createContact",
    "createDeal",
    "messages",
    "messages_dump.status_update",
    "statuses",
    "templateStatus",
  ]);
  expect(results.filter(({ ok }) => !ok)).toMatchObject([{ kind: "messages", status: 500 }]);
  expect(receiver.posts).toHaveLength(results.length);
  for (const { headers, body: sent } of receiver.posts) {
    expect(headers["webhook-test"]).toBe("true");
    expect(headers["webhook-signature"]).toMatch(/^v1,/);
    expect(JSON.parse(sent)).toMatchObject({ test: true });
  }
  const { data } = await log("limit=100");
  expect(data.map(({ purpose }) => purpose)).toEqual(Array.from(results, () => "test"));
  expect(await view()).toMatchObject({ state: "paused", failures: 0 });
});

describe("batch size and concurrency", () => {
  const change = async (body: object) => {
    const { receiverId } = await view();
    return call(node, "PATCH", `/v3/webhooks/receivers/${receiverId}`, { token: account.api, body });
  };

  test("a receiver's own number of items", async () => {
    expect((await change({ maxItems: 2 })).json).toMatchObject({ maxItems: 2, concurrency: 1 });
    await post("pause");
    await say(...["one", "two", "three"].map((text) => [ANN, text] as const));
    await post("resume");
    await untilTaken("three");
    expect(receiver.posts.map((each) => texts([each]))).toEqual([["one", "two"], ["three"]]);
    expect((await change({ maxItems: 0 })).json).toMatchObject({ maxItems: 0 });
  });

  test("several requests at a time keep the order of each chat, also through failures", async () => {
    // The first requests share as many events: enough that not all of them fall to one.
    await change({ concurrency: 4, maxItems: 12 });
    await post("pause");
    const chats = Array.from({ length: 12 }, (_, index) => `7900222000${index}`);
    const all = [1, 2, 3].flatMap((round) => chats.map((chat) => [chat, `${chat} ${round}`] as const));
    await say(...all);
    let underWay = 0;
    let most = 0;
    let failures = 3;
    const { promise: several, resolve: thereAreSeveral } = Promise.withResolvers<void>();
    receiver.respond = async (_, response) => {
      most = Math.max(most, ++underWay);
      if (most > 1) thereAreSeveral();
      await several;
      setTimeout(() => {
        underWay--;
        response.writeHead(failures-- > 0 ? 503 : 200).end();
      }, 20);
    };
    await post("resume");
    await untilTaken(...all.map(([, text]) => text));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(4);
    for (const chat of chats) {
      const seen = [...new Set(taken().filter((text) => text?.startsWith(`${chat} `)))];
      expect(seen).toEqual([1, 2, 3].map((round) => `${chat} ${round}`));
    }
  });

  // The last digit of a chat determines its request.
  const publish = (digit: number, text: string) =>
    node.db.query(
      `insert into events (account_id, kind, channel_id, chat, subject, body, receivers)
       values ($1, 'messages', $2, $3, $4::text, json_build_object('text', $4::text)::text, ${receiversOf("'messages'")})`,
      [account.id, channelId, `00000000-0000-4000-8000-00000000000${digit}`, text],
    );

  test("if several of these requests are refused, each of their items is delivered once it is accepted", async () => {
    await change({ concurrency: 4, maxItems: 12 });
    await post("pause");
    // The request that is first in the round, for its digit, has a later event than the others.
    await publish(1, "one");
    await publish(5, "poison one");
    await publish(0, "poison zero");
    await publish(2, "two");
    receiver.respond = (request, response) =>
      response.writeHead(texts([request]).some((text) => text?.startsWith("poison")) ? 422 : 200).end();
    await post("resume");
    await untilTaken("one", "two");
    receiver.respond = null;
    await untilTaken("poison one", "poison zero");
    expect(taken().toSorted()).toEqual(["one", "poison one", "poison zero", "two"]);
  });

  test("if the acknowledgement of several requests is not stored, each is repeated unchanged", async () => {
    await change({ concurrency: 2, maxItems: 12 });
    await post("pause");
    await publish(0, "even");
    await publish(1, "odd");
    const letGo = hold(() => 200);
    await post("resume");
    await receiver.until((posts) => posts.length === 2);
    await publish(0, "even and later");
    await publish(1, "odd and later");
    const dropTrigger = await addTrigger(node.db, "before insert on webhook_attempts", {
      run: `if exists (select from webhook_attempts where account_id = new.account_id) then raise exception 'refused'; end if`,
    });
    onTestFinished(dropTrigger);
    letGo();
    await receiver.until((posts) => posts.filter((each) => texts([each]).includes("odd")).length > 1);
    await dropTrigger();
    await untilTaken("even and later", "odd and later");
    const ids = (text: string) =>
      receiver.posts
        .filter((each) => texts([each]).includes(text))
        .map(({ headers }) => headers["webhook-id"]);
    for (const text of ["even", "odd"]) expect(new Set(ids(text)).size).toBe(1);
  });

  test.each([{ concurrency: 0 }, { concurrency: 17 }, { maxItems: -1 }, { maxItems: 10_001 }])(
    "%j is faulty",
    async (body) => {
      expect(outcome(await change(body))).toBe(`400 VALIDATION_ERROR ${Object.keys(body)[0]}`);
    },
  );
});

describe("every behaviour of a receiver has a defined result", () => {
  const point = (url: string) =>
    node.db.query("update webhook_endpoints set url = $2 where account_id = $1", [account.id, url]);

  test.each([
    [
      "a name that does not exist",
      "http://no-such-host.invalid/",
      /is not the name of a public address|EAI_AGAIN/,
    ],
    [
      "no TLS where https was said",
      () => receiver.url.replace("http:", "https:"),
      /SSL|packet length|wrong version/i,
    ],
    ["a port where nobody listens", "http://127.0.0.1:1/", /^ECONNREFUSED: the connection was refused$/],
    ["an address that is not public", "http://10.0.0.1/", /not a public address/],
  ] as const)("%s: failed, and retried", async (_, url, failure) => {
    await point(typeof url === "string" ? url : url());
    await say([ANN, "one"]);
    await untilLogged((logged) => logged.length >= 2);
    const [attempt] = (await log()).data;
    expect(attempt).toMatchObject({
      result: "failed",
      status: null,
      failure: expect.stringMatching(failure),
    });
    await point(receiver.url);
    await untilTaken("one");
  });

  test.each([
    ["HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", "delivered", 200],
    ["HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", "delivered", 204],
    ["HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n", "failed", null],
    ["HTTP/1.1 301 Moved\r\nlocation: http://10.0.0.1/\r\ncontent-length: 0\r\n\r\n", "refused", 301],
    ["HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", "refused", 404],
    ["HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n", "refused", 503],
    ["rubbish\r\n\r\n", "failed", null],
    ["", "failed", null],
  ])("%j: %s", async (answer, result, status) => {
    const raw = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => (answer === "" ? socket.destroy() : socket.end(answer)));
    });
    await new Promise<void>((resolve) => raw.listen(0, "127.0.0.1", resolve));
    const address = raw.address();
    await point(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`);
    await say([ANN, "one"]);
    await untilLogged((logged) => logged.length >= 1);
    expect((await log()).data.at(-1)).toMatchObject({ result, status });
    raw.close();
  });
});

test("data older than 30 days are deleted, except events that wait or are parked", async () => {
  await say([ANN, "done"]);
  await untilLogged((logged) => logged.length === 1);
  await replay({ parked: true });
  await post("pause");
  await say([ANN, "waiting"], [BOB, "parked"]);
  await node.db.query(
    `with parked as (
       insert into webhook_retries (account_id, endpoint_id, cursor_id, state, event_id, kind, channel_id, chat, subject, body, created_at, reason, parked_at)
       select c.account_id, c.endpoint_id, c.id, 'parked', e.id, e.kind, e.channel_id, e.chat, e.subject, e.body, e.created_at, 'HTTP 500', now()
       from webhook_cursors c, events e
       where c.account_id = $1 and c.id = c.endpoint_id and e.account_id = $1 and e.body like '%parked%' returning event_id)
     update events e set receivers = '{}' from parked where e.account_id = $1 and e.id = event_id`,
    [account.id],
  );
  for (const [tableName, column] of [
    ["webhook_notices", "at"],
    ["webhook_replays", "requested_at"],
  ])
    await node.db.query(
      `update ${tableName} set ${column} = now() - interval '31 days' where account_id = $1`,
      [account.id],
    );
  await letDaysPass(node.db, 31);
  const counts = async () => {
    const names = ["webhook_attempts", "webhook_notices", "webhook_replays", "events"].map(
      (name) => `(select count(*)::int from ${name} where account_id = $1) as ${name}`,
    );
    return (await node.db.query<Record<string, number>>(`select ${names.join(", ")}`, [account.id]))[0];
  };
  expect(await counts()).toEqual({ webhook_attempts: 1, webhook_notices: 1, webhook_replays: 1, events: 3 });
  await forgetOld();
  expect(await counts()).toEqual({ webhook_attempts: 0, webhook_notices: 0, webhook_replays: 0, events: 0 });
  const parked = (await queueDepths(node.db)).find(({ queue }) => queue === "parked");
  expect(parked?.jobs).toBeGreaterThanOrEqual(1);
  expect(await view()).toMatchObject({ queued: 1, parked: 1 });
  await post("resume");
  await untilTaken("waiting");
  expect(taken()).not.toContain("parked");
  await replay({ parked: true });
  await untilTaken("parked");
});

test("events count as late while a receiver fails, but not while it is paused", async () => {
  const waiting = async () => (await queueDepths(node.db)).find(({ queue }) => queue === "webhook");
  await receiver.down();
  await say([ANN, "late"]);
  await untilState("failing");
  await node.db.query("update events set created_at = now() - interval '400 days' where account_id = $1", [
    account.id,
  ]);
  const failing = await waiting();
  expect(failing?.delay).toBeGreaterThan(399 * 86_400);
  await post("pause");
  const paused = await waiting();
  expect(paused?.jobs).toBe((failing?.jobs ?? 0) - 1);
  expect(paused?.delay).toBeLessThan(399 * 86_400);
});

test("events that expired while a receiver was paused are kept for it, however many, and delivered in order", async () => {
  const path = `/v3/webhooks/receivers/${(await view()).receiverId}`;
  await call(node, "PATCH", path, { token: account.api, body: { maxItems: 1_000 } });
  await post("pause");
  await node.db.query(
    `insert into events (account_id, kind, channel_id, chat, subject, body, receivers)
     select $1, 'messages', $2, md5((n % 20)::text)::uuid, n::text, json_build_object('text', 'old ' || n)::text, ${receiversOf("'messages'")}
     from generate_series(1, 12000) n`,
    [account.id, channelId],
  );
  await letDaysPass(node.db, 31);
  await say([ANN, "new"]);
  await forgetOld();
  const left = async (rows: string) =>
    (await node.db.query(`select 1 from ${rows} and account_id = $1`, [account.id])).length;
  expect([await left("webhook_retries where true"), await left("events where subject = '1'")]).toEqual([
    12_000, 0,
  ]);
  // Of each source only the first thousand are counted.
  expect(await view()).toMatchObject({ state: "paused", queued: 1_001 });
  await post("resume");
  await untilTaken("new");
  const expected = Array.from({ length: 12_000 }, (_, index) => `old ${index + 1}`);
  expect(taken()).toEqual([...expected, "new"]);
});

/**
 * What the upkeep deletes because of its age, until nothing is left to do. A step that did not get its lock within 200 ms is
 * repeated, for which the upkeep waits ten minutes.
 */
async function forgetOld(): Promise<void> {
  let steps = retentionSteps(node.db, { eventRetentionDays: 30, auditRetentionDays: 365 });
  const hasMore = async ({ run }: UpkeepStep): Promise<boolean> => {
    try {
      return (await run(AbortSignal.abort())).hasMore;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      return true;
    }
  };
  await vi.waitUntil(async () => {
    const unfinished: UpkeepStep[] = [];
    for (const step of steps) if (await hasMore(step)) unfinished.push(step);
    steps = unfinished;
    return steps.length === 0;
  });
}

test("100,000 events that wait for a dead receiver delay no other", async () => {
  const dead = account;
  await receiver.down();
  await say([ANN, "first"]);
  await untilState("failing");
  await node.db.query(
    `insert into events (account_id, kind, channel_id, chat, subject, body, receivers)
     select $1, 'messages', $2, md5((n % 1000)::text)::uuid, n::text, '{"text":"dead"}', ${receiversOf("'messages'")} from generate_series(1, 100000) n`,
    [dead.id, channelId],
  );
  await node.db.query("update webhook_cursors set due = now() where account_id = $1", [dead.id]);

  account = await addAccount(node.db);
  const lively = await startReceiver();
  const body = { webhooksUri: lively.url, subscriptions: { messagesAndStatuses: true } };
  await call(node, "PATCH", "/v3/webhooks", { token: account.api, body });
  channelId = await addChannel(node, account, { transport: "whatsapp" });
  for (let n = 0; n < 20; n++) {
    await say([BOB, `lively ${n}`]);
    await lively.until((posts) => texts(posts).includes(`lively ${n}`));
  }
  await lively.stop();
  expect(await waitingEvents(node.db, dead.id)).toBe(100_001);
});
