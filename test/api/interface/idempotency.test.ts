import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { once } from "../../../src/core/account/idempotency.ts";
import { newId } from "../../../src/platform/ids.ts";
import { stopClock } from "../../kit/timers.ts";
import { type Answer, call, outcome } from "../kit/call.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

let node: TestNode;
let account: TestAccount;
let channel: string;

beforeAll(async () => {
  node = await startNode();
});
beforeEach(async () => {
  account = await addAccount(node.db);
  channel = await addChannel(node, account, { transport: "telegram" });
});
afterAll(() => node.stop());

const body = (text: string) => ({
  channel_id: channel,
  recipient: { chat_type: "telegram", chat_id: "1" },
  text,
});
const send = (key: string, text: string): Promise<Answer> =>
  call(node, "POST", "/v2/messages", {
    token: account.access,
    headers: { "idempotency-key": key },
    body: body(text),
  });
const idOf = ({ json }: Answer) => (json as { data?: { request_id: string } }).data?.request_id;
const messages = () => node.db.query("select id from messages where account_id = $1", [account.id]);
const change = (assignments: string) =>
  node.db.query(`update idempotency_keys set ${assignments} where account_id = $1`, [account.id]);
const LEFT_BEHIND = "status = null, answer = null, locked_until = now() - interval '1 second'";

test("the same key and body: the same response, one message", async () => {
  const first = await send("a", "Hello");
  const second = await send("a", "Hello");
  expect(first.headers["idempotency-replayed"]).toBeUndefined();
  expect(second.headers["idempotency-replayed"]).toBe("true");
  expect([second.status, second.text]).toEqual([first.status, first.text]);
  expect(second.headers["content-type"]).toBe(first.headers["content-type"]);
  expect(await messages()).toHaveLength(1);
});

test("without a key, or with another, it is another message", async () => {
  await send("a", "Hello");
  await send("b", "Hello");
  await call(node, "POST", "/v2/messages", { token: account.access, body: body("Hello") });
  expect(await messages()).toHaveLength(3);
});

test("the same key and another body", async () => {
  await send("a", "Hello");
  expect(outcome(await send("a", "Good bye"))).toBe("409 IDEMPOTENCY_KEY_REUSED");
  expect(await messages()).toHaveLength(1);
});

test("the same key on another path", async () => {
  const post = (path: string) =>
    call(node, "POST", path, {
      token: account.access,
      headers: { "idempotency-key": "a" },
      body: { two_factor_code: "x", transport: "telegram" },
    });
  const other = await addChannel(node, account, { transport: "telegram" });
  expect(outcome(await post(`/v2/channels/${channel}/auth/2fa`))).toBe("400 PASSWORD_NOT_EXPECTED");
  expect(outcome(await post(`/v2/channels/${other}/auth/2fa`))).toBe("409 IDEMPOTENCY_KEY_REUSED");
});

test("a refusal is stored too", async () => {
  const missing = { ...body("Hello"), channel_id: newId() };
  const post = () =>
    call(node, "POST", "/v2/messages", {
      token: account.access,
      headers: { "idempotency-key": "a" },
      body: missing,
    });
  const refused = await post();
  const again = await post();
  expect(outcome(refused)).toBe("404 CHANNEL_NOT_FOUND");
  expect(again.headers["idempotency-replayed"]).toBe("true");
  expect(again.text).toBe(refused.text);
});

test("a refusal because of the channel's state is not stored: the same request succeeds later", async () => {
  const become = async (status: string) => {
    await node.db.query("update channels set status = $2, reason = null where id = $1", [channel, status]);
    node.core.caches.channels.clear();
  };
  await become("init");
  expect(outcome(await send("a", "Hello"))).toBe("400 MESSAGE_CHANNEL_UNAVAILABLE");
  await become("active");
  expect((await send("a", "Hello")).status).toBe(200);
  expect(await messages()).toHaveLength(1);
});

test("an invalid request leaves nothing behind, wherever the error is found", async () => {
  const faulty = (fields: object) =>
    call(node, "POST", "/v2/channels", {
      token: account.access,
      headers: { "idempotency-key": "a" },
      body: { transport: "telegram", ...fields },
    });
  expect(outcome(await faulty({}))).toBe("400 VALIDATION_ERROR credentials");
  expect(outcome(await faulty({ credentials: {} }))).toBe("400 VALIDATION_ERROR credentials.telegram_token");
  expect((await faulty({ credentials: { telegram_token: "good:1" } })).status).toBe(200);
});

