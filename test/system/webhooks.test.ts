import { createHmac } from "node:crypto";
import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { webhookSecretContext } from "../../src/core/delivery/request/request.ts";
import { createSeal } from "../../src/platform/seal.ts";
import { parseSecretKey } from "../../src/platform/secret-key.ts";
import { type Item, type Post, type Receiver, startReceiver } from "../kit/receiver.ts";
import type { Account, ServiceProcess } from "../kit/service.ts";
import { type Channel, must, type Stand, startStand } from "../kit/stand.ts";

/** Longer than a machine may stop: what is posted again although it was answered is another case. */
const TIMEOUT_S = 8;
const PAUSE_MS = 100;
/** For thousands of messages, or several timeouts. Ends a test that hangs; not a performance limit. */
const LONG = { timeout: 150_000, interval: 100 };
const SETTINGS = { WEBHOOK_SCHEDULE: `${PAUSE_MS}ms`, WEBHOOK_TIMEOUT_SECONDS: String(TIMEOUT_S) };

let stand: Stand;
let service: ServiceProcess;
const receivers: Receiver[] = [];

beforeAll(async () => {
  stand = await startStand({ settings: SETTINGS });
  service = await stand.start();
});
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.stop();
});
afterAll(() => stand.stop());

/** An account with a channel of four people, and its own receiver. */
interface Tenant {
  readonly account: Account;
  readonly receiver: Receiver;
  readonly channel: Channel;
  /** The people's chats. */
  readonly chats: readonly [string, string, string, string];
}

async function addTenant(): Promise<Tenant> {
  const [account, receiver] = await Promise.all([stand.addAccount(), startReceiver()]);
  receivers.push(receiver);
  const channel = await stand.addChannel(4, { account, receiver });
  // Excludes the people's first messages.
  await receiver.until(() => receiver.taken().length >= 4);
  const [a = "", b = "", c = "", d = ""] = channel.people;
  return { account, receiver, channel, chats: [a, b, c, d] };
}

/** Each person writes, in this order; resolves when all messages are on their way to the receiver. */
async function write(
  { channel, account }: Tenant,
  messages: readonly (readonly [string, string])[],
): Promise<void> {
  const before = await eventsOf(account);
  for (const [chat, text] of messages) await channel.bot.write(chat, text);
  await vi.waitUntil(async () => (await eventsOf(account)) >= before + messages.length);
}

async function eventsOf({ accountId }: Account): Promise<number> {
  const [row] = await stand.db.query<{ events: number }>(
    "select count(*)::int as events from events where account_id = $1",
    [accountId],
  );
  return row?.events ?? 0;
}

const texts = (items: readonly Item[]): string[] =>
  items.flatMap(({ text }) => (text === undefined ? [] : [text]));
const has = (post: Post, text: string): boolean => texts(post.items).includes(text);

/** Texts that the receiver accepted, from the given ones on. */
function taken({ receiver }: Tenant, of: readonly string[]): string[] {
  return texts(receiver.taken()).filter((text) => of.includes(text));
}

async function untilTaken(tenant: Tenant, wanted: readonly string[]): Promise<void> {
  await tenant.receiver.until(
    () => wanted.every((text) => taken(tenant, wanted).includes(text)),
    LONG.timeout,
  );
}

/** Accepts all requests except those with this text, which get another response. */
function refuse(text: string, answer: (response: ServerResponse) => unknown) {
  return (post: Post, response: ServerResponse) =>
    has(post, text) ? answer(response) : response.writeHead(200).end();
}

interface Attempt {
  readonly status: number | null;
  readonly failure: string | null;
}

async function attemptsOf({ account }: Tenant): Promise<Attempt[]> {
  return stand.db.query<Attempt>(
    "select status, failure from webhook_attempts where account_id = $1 order by id",
    [account.accountId],
  );
}

