import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addReceiver } from "../../kit/cursors.ts";
import { call, outcome } from "../kit/call.ts";
import { startReceiver } from "../kit/receiver.ts";
import { addAccount, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

let node: TestNode;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let account: TestAccount;
let status = 200;

beforeAll(async () => {
  node = await startNode();
  receiver = await startReceiver(() => status);
});
beforeEach(async () => {
  account = await addAccount(node.db);
  status = 200;
  receiver.received.length = 0;
});
afterAll(async () => {
  await node.stop();
  await receiver.stop();
});

const get = async () => (await call(node, "GET", "/v3/webhooks", { token: account.api })).json;
const patch = (body: unknown, token = account.api) => call(node, "PATCH", "/v3/webhooks", { token, body });

const OFF = {
  messagesAndStatuses: false,
  contactsAndDealsCreation: false,
  channelsUpdates: false,
  templateStatus: false,
  wabaTemplatesStatus: false,
  reactions: false,
};

test("at first there is nothing", async () => {
  expect(await get()).toEqual({ webhooksUri: "", subscriptions: OFF });
});

test("an address is tested, then stored", async () => {
  const webhooksUri = `${receiver.url}/hook?key=1`;
  const subscriptions = { messagesAndStatuses: true, channelsUpdates: true };
  const answer = await patch({ webhooksUri, crmKey: "k-1", subscriptions });
  expect([answer.status, answer.headers["content-type"], answer.text]).toEqual([
    200,
    "text/plain; charset=utf-8",
    "OK",
  ]);
  expect(receiver.received).toMatchObject([
    {
      url: "/hook?key=1",
      body: '{"test":true}',
      headers: { authorization: "Bearer k-1", "content-type": "application/json; charset=utf-8" },
    },
  ]);
  expect(await get()).toEqual({ webhooksUri, subscriptions: { ...OFF, ...subscriptions } });
});

test("omitted keys keep their values; an empty address removes it", async () => {
  const webhooksUri = `${receiver.url}/a`;
  await patch({ webhooksUri, subscriptions: { messagesAndStatuses: true } });
  await patch({ subscriptions: { channelsUpdates: true, messagesAndStatuses: null } });
  const both = { ...OFF, messagesAndStatuses: true, channelsUpdates: true };
  expect(await get()).toEqual({ webhooksUri, subscriptions: both });
  await patch({ webhooksUri: `${receiver.url}/b` });
  expect(await get()).toEqual({ webhooksUri: `${receiver.url}/b`, subscriptions: both });
  expect((await patch({ webhooksUri: "" })).text).toBe("OK");
  expect(await get()).toMatchObject({ webhooksUri: "" });
});

test("switches and key are kept without an address", async () => {
  await patch({ crmKey: "k", subscriptions: { messagesAndStatuses: true } });
  expect(await get()).toEqual({ webhooksUri: "", subscriptions: { ...OFF, messagesAndStatuses: true } });
  await patch({ webhooksUri: receiver.url });
  expect(receiver.received).toMatchObject([{ headers: { authorization: "Bearer k" } }]);
  await patch({ webhooksUri: "" });
  await patch({ webhooksUri: receiver.url });
  expect(await get()).toEqual({
    webhooksUri: receiver.url,
    subscriptions: { ...OFF, messagesAndStatuses: true },
  });
});

test("a name that resolves to a private address gets an error that does not reveal the address", async () => {
  const strict = await startNode({ allowNetworks: [] });
  try {
    const { api } = await addAccount(strict.db);
    const webhooksUri = receiver.url.replace("127.0.0.1", "localhost");
    const answer = await call(strict, "PATCH", "/v3/webhooks", { token: api, body: { webhooksUri } });
    expect(outcome(answer)).toBe("400 testPostNotPassed");
    expect(answer.json).toMatchObject({
      data: {
        statusCode: null,
        reason: expect.stringMatching(/^localhost is not the name of a public address/),
      },
    });
    expect(JSON.stringify(answer.json)).not.toMatch(/127\.0\.0\.1|::1/);
    expect(receiver.received).toEqual([]);
  } finally {
    await strict.stop();
  }
});

test.each(["templateStatus", "wabaTemplatesStatus", "templateStatuses"])("%s is one switch", async (name) => {
  await patch({ webhooksUri: receiver.url, subscriptions: { [name]: true } });
  expect(await get()).toMatchObject({
    subscriptions: { ...OFF, templateStatus: true, wabaTemplatesStatus: true },
  });
});

test.each(["templateStatus", "wabaTemplatesStatus", "templateStatuses"])(
  "%s may be changed alone, with the others as they were read",
  async (name) => {
    for (const value of [true, false]) {
      const { subscriptions } = (await get()) as { subscriptions: object };
      await patch({ webhooksUri: receiver.url, subscriptions: { ...subscriptions, [name]: value } });
      expect(await get()).toMatchObject({
        subscriptions: { ...OFF, templateStatus: value, wabaTemplatesStatus: value },
      });
    }
  },
);

test("an empty key removes the key, which is otherwise kept", async () => {
  const keys = () => receiver.received.map(({ headers }) => headers.authorization);
  await patch({ webhooksUri: receiver.url, crmKey: "k" });
  await patch({ webhooksUri: receiver.url, crmKey: null });
  await patch({ webhooksUri: receiver.url, crmKey: "" });
  expect(keys()).toEqual(["Bearer k", "Bearer k", undefined]);
});

test.each([
  ["nonsense", "http or https"],
  ["ftp://example.com/", "http or https"],
  ["http://", "http or https"],
  ["https://user:password@example.com/", "without user name"],
  ["http://10.0.0.1/hook", "10.0.0.1 is not a public address. An operator can allow its network"],
  ["http://[::1]/hook", "::1 is not a public address"],
  ["https://example.com/a b", "spaces"],
  ["https://example.com/\u0001", "control characters"],
  [`https://example.com/${"x".repeat(181)}`, "more than 200 characters"],
])("%.30j is not valid", async (webhooksUri, reason) => {
  const answer = await patch({ webhooksUri });
  expect([answer.status, answer.json]).toEqual([
    400,
    {
      error: "uriNotValid",
      description: "Provided URI is not valid URI",
      data: { reason: expect.stringContaining(reason) },
    },
  ]);
  expect(await get()).toEqual({ webhooksUri: "", subscriptions: OFF });
});

test("200 characters are allowed", async () => {
  const webhooksUri = `${receiver.url}/`.padEnd(200, "x");
  expect((await patch({ webhooksUri })).text).toBe("OK");
});

test.each([201, 204, 302, 401, 404, 500])("a receiver that answers %i changes nothing", async (code) => {
  await patch({ webhooksUri: `${receiver.url}/good`, subscriptions: { messagesAndStatuses: true } });
  status = code;
  const answer = await patch({
    webhooksUri: `${receiver.url}/bad`,
    subscriptions: { channelsUpdates: true },
  });
  expect([answer.status, answer.json]).toEqual([
    400,
    {
      error: "testPostNotPassed",
      description: "URI does not return 200 OK on test request",
      data: {
        statusCode: code,
        message: "Webhooks request not valid. Response status must be 200.",
      },
    },
  ]);
  expect(await get()).toEqual({
    webhooksUri: `${receiver.url}/good`,
    subscriptions: { ...OFF, messagesAndStatuses: true },
  });
  expect(receiver.received.filter(({ url }) => url === "/elsewhere")).toEqual([]);
});

test("nor does one that cannot be reached", async () => {
  const gone = await startReceiver(() => 200);
  await gone.stop();
  expect(outcome(await patch({ webhooksUri: gone.url }))).toBe("400 testPostNotPassed");
});

test.each([
  [{ webhooksUri: 1 }, "webhooksUri"],
  [{ subscriptions: [] }, "subscriptions"],
  [{ subscriptions: { messagesAndStatuses: 1 } }, "subscriptions.messagesAndStatuses"],
  [{ subscriptions: { channelsUpdates: "true" } }, "subscriptions.channelsUpdates"],
  [{ crmKey: "a\nb" }, "crmKey"],
])("%j is faulty", async (body, field) => {
  expect(outcome(await patch(body))).toBe(`400 VALIDATION_ERROR ${field}`);
});

test("a sidecar key reads the settings and changes nothing", async () => {
  await patch({ webhooksUri: receiver.url, crmKey: "k-1" });
  receiver.received.length = 0;
  const sidecar = { token: account.sidecar };
  expect(await call(node, "GET", "/v3/webhooks", sidecar)).toMatchObject({ status: 200, json: await get() });
  const refused = await Promise.all([
    patch({ webhooksUri: `${receiver.url}/mine` }, account.sidecar),
    call(node, "GET", "/v3/webhooks/secret", sidecar),
    call(node, "POST", "/v3/webhooks/secret", { ...sidecar, body: {} }),
    call(node, "POST", "/v3/webhooks/test", { ...sidecar, body: {} }),
    call(node, "POST", "/v3/webhooks/replay", { ...sidecar, body: {} }),
  ]);
  expect(refused.map(outcome)).toEqual(refused.map(() => "403 FORBIDDEN"));
  expect(receiver.received).toEqual([]);
  expect(await get()).toMatchObject({ webhooksUri: receiver.url });
});

describe("the CRM's key", () => {
  const keysSent = () => receiver.received.map(({ headers }) => headers.authorization);
  let other: typeof receiver;
  let elsewhere: string;
  beforeAll(async () => {
    other = await startReceiver(() => status, receiver.received);
    elsewhere = other.url;
  });
  afterAll(() => other.stop());

  test("stays at another path of the same origin", async () => {
    await patch({ webhooksUri: `${receiver.url}/a`, crmKey: "k-1" });
    await patch({ webhooksUri: `${receiver.url}/b` });
    expect(keysSent()).toEqual(["Bearer k-1", "Bearer k-1"]);
  });

  test("is dropped at another origin, and does not come back", async () => {
    await patch({ webhooksUri: receiver.url, crmKey: "k-1" });
    await patch({ webhooksUri: elsewhere });
    await patch({ webhooksUri: receiver.url });
    expect(keysSent()).toEqual(["Bearer k-1", undefined, undefined]);
  });

  test("is sent to another origin if it is set again", async () => {
    await patch({ webhooksUri: receiver.url, crmKey: "k-1" });
    await patch({ webhooksUri: elsewhere, crmKey: "k-2" });
    await patch({ webhooksUri: elsewhere });
    expect(keysSent()).toEqual(["Bearer k-1", "Bearer k-2", "Bearer k-2"]);
  });

  test("cannot reach another origin by way of an empty address", async () => {
    await patch({ webhooksUri: receiver.url, crmKey: "k-1" });
    await patch({ webhooksUri: "" });
    await patch({ webhooksUri: elsewhere });
    expect(keysSent()).toEqual(["Bearer k-1", undefined]);
  });

  test("stays when a new origin does not pass its test", async () => {
    await patch({ webhooksUri: receiver.url, crmKey: "k-1" });
    status = 500;
    expect(outcome(await patch({ webhooksUri: elsewhere }))).toBe("400 testPostNotPassed");
    status = 200;
    await patch({ webhooksUri: receiver.url });
    expect(keysSent()).toEqual(["Bearer k-1", undefined, "Bearer k-1"]);
  });
});

test("a page of parked events ends early if their items are long, and none is left out", async () => {
  const ids = Array.from({ length: 30 }, (_, index) => index + 1);
  await node.db.query(
    `insert into webhook_retries (account_id, endpoint_id, cursor_id, state, event_id, kind, subject, body, created_at, reason, parked_at)
     select $1, $2, $2, 'parked', id, 'messages', 'm', jsonb_build_object('text', repeat('x', case id when 20 then 1500000 else 60000 end))::text,
            now(), 'HTTP 422', now()
     from unnest($3::int[]) id`,
    [account.id, await addReceiver(node.db, account.id), ids],
  );
  const found: number[] = [];
  const bytes: number[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = cursor === "" ? "" : `&cursor=${cursor}`;
    const { json, text } = await call(node, "GET", `/v3/webhooks/parked?limit=1000${query}`, {
      token: account.api,
    });
    const page = json as { data: { eventId: number }[]; next: string | null };
    found.push(...page.data.map(({ eventId }) => eventId));
    bytes.push(text.length);
    cursor = page.next;
  }
  expect(found).toEqual(ids.toReversed());
  // Only the one that is too long by itself makes a longer page.
  const [longest = 0, second = 0] = bytes.toSorted((a, b) => b - a);
  expect(longest).toBeLessThan(1_510_000);
  expect(second).toBeLessThan(1_060_000);
});
