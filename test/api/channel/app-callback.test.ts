import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { lockLogs } from "../../../src/core/event/log.ts";
import { callbackSecretOf } from "../../../src/core/inbound/link.ts";
import type { Report } from "../../../src/core/message/report.ts";
import { sendMessage } from "../../../src/core/message/send.ts";
import type { TransportEvent } from "../../../src/core/transport/events.ts";
import { monotonicMs } from "../../../src/platform/clock.ts";
import { newId } from "../../../src/platform/ids.ts";
import { createFinishQueue, type Finish } from "../../../src/work/send/sender-finish.ts";
import { addTrigger, holdTx } from "../../kit/database.ts";
import { call, outcome } from "../kit/call.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const KINDS = ["messages", "statuses", "channelsUpdates", "channel.waba_tier_update", "templateStatus"];
const MEGABYTE = 1024 * 1024;
const AT = "2030-01-02T03:04:05.000Z";

let node: TestNode;
let account: TestAccount;

/** While set, no budget is refilled, however slow the machine is. */
let stoppedAt: number | null = null;
function stopRefilling(): void {
  stoppedAt = monotonicMs();
  onTestFinished(() => {
    stoppedAt = null;
  });
}

beforeAll(async () => {
  node = await startNode({ callbackClock: () => stoppedAt ?? monotonicMs() });
  account = await addAccount(node.db);
  await listen(account);
});
afterAll(() => node.stop());

function listen(owner: TestAccount): Promise<unknown> {
  return node.db.query(
    "insert into webhook_endpoints (account_id, id, version, url, kinds, secret) values ($1, $2, 'v3', '', $3, $4)",
    [owner.id, newId(), KINDS, randomBytes(32)],
  );
}

/** A channel that the messenger calls `number`, of a business. */
async function number(name: string, business = newId(), owner = account, status = "active"): Promise<string> {
  const credentials = { key: `good:${name}@${business}` };
  const id = await addChannel(node, owner, { transport: "wapi", businessId: business, credentials, status });
  await node.db.query("update channels set messenger_id = $2 where id = $1", [id, name]);
  return id;
}

function secret(): string {
  const transport = node.core.transports.get("wapi");
  if (transport === undefined) throw new Error("no transport");
  return callbackSecretOf(node.core, transport, "");
}

const report = (calls: unknown[], key = secret()) =>
  call(node, "POST", "/in/wapi", { body: calls, headers: { "x-secret": key } });

const message = (text: string, more: object = {}) => ({
  kind: "message",
  message: {
    chatType: "whatsapp",
    chatId: "10000",
    externalId: text,
    direction: "in",
    sentAt: AT,
    contact: { name: "Ann" },
    body: { type: "text", text },
    ...more,
  },
});

/** Webhooks about a channel: texts, statuses with error codes, tiers, templates. */
async function told(channelId: string): Promise<string[]> {
  const query = "select kind, body from events where channel_id = $1 order by id";
  const rows = await node.db.query<{ kind: string; body: string }>(query, [channelId]);
  return rows.map(({ kind, body }) => {
    const { text, status, error, tier } = JSON.parse(body) as Record<string, unknown>;
    const code = (error as { error?: string } | undefined)?.error;
    return [kind, text ?? tier ?? status, code].filter(Boolean).join(" ");
  });
}

async function statusTimes(channelId: string): Promise<string[]> {
  const query = "select body from events where channel_id = $1 and kind = 'statuses' order by id";
  const rows = await node.db.query<{ body: string }>(query, [channelId]);
  return rows.map(({ body }) => (JSON.parse(body) as { timestamp: string }).timestamp);
}