test("a receiver that was unavailable gets everything in order when it is back", async () => {
  const tenant = await addTenant();
  const [ann, bob] = tenant.chats;
  await tenant.receiver.down();
  await write(tenant, [
    [ann, "a1"],
    [bob, "b1"],
    [ann, "a2"],
  ]);
  await vi.waitUntil(
    async () => (await attemptsOf(tenant)).filter(({ status }) => status === null).length >= 2,
  );
  await write(tenant, [
    [ann, "a3"],
    [bob, "b2"],
  ]);
  await tenant.receiver.up();
  const [ofAnn, ofBob] = [
    ["a1", "a2", "a3"],
    ["b1", "b2"],
  ];
  await untilTaken(tenant, [...ofAnn, ...ofBob]);
  expect(taken(tenant, ofAnn)).toEqual(ofAnn);
  expect(taken(tenant, ofBob)).toEqual(ofBob);
});

test("5,000 items reach a receiver of 100 ms per request in few requests, in order", async () => {
  const tenant = await addTenant();
  const count = 5_000;
  tenant.receiver.respond = (_post, response) => setTimeout(() => response.writeHead(200).end(), 100);
  const before = tenant.receiver.posts.length;
  const events = await eventsOf(tenant.account);
  const { account } = tenant;
  await must(stand.call("POST", "/v3/webhooks/pause", undefined, { account }));
  await stand.telegram.admin("POST /load", { bot_id: tenant.channel.bot.id, users: 20, count });
  await vi.waitUntil(async () => (await eventsOf(account)) === events + count, LONG);
  await must(stand.call("POST", "/v3/webhooks/resume", undefined, { account }));
  const loaded = () => tenant.receiver.taken().filter(({ text }) => text?.startsWith("load "));
  await tenant.receiver.until(
    () => new Set(loaded().map(({ messageId }) => messageId)).size === count,
    LONG.timeout,
  );
  expect(tenant.receiver.posts.length - before).toBeLessThanOrEqual(50);
  for (const items of Map.groupBy(loaded(), ({ chatId }) => chatId).values()) {
    const numbers = [...new Set(items.map(({ text = "" }) => Number(text.split(" ").at(-1))))];
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(numbers).toHaveLength(count / 20);
  }
});

test("an item that is always refused delays only its own chat, and is finally parked", async () => {
  const tenant = await addTenant();
  const [ann, bob, cid] = tenant.chats;
  tenant.receiver.respond = refuse("poison", (response) => response.writeHead(500).end("no"));
  await write(tenant, [
    [ann, "a1"],
    [bob, "poison"],
    [cid, "c1"],
    [bob, "b2"],
    [ann, "a2"],
  ]);
  await untilTaken(tenant, ["a1", "c1", "a2"]);
  await write(tenant, [
    [bob, "b3"],
    [ann, "a3"],
  ]);
  await untilTaken(tenant, ["a3"]);
  expect(taken(tenant, ["a1", "a2", "a3"])).toEqual(["a1", "a2", "a3"]);
  expect(taken(tenant, ["poison", "b2", "b3"])).toEqual([]);

  // Three days later.
  const { accountId } = tenant.account;
  await stand.db.query(
    "update webhook_retries set first_failed_at = now() - interval '3 days' where account_id = $1 and state = 'refused'",
    [accountId],
  );
  await untilTaken(tenant, ["b2", "b3"]);
  expect(taken(tenant, ["poison", "b2", "b3"])).toEqual(["b2", "b3"]);
  const parked = await stand.db.query(
    "select reason, body::json ->> 'text' as text from webhook_retries where account_id = $1 and state = 'parked'",
    [accountId],
  );
  expect(parked).toEqual([{ reason: "HTTP 500", text: "poison" }]);
});

test("a slow receiver: the item that it refuses is also found", async () => {
  const tenant = await addTenant();
  const [ann, bob, cid, dan] = tenant.chats;
  // Longer than a node's claim of the cursor.
  const refusal = refuse("poison", (response) => response.writeHead(500).end());
  tenant.receiver.respond = (post, response) => setTimeout(() => refusal(post, response), 1_100);
  await tenant.receiver.down();
  await write(tenant, [
    [ann, "a1"],
    [bob, "poison"],
    [cid, "c1"],
    [dan, "d1"],
  ]);
  await tenant.receiver.up();
  await untilTaken(tenant, ["a1", "c1", "d1"]);
});