test.each<[string, object]>([
  ["MESSAGE_NOTHING_TO_SEND", {}],
  ["MESSAGE_ONLY_TEXT_OR_CONTENT", { text: "a", template: { id: newId() } }],
  ["MESSAGE_RECIPIENT_REQUIRED", { text: "a", recipient: { chat_type: "telegram" } }],
  ["WRONG_TRANSPORT", { text: "a", recipient: { chat_type: "vk", chat_id: "1" } }],
  ["MESSAGE_TEMPLATE_NOT_SUPPORTED", { template: { id: newId() } }],
])("an invalid message (%s) leaves nothing behind", async (code, fields) => {
  const { text: _, ...rest } = body("");
  const answer = await call(node, "POST", "/v2/messages", {
    token: account.access,
    headers: { "idempotency-key": "a" },
    body: { ...rest, ...fields },
  });
  expect(outcome(answer)).toBe(`400 ${code}`);
  expect((await send("a", "Hello")).status).toBe(200);
});

test("an invalid keyboard leaves nothing behind", async () => {
  const post = (button: object) =>
    call(node, "POST", "/v2/messages", {
      token: account.access,
      headers: { "idempotency-key": "a" },
      body: { ...body("Hello"), keyboard: { buttons: [button] } },
    });
  expect(outcome(await post({ text: "A" }))).toBe("400 MESSAGE_KEYBOARD_INVALID keyboard.buttons[0]");
  expect(outcome(await post({ text: "A", callback_data: "a" }))).toBe("200");
});

test("a keyboard beside a template leaves nothing behind", async () => {
  const business = await addChannel(node, account, { transport: "wapi" });
  const post = (more: object) =>
    call(node, "POST", "/v2/messages", {
      token: account.access,
      headers: { "idempotency-key": "a" },
      body: {
        channel_id: business,
        recipient: { chat_type: "whatsapp", chat_id: "79001112233" },
        template: { id: newId() },
        ...more,
      },
    });
  const keyboard = { buttons: [{ text: "A", payload: "a" }] };
  expect(outcome(await post({ keyboard }))).toBe("400 MESSAGE_KEYBOARD_INVALID keyboard");
  expect(outcome(await post({}))).toBe("404 TEMPLATE_NOT_FOUND");
});

test("invalid entities of a list leave nothing behind", async () => {
  const post = (chat: object) =>
    call(node, "POST", "/v3/contacts", {
      token: account.api,
      headers: { "idempotency-key": "a" },
      body: [
        { id: "c", responsibleUserId: "u", name: "Ann", contactData: [{ chatType: "whatsapp", ...chat }] },
      ],
    });
  expect(outcome(await post({ chatId: "+" }))).toContain("400 INVALID_CONTACTS_DATA");
  expect((await post({ chatId: "79001112233" })).status).toBe(200);
});

test("a temporary failure is retried, under the same id", async () => {
  const create = () =>
    call(node, "POST", "/v2/channels", {
      token: account.access,
      headers: { "idempotency-key": "a" },
      body: { transport: "telegram", credentials: { telegram_token: "away" } },
    });
  const operation = async () =>
    node.db.query("select operation_id, status from idempotency_keys where account_id = $1", [account.id]);
  expect(outcome(await create())).toBe("503 MESSENGER_UNAVAILABLE");
  const [first] = await operation();
  expect(outcome(await create())).toBe("503 MESSENGER_UNAVAILABLE");
  expect(await operation()).toEqual([first]);
});

/** Requests wait for the first one as long as it takes. */
function waitForEver(): void {
  stopClock(node.core.clock);
}

test("twenty concurrently: one message, one response", async () => {
  waitForEver();
  const answers = await Promise.all(Array.from({ length: 20 }, () => send("a", "Hello")));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers["idempotency-replayed"] === undefined)).toHaveLength(1);
  expect(await messages()).toHaveLength(1);
});

test("a node that died before the effect: the work is done under its id", async () => {
  const first = await send("a", "Hello");
  await node.db.query("delete from messages where account_id = $1", [account.id]);
  await change(LEFT_BEHIND);
  const again = await send("a", "Hello");
  expect([again.status, idOf(again)]).toEqual([200, idOf(first)]);
  expect(again.headers["idempotency-replayed"]).toBeUndefined();
  expect(await messages()).toHaveLength(1);
});

test("a node that died after the effect: it is not done twice", async () => {
  const first = await send("a", "Hello");
  await change(LEFT_BEHIND);
  expect(idOf(await send("a", "Hello"))).toBe(idOf(first));
  expect(await messages()).toHaveLength(1);
  expect(await node.db.query("select id from send_jobs where account_id = $1", [account.id])).toHaveLength(1);
});