describe("one address for all channels", () => {
  test("a call reaches the channels that it names, and no other", async () => {
    const [a, b, c] = [await number("n1"), await number("n2"), await number("n3")];
    const answer = await report([
      { to: "n1", event: message("one") },
      { to: "n2", event: message("two") },
      { to: "unknown", event: message("three") },
    ]);
    expect([answer.status, answer.text]).toEqual([200, "n1,n2"]);
    expect([await told(a), await told(b), await told(c)]).toEqual([["messages one"], ["messages two"], []]);
  });

  test("an event of a business reaches its channels", async () => {
    const [a, b, c] = [await number("m1", "biz"), await number("m2", "biz"), await number("m3", "other")];
    await report([{ business: "biz", event: { kind: "tier", tier: "TIER_2K" } }]);
    const change = ["channelsUpdates TIER_2K", "channel.waba_tier_update TIER_2K"];
    expect([await told(a), await told(b), await told(c)]).toEqual([change, change, []]);
  });

  test("the live channel of a number gets the events, not an earlier one", async () => {
    const stranger = await addAccount(node.db);
    await listen(stranger);
    const before = await number("s1", "x", account, "disabled");
    const now = await number("s1", "x", stranger);
    await report([{ to: "s1", event: message("secret") }]);
    expect([await told(before), await told(now)]).toEqual([[], ["messages secret"]]);
  });

  test("each of many calls at the same time reaches its own channels", async () => {
    const former = await number("q1", "former", account, "disabled");
    const current = await number("q1", "current");
    const others = await Promise.all(Array.from({ length: 20 }, (_, n) => number(`r${n}`)));
    const tier = (business: string) => ({ business, event: { kind: "tier", tier: "TIER_2K" } });
    const asked = [
      [{ to: "q1", event: message("hello") }],
      [tier("former")],
      [{ to: "unknown\0", event: message("nobody") }, tier("unknown")],
      ...others.map((_, n) => [{ to: `r${n}`, event: message(`to r${n}`) }]),
    ];
    const answers = await Promise.all([...asked, ...asked].map((calls) => report(calls)));
    const texts = ["q1", "q1", "", ...others.map((_, n) => `r${n}`)];
    expect(answers.map(({ text }) => text)).toEqual([...texts, ...texts]);
    const change = ["channelsUpdates TIER_2K", "channel.waba_tier_update TIER_2K"];
    expect([await told(former), await told(current)]).toEqual([change, ["messages hello"]]);
    for (const [n, id] of others.entries()) expect(await told(id)).toEqual([`messages to r${n}`]);
  });

  test("a deleted channel gets no events", async () => {
    const id = await number("d1");
    await call(node, "DELETE", `/v2/channels/${id}`, { token: account.access });
    expect((await report([{ to: "d1", event: message("late") }])).text).toBe("");
  });

  test.each<[string, () => ReturnType<typeof call>, string]>([
    ["somebody else", () => report([], "wrong"), "401"],
    ["a transport that has no such address", () => call(node, "POST", "/in/telegram"), "404 NOT_FOUND"],
    ["no transport", () => call(node, "POST", "/in/x"), "404 NOT_FOUND"],
  ])("%s", async (_name, ask, expected) => {
    expect(outcome(await ask())).toBe(expected);
  });
});