test("Retry-After is honoured", async () => {
  const tenant = await addTenant();
  let refusals = 0;
  tenant.receiver.respond = (_post, response) =>
    refusals++ === 0 ? response.writeHead(503, { "retry-after": "2" }).end() : response.writeHead(200).end();
  await write(tenant, [[tenant.chats[0], "later"]]);
  await untilTaken(tenant, ["later"]);
  const [first, second] = tenant.receiver.posts.filter((post) => has(post, "later"));
  expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(1_950);
});

test("a redirect is a response like any other and is not followed", async () => {
  const tenant = await addTenant();
  let redirects = 0;
  tenant.receiver.respond = (post, response) =>
    post.path !== "/elsewhere" && redirects++ < 2
      ? response.writeHead(307, { location: `${tenant.receiver.url}/elsewhere` }).end()
      : response.writeHead(200).end();
  await write(tenant, [[tenant.chats[0], "here"]]);
  await untilTaken(tenant, ["here"]);
  expect(tenant.receiver.posts.map(({ path }) => path)).not.toContain("/elsewhere");
  expect((await attemptsOf(tenant)).map(({ status }) => status)).toContain(307);
});

test.each<[string, (response: ServerResponse) => void]>([
  ["is huge", (response) => void response.writeHead(200).end(Buffer.alloc(64 * 1024 * 1024, "x"))],
  ["drips for ever", (response) => drip(response.writeHead(200))],
  [
    "breaks off",
    (response) =>
      void response.writeHead(200, { "content-length": "1000" }).write("x", () => response.destroy()),
  ],
])("a response of 200 counts although its body %s", async (_, answer) => {
  const tenant = await addTenant();
  tenant.receiver.respond = refuse("odd", answer);
  await write(tenant, [[tenant.chats[0], "odd"]]);
  await tenant.receiver.until((posts) => posts.some((post) => has(post, "odd")));
  tenant.receiver.respond = null;
  await write(tenant, [[tenant.chats[0], "next"]]);
  await untilTaken(tenant, ["next"]);
  expect(tenant.receiver.posts.filter((post) => has(post, "odd"))).toHaveLength(1);
});

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write("."), 100);
  response.once("close", () => clearInterval(timer));
}

test.each<[string, (response: ServerResponse) => void]>([
  ["resets the connection", (response) => void response.socket?.resetAndDestroy()],
  ["never answers", () => undefined],
  ["drips a header for ever", (response) => dripHeader(response)],
])("a receiver that %s is retried, with the same bytes under the same id", async (_, answer) => {
  const tenant = await addTenant();
  let failures = 0;
  tenant.receiver.respond = (_post, response) => {
    if (failures++ < 2) answer(response);
    else response.writeHead(200).end();
  };
  await write(tenant, [[tenant.chats[0], "again"]]);
  await write(tenant, [[tenant.chats[1], "meanwhile"]]);
  await untilTaken(tenant, ["again", "meanwhile"]);
  const [first, second] = tenant.receiver.posts.filter((post) => has(post, "again"));
  expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  expect(second?.body).toBe(first?.body);
});

function dripHeader(response: ServerResponse): void {
  const { socket } = response;
  socket?.write("HTTP/1.1 200 OK\r\nX-Slow: ");
  const timer = setInterval(() => socket?.write("."), 100);
  socket?.once("close", () => clearInterval(timer));
}

test("after a crash during a delivery, its repetition has the same id and the same bytes", async () => {
  const tenant = await addTenant();
  const [ann, bob] = tenant.chats;
  tenant.receiver.respond = () => undefined;
  await write(tenant, [[ann, "held"]]);
  await tenant.receiver.until((posts) => posts.some((post) => has(post, "held")));
  await write(tenant, [[bob, "queued meanwhile"]]);
  await service.end("SIGKILL");
  tenant.receiver.respond = null;
  service = await stand.start();
  await untilTaken(tenant, ["held", "queued meanwhile"]);
  const [first, second] = tenant.receiver.posts.filter((post) => has(post, "held"));
  expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  expect(second?.body).toBe(first?.body);
  expect(first?.body).not.toContain("queued meanwhile");
});

