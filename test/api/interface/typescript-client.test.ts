import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, createClient, TrunklineError } from "../../../clients/typescript/src/index.ts";
import { newId } from "../../../src/platform/ids.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

let node: TestNode;
let account: TestAccount;
let client: Client;

beforeAll(async () => {
  node = await startNode();
  account = await addAccount(node.db);
  client = createClient({ baseUrl: `${node.url}/`, accessToken: account.access, apiKey: account.api });
});
afterAll(() => node.stop());

describe("with a service behind it", () => {
  test("channels are connected, found and removed", async () => {
    const { data } = await client.createChannel({
      body: { transport: "telegram", credentials: { telegram_token: "good:1" } },
    });
    const [{ channel_id: id } = { channel_id: "" }] = data;
    expect((await client.listChannels()).data.map((channel) => channel.channel_id)).toEqual([id]);
    const [channel] = (await client.getChannel({ path: { id } })).data;
    expect(channel).toMatchObject({ transport: "telegram", status: "init", reason: null, tier: "TIER_0" });
    expect(await client.listV3Channels()).toMatchObject([{ channelId: id, state: "init" }]);
    expect((await client.removeChannel({ path: { id }, query: { delete_chats: "true" } })).data).toBeNull();
    expect((await client.listChannels()).data).toEqual([]);
  });

  test("a message is sent once, however often it is requested with the same key", async () => {
    const channelId = await addChannel(node, account, { transport: "telegram" });
    const send = () =>
      client.sendV3Message(
        { body: { channelId, chatType: "telegram", chatId: "1", text: "Hello" } },
        { idempotencyKey: "once" },
      );
    expect(await send()).toEqual(await send());
    expect(await node.db.query("select 1 from messages where account_id = $1", [account.id])).toHaveLength(1);
  });

  test("settings of webhooks; a response that is not JSON", async () => {
    const subscriptions = { channelsUpdates: true };
    expect(await client.changeWebhooks({ body: { webhooksUri: "", subscriptions } })).toBe("OK");
    expect((await client.getWebhooks()).subscriptions).toMatchObject({ channelsUpdates: true });
  });

  test("ids of the CRM are encoded in the path", async () => {
    await client.saveUsers({ body: [{ id: "a/b c?", name: "Ann" }] });
    expect(await client.getUser({ path: { id: "a/b c?" } })).toEqual({ id: "a/b c?", name: "Ann" });
  });

  test("a refusal has its code, its fields and the request id", async () => {
    const refusal = await client.getChannel({ path: { id: newId() } }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(TrunklineError);
    expect(refusal).toMatchObject({
      status: 404,
      code: "CHANNEL_NOT_FOUND",
      message: "There is no such channel",
      requestId: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    const body = { channelId: "x", chatType: "telegram" as const };
    await expect(client.sendV3Message({ body })).rejects.toMatchObject({
      code: "INVALID_MESSAGE_DATA",
      data: { fields: ["channelId"], details: [{ field: "channelId", message: "must be a uuid" }] },
    });
  });

  test("an operation without its token is refused before anything is sent", async () => {
    const keyless = createClient({ baseUrl: node.url, apiKey: account.api });
    await expect(keyless.listChannels()).rejects.toThrow("accessToken");
    expect(await keyless.getHealth()).toEqual({ status: "ok" });
  });
});

async function startServer(answer: RequestListener): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A service that answers with these statuses, one after the other; 0 breaks the connection. */
async function startFlaky(statuses: readonly number[], retryAfter = "0") {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    const status = statuses[requests.length - 1] ?? 200;
    if (status === 0) return void request.socket.destroy();
    const headers = { "content-type": "application/json; charset=utf-8", "retry-after": retryAfter };
    response.writeHead(status, headers).end(JSON.stringify({ error: "BUSY", description: "Later" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    client: createClient({ baseUrl: `http://127.0.0.1:${port}`, accessToken: "a", apiKey: "b" }),
    requests,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

describe("with a failing service", () => {
  test.each([
    ["that asks to wait", [429, 503, 200], 3],
    ["that hangs up", [0, 200], 2],
  ])("%s once is retried, with the same key", async (_name, statuses, expected) => {
    const service = await startFlaky(statuses);
    try {
      await service.client.saveUsers({ body: [] });
      const keys = service.requests.map(({ headers }) => headers["idempotency-key"]);
      expect(keys).toHaveLength(expected);
      expect(new Set(keys).size).toBe(1);
      expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    } finally {
      await service.stop();
    }
  });

  test("one that asks to wait for an hour is reported at once", async () => {
    const service = await startFlaky([429, 200], "3600");
    try {
      await expect(service.client.saveUsers({ body: [] })).rejects.toMatchObject({ status: 429 });
    } finally {
      await service.stop();
    }
  });

  test.each([
    ["one that goes on asking to wait", [503, 503, 503, 200], 3],
    ["one that refuses", [400, 200], 1],
    ["one that fails", [500, 200], 1],
  ])("%s is reported unchanged", async (_name, statuses, expected) => {
    const service = await startFlaky(statuses);
    try {
      await expect(service.client.saveUsers({ body: [] })).rejects.toMatchObject({
        status: statuses[0],
        code: "BUSY",
        message: "Later",
      });
      expect(service.requests).toHaveLength(expected);
    } finally {
      await service.stop();
    }
  });

  test.each([
    ["breaks off in the middle", (response: ServerResponse) => response.write("{", () => response.destroy())],
    ["never comes", () => undefined],
    ["never ends", (response: ServerResponse) => response.write("{")],
  ])("an answer that %s is retried, with the same key", async (_name, fail) => {
    const keys: unknown[] = [];
    await using server = await startServer((request, response) => {
      keys.push(request.headers["idempotency-key"]);
      response.setHeader("content-type", "application/json");
      if (keys.length === 1) fail(response);
      else response.end("{}");
    });
    const once = createClient({ baseUrl: server.url, apiKey: "b", timeoutMs: 500, retries: 20 });
    await once.saveUsers({ body: [] });
    expect(keys.length).toBeGreaterThan(1);
    expect(new Set(keys).size).toBe(1);
  });

  test("a call without an answer ends with the reason, also while it is aborted", async () => {
    await using server = await startServer(() => undefined);
    const never = createClient({ baseUrl: server.url, apiKey: "b", timeoutMs: 50, retries: 0 });
    await expect(never.saveUsers({ body: [] })).rejects.toMatchObject({
      name: "TimeoutError",
      message: "No answer within 50 ms",
    });
    const patient = createClient({ baseUrl: server.url, apiKey: "b" });
    const ending = new AbortController();
    const call = patient.saveUsers({ body: [] }, { signal: ending.signal });
    ending.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
  });

  test("a redirect is not followed: it would carry the token elsewhere", async () => {
    const requests: string[] = [];
    await using server = await startServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response.writeHead(302, { location: "/elsewhere" }).end();
    });
    const moved = createClient({ baseUrl: server.url, apiKey: "b" });
    await expect(moved.saveUsers({ body: [] })).rejects.toMatchObject({ status: 302, code: "UNKNOWN" });
    expect(requests).toEqual(["POST /v3/users"]);
  });

  test("a refusal whose body is no JSON, although it says so, has its status", async () => {
    await using server = await startServer((_request, response) => {
      response.writeHead(502, { "content-type": "application/json" }).end("<html>");
    });
    const behind = createClient({ baseUrl: server.url, apiKey: "b" });
    await expect(behind.saveUsers({ body: [] })).rejects.toMatchObject({ status: 502, code: "UNKNOWN" });
  });

  test("an aborted call is not retried", async () => {
    const service = await startFlaky([0]);
    try {
      const signal = AbortSignal.abort(new Error("enough"));
      await expect(service.client.listChannels({}, { signal })).rejects.toThrow("enough");
      expect(service.requests).toHaveLength(0);
    } finally {
      await service.stop();
    }
  });
});