describe("budgets of callbacks", () => {
  const reported = (channelId: string, owner: TestAccount, count: number): Promise<unknown>[] =>
    Array.from({ length: count }, (_, n) => {
      const event = message(`${channelId} ${n}`, { sentAt: new Date(AT) }) as unknown as TransportEvent;
      return node.core.reports.add({ accountId: owner.id, channelId, event: event as Report["event"] });
    });

  test("thirty thousand messages of one tenant do not delay another's", async () => {
    const [flooder, bystander] = [await addAccount(node.db), await addAccount(node.db)];
    const [many, few] = [await number("f1", "f", flooder), await number("f2", "g", bystander)];
    const other = await number("f3", "f", flooder);
    let stored = 0;
    const flood = reported(many, flooder, 30_000).map((each) => each.then(() => stored++));
    await Promise.all(reported(few, bystander, 1));
    // One transaction was under way, the next one holds it.
    expect(stored).toBeLessThanOrEqual(2 * 256);
    await Promise.all(reported(other, flooder, 1));
    expect(stored).toBeLessThanOrEqual(5 * 256);
    await Promise.all(flood);
    expect(stored).toBe(30_000);
  });

  test("a hanging transaction of one tenant delays no other's reports", async () => {
    const [flooder, bystander] = [await addAccount(node.db), await addAccount(node.db)];
    const [many, few] = [
      await number("still1", "still1", flooder),
      await number("still2", "still2", bystander),
    ];
    await listen(flooder);
    const flood = await holdTx(node.db, async (tx) => {
      await lockLogs(tx, [flooder.id]);
      const waiting = reported(many, flooder, 300);
      for (let n = 0; n < 5; n++) await Promise.all(reported(few, bystander, 1));
      // Reports of a chat keep their order: no second transaction of the account began.
      expect(node.core.reports.waitingOf({ accountId: flooder.id, channelId: many }).account).toBe(300 - 256);
      return waiting;
    });
    await Promise.all(flood);
  });

  test("nor does it delay the outcomes of another's sends", async () => {
    const [flooder, bystander] = [await addAccount(node.db), await addAccount(node.db)];
    await listen(flooder);
    const outcomesOf = async (owner: TestAccount, name: string, count: number): Promise<Finish[]> => {
      const channelId = await number(name, name, owner);
      for (let n = 0; n < count; n++) {
        const recipient = { chatType: "whatsapp", chatId: "10000" };
        await sendMessage(node.core, { accountId: owner.id }, { channelId, recipient, text: "x" }, null);
      }
      const jobs = await node.db.query<{ id: number; chat: string; message_id: string }>(
        "select id, chat, message_id from send_jobs where account_id = $1 order by id",
        [owner.id],
      );
      const result = { kind: "failed", error: { code: "SPAM", description: "No" } } as const;
      return jobs.map(({ id: jobId, chat, message_id: messageId }) => ({
        kind: "outcome",
        outcome: { accountId: owner.id, channelId, chat, messageId, jobId, result },
      }));
    };
    const [many, few] = [await outcomesOf(flooder, "end1", 20), await outcomesOf(bystander, "end2", 1)];
    const finishes = createFinishQueue(node.core);
    const flood = await holdTx(node.db, async (tx) => {
      await lockLogs(tx, [flooder.id]);
      const waiting = many.map((each) => finishes.add(each));
      await Promise.all(few.map((each) => finishes.add(each)));
      return waiting;
    });
    await Promise.all(flood);
    expect(many).toHaveLength(20);
  });

  test("an account with a long backlog gets a delay, and no other does", async () => {
    const owner = await addAccount(node.db);
    const id = await addChannel(node, owner, { transport: "telegram", credentials: { telegram_token: "t" } });
    const other = await addAccount(node.db);
    const next = await addChannel(node, other, {
      transport: "telegram",
      credentials: { telegram_token: "t" },
    });
    const post = (to: string) =>
      call(node, "POST", `/in/telegram/${to}`, { body: {}, headers: { "x-secret": "t" } });
    const flood = reported(id, owner, 20_000);
    const refused = await post(id);
    expect(outcome(refused)).toBe("429 TOO_MANY_REQUESTS");
    expect(refused.headers["retry-after"]).toBe("5");
    expect((await post(next)).status).toBe(200);
    await Promise.all(flood);
    expect((await post(id)).status).toBe(200);
  });

  test("a channel that has used up its bytes has to wait, other channels of the account do not", async () => {
    stopRefilling();
    const owner = await addAccount(node.db);
    const credentials = { telegram_token: "t" };
    const [id = "", next = ""] = await Promise.all(
      [1, 2].map(() => addChannel(node, owner, { transport: "telegram", credentials })),
    );
    const post = (to: string, body = "") =>
      call(node, "POST", `/in/telegram/${to}`, { body: { body }, headers: { "x-secret": "t" } });
    node.core.callbackBudgets.spend({ kind: "channel", id }, { bytes: 60 * MEGABYTE });
    const statuses: number[] = [];
    while (!statuses.includes(429) && statuses.length < 100)
      statuses.push((await post(id, "x".repeat(2 * MEGABYTE))).status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    const other = await addChannel(node, owner, { transport: "telegram", credentials });
    node.core.callbackBudgets.spend({ kind: "channel", id: other }, { bytes: 128 * MEGABYTE });
    expect([(await post(other)).status, (await call(node, "GET", `/in/telegram/${next}`)).status]).toEqual([
      429, 401,
    ]);
  });

  test("an address whose large calls are refused may send only small ones", async () => {
    stopRefilling();
    const post = (address: string, length: number) =>
      call(node, "POST", "/in/wapi", {
        body: ["x".repeat(length)],
        headers: { "x-secret": "wrong", "x-forwarded-for": address },
      });
    const megabytes = 3 * MEGABYTE;
    node.core.callbackBudgets.spend({ kind: "caller", id: "198.41.0.4" }, { bytes: 12 * MEGABYTE });
    const statuses: number[] = [];
    while (!statuses.includes(429) && statuses.length < 100)
      statuses.push((await post("198.41.0.4", megabytes)).status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect((await post("198.41.0.4", 10_000)).status).toBe(401);
    expect((await post("198.41.0.5", megabytes)).status).toBe(401);
    expect((await post("10.0.0.1", megabytes)).status).toBe(401);
  });

  test("refused calls are charged to private addresses, too", async () => {
    stopRefilling();
    const own = await addAccount(node.db);
    const id = await addChannel(node, own, { transport: "telegram", credentials: { telegram_token: "t" } });
    const post = async (caller: string, given: string) => {
      const headers = { "x-secret": given, "x-forwarded-for": caller };
      const body = ["x".repeat(3 * MEGABYTE)];
      return (await call(node, "POST", `/in/telegram/${id}`, { body, headers })).status;
    };
    const statuses: number[] = [];
    while (!statuses.includes(429) && statuses.length < 100) statuses.push(await post("10.0.0.2", "wrong"));
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect([await post("10.0.0.3", "wrong"), await post("10.0.0.4", "t")]).toEqual([401, 200]);
  });
});

test("a block that has ended", async () => {
  const id = await number("blk");
  const link = (state: object) => report([{ to: "blk", event: { kind: "link", state } }]);
  await link({ status: "disabled", reason: "blocked" });
  const status = async () =>
    (await node.db.query("select status, reason from channels where id = $1", [id]))[0];
  expect(await status()).toEqual({ status: "disabled", reason: "blocked" });
  await link({ status: "active", profile: { messengerId: "blk", businessId: "b", name: "Shop" } });
  expect(await status()).toEqual({ status: "active", reason: null });
});

test("a state that was queried before a newer event arrived", async () => {
  const id = await number("crs");
  const link = (state: object, askedAt?: number) =>
    report([{ to: "crs", event: { kind: "link", state, askedAt } }]);
  await link({ status: "disabled", reason: "rejected" });
  const active = { status: "active", profile: { messengerId: "crs", businessId: "b", name: "Shop" } };
  expect((await link(active, monotonicMs() - 10_000)).status).toBe(200);
  const status = async () =>
    (await node.db.query("select status, reason from channels where id = $1", [id]))[0];
  expect(await status()).toEqual({ status: "disabled", reason: "rejected" });
  await link(active, monotonicMs());
  expect(await status()).toEqual({ status: "active", reason: null });
});

test("a state reported while the channel moves to another node is requested again", async () => {
  const id = await number("mv");
  const state = { status: "disabled", reason: "blocked" };
  const calls = [
    { to: "mv", event: message("moves it") },
    { to: "mv", event: { kind: "link", state } },
  ];
  const dropTrigger = await addTrigger(node.db, "after insert on messages", {
    when: "new.text = 'moves it'",
    run: "update channels set epoch = epoch + 1 where id = new.channel_id",
  });
  onTestFinished(dropTrigger);
  expect((await report(calls)).status).toBe(500);
  expect((await report(calls)).status).toBe(200);
  const [row] = await node.db.query("select status, reason from channels where id = $1", [id]);
  expect(row).toEqual(state);
});

test("a changed tier is published", async () => {
  const id = await number("t1");
  const tier = (name: string) => report([{ to: "t1", event: { kind: "tier", tier: name } }]);
  await tier("TIER_250");
  await tier("TIER_250");
  await tier("TIER_10K");
  expect(await told(id)).toEqual([
    "channelsUpdates TIER_250",
    "channel.waba_tier_update TIER_250",
    "channelsUpdates TIER_10K",
    "channel.waba_tier_update TIER_10K",
  ]);
  const answer = await call(node, "GET", `/v2/channels/${id}`, { token: account.access });
  expect(answer.json).toMatchObject({ data: [{ tier: "TIER_10K" }] });
});

describe("reports about our messages", () => {
  let to = "";
  let channelId = "";
  /** A message that waits to be sent, or has been. */
  async function sent(externalId: string | null): Promise<string> {
    to = `r${newId()}`;
    channelId = await number(to);
    const recipient = { chatType: "whatsapp", chatId: "10000" };
    const { messageId } = await sendMessage(
      node.core,
      { accountId: account.id },
      { channelId, recipient, text: "x" },
      null,
    );
    if (externalId !== null)
      await node.db.query("update messages set status = 'sent', external_id = $2 where id = $1", [
        messageId,
        externalId,
      ]);
    return messageId;
  }
  const ref = (messageId?: string, chatId = "10000") => ({
    chatType: "whatsapp",
    chatId,
    externalId: "w1",
    messageId,
  });
  const receipt = (status: string, about: object) => ({
    to,
    event: { kind: "receipt", ref: about, status, at: AT },
  });
  const failure = (about: object, code = "SPAM") => ({
    to,
    event: { kind: "failed", ref: about, error: { code, description: "No" }, at: AT },
  });
  const stored = async (id: string) =>
    (await node.db.query("select status, external_id from messages where id = $1", [id]))[0];

  test("receipts by the messenger's id", async () => {
    const id = await sent("w1");
    await report([receipt("read", ref()), receipt("delivered", ref())]);
    expect(await told(channelId)).toEqual(["statuses read"]);
    expect(await stored(id)).toEqual({ status: "read", external_id: "w1" });
  });

  test("receipts before the response to the send", async () => {
    const id = await sent(null);
    await report([receipt("sent", ref(id)), receipt("delivered", ref(id)), receipt("read", ref())]);
    expect(await told(channelId)).toEqual(["statuses sent", "statuses delivered", "statuses read"]);
    expect(await stored(id)).toEqual({ status: "read", external_id: "w1" });
  });

  test("`sent` is published even if a later status arrives first", async () => {
    const id = await sent(null);
    await report([receipt("delivered", ref(id)), receipt("sent", ref(id)), receipt("read", ref())]);
    expect(await told(channelId)).toEqual(["statuses sent", "statuses delivered", "statuses read"]);
    await sent(null).then((other) => report([receipt("read", ref(other))]));
    expect(await told(channelId)).toEqual(["statuses sent", "statuses read"]);
  });

  test("times of statuses are when we learned of them, and never decrease", async () => {
    const before = Date.now();
    const id = await sent(null);
    const at = (status: string, time: string) => ({
      to,
      event: { kind: "receipt", ref: ref(id), status, at: time },
    });
    await report([at("sent", "2040-01-01T00:00:00Z"), at("delivered", "2020-01-01T00:00:00Z")]);
    // Another node's clock is ahead.
    const ahead = new Date(Date.now() + 3_600_000);
    await node.db.query("update messages set status_at = $2 where id = $1", [id, ahead]);
    await report([at("read", "2020-01-01T00:00:00Z")]);
    const times = (await statusTimes(channelId)).map((time) => Date.parse(time));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(before);
    expect(times[1]).toBeLessThanOrEqual(Date.now());
    expect(times[2]).toBe(ahead.getTime());
  });

  test("receipts that name the chat by another id", async () => {
    const id = await sent("w1");
    await report([receipt("delivered", ref(id, "5541")), receipt("read", ref(undefined, "5541"))]);
    expect(await told(channelId)).toEqual(["statuses delivered"]);
  });

  test("a failure after the send", async () => {
    const id = await sent("w1");
    await report([failure(ref(), "24_HOURS_EXCEEDED"), failure(ref()), receipt("delivered", ref(id))]);
    expect(await told(channelId)).toEqual(["statuses error 24_HOURS_EXCEEDED"]);
    expect(await stored(id)).toEqual({ status: "error", external_id: "w1" });
  });

  test("no failure of a delivered message", async () => {
    const id = await sent("w1");
    await report([receipt("delivered", ref(id)), failure(ref(id))]);
    expect(await told(channelId)).toEqual(["statuses delivered"]);
  });

  test("not for another channel's message", async () => {
    const id = await sent(null);
    const other = channelId;
    await sent(null);
    await report([receipt("delivered", ref(id)), failure(ref(id))]);
    expect(await told(other)).toEqual([]);
    expect(await stored(id)).toEqual({ status: "queued", external_id: null });
  });
});

test("activity of a person is recorded in a known chat, under either id, and never decreases", async () => {
  const id = await number("h1");
  const activity = (more: object) =>
    report([{ to: "h1", event: { kind: "activity", chatType: "whatsapp", chatId: "4917", ...more } }]);
  const last = async () =>
    (
      await node.db.query<{ at: Date }>("select last_inbound_at as at from chats where channel_id = $1", [id])
    ).map(({ at }) => at.toISOString());
  expect((await activity({ at: "2030-01-05T00:00:00.000Z" })).status).toBe(200);
  expect(await last()).toEqual([]);
  await report([{ to: "h1", event: message("a", { chatId: "US.1" }) }]);
  await activity({ at: "2030-01-05T00:00:00.000Z" });
  expect(await last()).toEqual([AT]);
  await activity({ formerChatId: "US.1", at: "2030-01-05T00:00:00.000Z" });
  await activity({ formerChatId: "US.1", at: "2030-01-04T00:00:00.000Z" });
  expect(await last()).toEqual(["2030-01-05T00:00:00.000Z"]);
  expect(await told(id)).toEqual(["messages a"]);
});

describe("a person whose id changes", () => {
  const chats = async (id: string) =>
    (
      await node.db.query<{ chat_id: string }>(
        "select chat_id from chats where channel_id = $1 order by chat_id",
        [id],
      )
    ).map(({ chat_id }) => chat_id);

  test("keeps the chat", async () => {
    const id = await number("p1");
    await report([{ to: "p1", event: message("a", { chatId: "US.1" }) }]);
    await report([{ to: "p1", event: message("b", { chatId: "4917", formerChatId: "US.1" }) }]);
    await report([{ to: "p1", event: message("c", { chatId: "US.1" }) }]);
    expect(await chats(id)).toEqual(["4917"]);
    expect(await told(id)).toEqual(["messages a", "messages b", "messages c"]);
  });

  test("a person already known by the new id has two chats", async () => {
    const id = await number("p2");
    await report([{ to: "p2", event: message("a", { chatId: "US.1" }) }]);
    await report([{ to: "p2", event: message("b", { chatId: "4917" }) }]);
    await report([{ to: "p2", event: message("c", { chatId: "4917", formerChatId: "US.1" }) }]);
    expect(await chats(id)).toEqual(["4917", "US.1"]);
  });

  test("a new person has one chat", async () => {
    const id = await number("p3");
    await report([{ to: "p3", event: message("a", { chatId: "4917", formerChatId: "US.1" }) }]);
    expect(await chats(id)).toEqual(["4917"]);
  });
});

test("a call of which another cell refuses its copy is not acknowledged", async () => {
  const answers = [401, 404, 429, 200];
  const copies: string[] = [];
  const other = createServer((request, response) => {
    copies.push(request.url ?? "");
    request.resume().on("end", () => response.writeHead(answers.shift() ?? 500).end());
  });
  await once(other.listen(0, "127.0.0.1"), "listening");
  const moved = await addAccount(node.db);
  onTestFinished(async () => {
    other.close();
    await node.db.query("delete from account_moves where account_id = $1", [moved.id]);
    await node.db.query("delete from moved_addresses where account_id = $1", [moved.id]);
    node.core.signals.notify("moves");
  });
  await node.db.query(
    "insert into account_moves (account_id, side, move_id, state, address) values ($1, 'source', $2, 'left', $3)",
    [moved.id, newId(), `http://127.0.0.1:${(other.address() as AddressInfo).port}`],
  );
  await node.db.query(
    "insert into moved_addresses (kind, key, account_id) values ('transport', 'wapi', $1)",
    [moved.id],
  );
  node.core.signals.notify("moves");
  await expect.poll(async () => (await node.core.moves.cellsOf("wapi")).size).toBe(1);
  for (const _ of [401, 404, 429]) expect(outcome(await report([]))).toBe("503 UNAVAILABLE");
  expect((await report([])).status).toBe(200);
  expect(copies).toEqual(["/in/wapi", "/in/wapi", "/in/wapi", "/in/wapi"]);
});