test("a queue that was claimed for a node without its knowledge is processed after a moment", async () => {
  const tenant = await addTenant();
  const cursor = "(select endpoint_id from webhook_cursors where account_id = $1 limit 1)";
  await vi.waitUntil(
    async () =>
      (
        await stand.db.query(`select 1 from webhook_cursors where id = ${cursor} and claim is null`, [
          tenant.account.accountId,
        ])
      ).length > 0,
  );
  // Simulates a claim whose response was lost, long after the connection broke.
  await stand.db.query(
    `update webhook_cursors set claim = (select id from nodes where lease_until > now()), claim_version = claim_version + 1 where id = ${cursor}`,
    [tenant.account.accountId],
  );
  await write(tenant, [[tenant.chats[0], "unclaimed"]]);
  await untilTaken(tenant, ["unclaimed"]);
});

test("a webhook carries the CRM's key and a signature that verifies", async () => {
  const tenant = await addTenant();
  const { account, receiver } = tenant;
  await must(stand.call("PATCH", "/v3/webhooks", { crmKey: "key of the CRM" }, { account }));
  await write(tenant, [[tenant.chats[0], "signed"]]);
  await untilTaken(tenant, ["signed"]);
  const post = receiver.posts.find(({ body }) => body.includes("signed"));
  const { headers = {}, body = "" } = post ?? {};
  expect(headers["authorization"]).toBe("Bearer key of the CRM");
  expect(headers["content-type"]).toBe("application/json; charset=utf-8");
  const [row] = await stand.db.query<{ secret: Buffer }>(
    "select secret from webhook_endpoints where account_id = $1",
    [account.accountId],
  );
  const seal = createSeal(parseSecretKey(stand.environment["SECRET_KEY"] ?? ""));
  const secret = seal.open(row?.secret ?? Buffer.alloc(0), webhookSecretContext(account.accountId));
  const { "webhook-id": id, "webhook-timestamp": timestamp } = headers;
  const mac = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64");
  expect(headers["webhook-signature"]).toBe(`v1,${mac}`);
  expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(60);
});

test("one tenant's receiver that never responds does not delay another's", async () => {
  const [dead, lively] = await Promise.all([addTenant(), addTenant()]);
  await service.end("SIGTERM");
  // Longer than any wait of this test.
  service = await stand.start({ WEBHOOK_TIMEOUT_SECONDS: "120" });
  dead.receiver.respond = () => undefined;
  await write(dead, [[dead.chats[0], "stuck"]]);
  await dead.receiver.until((posts) => posts.some((post) => has(post, "stuck")));
  for (const text of ["one", "two", "three"]) {
    await write(lively, [[lively.chats[0], text]]);
    await untilTaken(lively, [text]);
  }
  await service.end("SIGKILL");
  service = await stand.start();
});

test("private addresses are refused unless the operator allows them, also for events queued before", async () => {
  const tenant = await addTenant();
  const { account, receiver } = tenant;
  for (const webhooksUri of ["http://10.0.0.1/", "http://[fd00::1]/", "http://169.254.169.254/latest"])
    expect((await stand.call("PATCH", "/v3/webhooks", { webhooksUri }, { account })).status).toBe(400);
  await service.end("SIGTERM");
  service = await stand.start({ ALLOW_NETWORKS: "" });
  expect((await stand.call("PATCH", "/v3/webhooks", { webhooksUri: receiver.url }, { account })).status).toBe(
    400,
  );
  await write(tenant, [[tenant.chats[0], "guarded"]]);
  await vi.waitUntil(async () =>
    (await attemptsOf(tenant)).some(({ failure }) => failure?.includes("not a public address")),
  );
  expect(receiver.posts.some((post) => has(post, "guarded"))).toBe(false);
  await service.end("SIGTERM");
  service = await stand.start();
  await untilTaken(tenant, ["guarded"]);
});