test("the same for a channel", async () => {
  const create = () =>
    call(node, "POST", "/v2/channels", {
      token: account.access,
      headers: { "idempotency-key": "a" },
      body: { transport: "telegram", credentials: { telegram_token: "good:77" } },
    });
  const first = await create();
  await change(LEFT_BEHIND);
  expect((await create()).json).toMatchObject({ data: (first.json as { data: unknown }).data });
});

test("another body does not take over the key of a dead node", async () => {
  await send("a", "Hello");
  await change(LEFT_BEHIND);
  expect(outcome(await send("a", "Good bye"))).toBe("409 IDEMPOTENCY_KEY_REUSED");
});

test("while the first is running, the second waits for its response", async () => {
  waitForEver();
  await send("a", "Hello");
  await change("status = null, locked_until = now() + interval '1 minute'");
  const waiting = send("a", "Hello");
  await change("status = 200, answer = '{\"data\":1}'");
  expect((await waiting).text).toBe('{"data":1}');
});

test("but not for ever", async () => {
  await send("a", "Hello");
  await change("status = null, locked_until = now() + interval '1 minute'");
  const answer = await send("a", "Hello");
  expect(outcome(answer)).toBe("409 IDEMPOTENCY_IN_PROGRESS");
  expect(answer.headers["retry-after"]).toBe("1");
});

test("however long it runs, nothing is done twice", async () => {
  const request = { route: "POST /long", key: "a", requestHash: new Uint8Array(32) };
  const { promise: done, resolve: finish } = Promise.withResolvers<void>();
  const runs: string[] = [];
  const ask = () =>
    once(node.core, { accountId: account.id }, request, async (operationId) => {
      runs.push(operationId);
      await done;
      return { status: 200, body: "done" };
    });
  const first = ask();
  const lockedUntil = async (): Promise<number> => {
    const rows = await node.db.query<{ until: number }>(
      "select extract(epoch from locked_until)::float8 as until from idempotency_keys where account_id = $1",
      [account.id],
    );
    return rows[0]?.until ?? 0;
  };
  await vi.waitUntil(() => runs.length > 0);
  const before = await lockedUntil();
  await vi.waitUntil(async () => (await lockedUntil()) > before, { timeout: 20_000 });
  finish();
  expect([await first, await ask()]).toEqual([
    { status: 200, body: "done", replayed: false },
    { status: 200, body: "done", replayed: true },
  ]);
  expect(runs).toHaveLength(1);
});

test("after a day a key can be reused", async () => {
  const first = await send("a", "Hello");
  await change("created_at = now() - interval '25 hours'");
  const second = await send("a", "Good bye");
  expect(second.status).toBe(200);
  expect(idOf(second)).not.toBe(idOf(first));
  expect(await messages()).toHaveLength(2);
});

test.each([
  ["x".repeat(255), "200"],
  ["a key with spaces, and: signs!", "200"],
  [newId(), "200"],
  ["x".repeat(256), "400 VALIDATION_ERROR Idempotency-Key"],
  ["ключ", "400 VALIDATION_ERROR Idempotency-Key"],
  [" ", "400 VALIDATION_ERROR Idempotency-Key"],
])("key %.40j: %s", async (key, expected) => {
  const header = Buffer.from(key).toString("latin1");
  expect(outcome(await send(header, "Hello"))).toBe(expected);
});

test("methods other than POST ignore it", async () => {
  const get = () =>
    call(node, "GET", "/v2/channels", { token: account.access, headers: { "idempotency-key": "" } });
  expect((await get()).status).toBe(200);
  expect(await node.db.query("select 1 from idempotency_keys where account_id = $1", [account.id])).toEqual(
    [],
  );
});

/** As a standby that lacks the last commits. */
const lose = async () => {
  await node.db.query("delete from messages where account_id = $1", [account.id]);
  await node.db.query("delete from idempotency_keys where account_id = $1", [account.id]);
};

test("a request that is repeated after the database lost it creates the message under the same id", async () => {
  await vi.waitUntil(async () => {
    // Both in one hour of the database.
    const [first, again] = [await send("a", "Hello"), await lose().then(() => send("a", "Hello"))];
    await lose();
    return first.headers["idempotency-replayed"] === undefined && idOf(first) === idOf(again);
  });
});

test("ids of keys differ by account, key and request", async () => {
  const own = [await send("a", "Hello"), await send("b", "Hello")];
  await lose();
  own.push(await send("a", "Good bye"));
  account = await addAccount(node.db);
  channel = await addChannel(node, account, { transport: "telegram" });
  own.push(await send("a", "Hello"));
  expect(new Set(own.map(idOf)).size).toBe(4);
});
