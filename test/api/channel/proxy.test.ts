import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Type } from "typebox";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import {
  type ProxyServer,
  type ProxyServerOptions,
  startProxyServer,
} from "../../../sandbox/proxy-server.ts";
import { type ChannelLink, defineTransport, HttpFailure } from "../../../src/core/transport/connector.ts";
import type { TransportDefinition } from "../../../src/core/transport/definition.ts";
import { TransportError } from "../../../src/core/transport/errors.ts";
import { postbox } from "../../kit/transport.ts";
import { call } from "../kit/call.ts";
import { newOperator } from "../kit/console.ts";
import { startSending } from "../kit/sending.ts";
import { addAccount, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

/** Resolved by the proxies only. */
const MESSENGER = "messenger.example";
const PASSWORD = "s3cret/word";

const asked: string[] = [];
let connections = 0;
const messenger = createServer((request, response) => {
  asked.push(request.url ?? "");
  // So that each request is a connection, and can be counted.
  response.writeHead(200, { connection: "close" }).end(JSON.stringify({ id: "77" }));
}).on("connection", () => void connections++);

const definition = {
  ...postbox,
  id: "avito",
  chatTypes: ["avito"],
  credentials: Type.Object({ token: Type.String({ minLength: 1, sensitive: true }) }),
  capabilities: { ...postbox.capabilities, text: { maxLength: 100 } },
  pacing: {
    channel: { perSecond: 1_000, burst: 1_000 },
    chat: { perSecond: 1_000, burst: 1_000 },
    jitterMs: 0,
  },
} as const satisfies TransportDefinition;

async function ask({ request }: Pick<ChannelLink, "request">, path: string): Promise<void> {
  const { port } = messenger.address() as AddressInfo;
  try {
    await (await request({ method: "GET", url: `http://${MESSENGER}:${port}${path}` })).bytes();
  } catch (error) {
    const isUnsent = error instanceof HttpFailure && !error.sent;
    throw new TransportError("UNKNOWN_ERROR", String(error), {
      retry: isUnsent ? "later" : "unknown",
      cause: error,
    });
  }
}

const transport = defineTransport(definition, {
  async verify(access) {
    await ask(access, "/verify");
    return { profile: { messengerId: access.credentials.token, name: "Shop" } };
  },
  async open(link) {
    const connect = async (): Promise<void> => {
      for (let isLinked = false; !isLinked && !link.signal.aborted; ) {
        isLinked = await ask(link, "/me").then(
          () => true,
          () => false,
        );
        if (isLinked) {
          const profile = { messengerId: link.credentials.token, name: "Shop" };
          await link.emit({ kind: "link", state: { status: "active", profile } });
        } else await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    void connect().catch(() => undefined);
    return {
      async send({ content, to }) {
        await ask(link, `/send/${content.type === "text" ? content.text : ""}`);
        return { chatId: to.chatId ?? "", externalId: crypto.randomUUID(), sentAt: new Date() };
      },
      close: async () => undefined,
    };
  },
});

let node: TestNode;
let account: TestAccount;
let pool: ProxyServer;

beforeAll(async () => {
  messenger.listen(0, "127.0.0.1");
  await once(messenger, "listening");
  pool = await startProxyServer({ scheme: "http" });
  node = await startNode({ transports: [transport], exits: { avito: [pool.url] } });
  account = await addAccount(node.db);
});
beforeEach(() => {
  asked.length = 0;
});
afterAll(async () => {
  await node.stop();
  await pool.close();
  messenger.closeAllConnections();
  messenger.close();
});

const api = (method: "GET" | "POST" | "DELETE", path: string, body?: unknown) =>
  call(node, method, path, { token: account.access, ...(body === undefined ? {} : { body }) });

async function started(options: ProxyServerOptions): Promise<ProxyServer> {
  const proxy = await startProxyServer(options);
  onTestFinished(() => proxy.close());
  return proxy;
}

let accounts = 100;
const create = (proxy?: unknown) => {
  accounts += 1;
  const more = proxy === undefined ? {} : { proxy };
  return api("POST", "/v2/channels", {
    transport: "avito",
    credentials: { token: String(accounts) },
    ...more,
  });
};

async function created(proxy?: unknown): Promise<string> {
  const { json } = await create(proxy);
  return (json as { data: { channel_id: string }[] }).data[0]?.channel_id ?? "";
}

async function channel(id: string): Promise<Record<string, unknown>> {
  const { json } = await api("GET", `/v2/channels/${id}`);
  return (json as { data: Record<string, unknown>[] }).data[0] ?? {};
}

const untilStatus = (id: string, status: string, reason: string | null) =>
  vi.waitUntil(
    async () => {
      const found = await channel(id);
      return found["status"] === status && found["reason"] === reason;
    },
    { interval: 20, timeout: 30_000 },
  );

const send = (channelId: string, text: string) =>
  api("POST", "/v2/messages", {
    channel_id: channelId,
    recipient: { chat_type: "avito", chat_id: "1" },
    text,
  });

test.each([
  ["ftp://example.org", "must look like socks5://"],
  ["mtproxy://0123456789abcdef0123456789abcdef@example.org:443", "must look like socks5://"],
  ["http://10.0.0.1:8080", "is not at a public address"],
  ["socks5://[fd00::1]", "is not at a public address"],
])("a channel with the proxy %s is refused", async (proxy, message) => {
  const { status, json } = await create(proxy);
  expect(status).toBe(400);
  expect(json).toMatchObject({
    error: "VALIDATION_ERROR",
    data: { fields: [{ field: "proxy", message: expect.stringContaining(message) }] },
  });
});

test("a proxy that refuses is named in the answer, without its password", async () => {
  const proxy = await started({ scheme: "socks5", username: "u", password: PASSWORD });
  const { status, text } = await create(proxy.url.replace(/:[^:@]*@/, ":wrong@"));
  expect(status).toBe(503);
  expect(text).toContain(`socks5://127.0.0.1:${proxy.port}`);
  expect(text).not.toContain("wrong");
});

test.each([["socks5"], ["http"]] as const)(
  "%s: a channel reaches its messenger through its own proxy only, and a change needs no new login",
  async (scheme) => {
    onTestFinished(await startSending(node));
    const before = connections;
    const own = await started({ scheme, username: "u", password: PASSWORD });
    const id = await created(own.url);
    await untilStatus(id, "active", null);
    const shown = await channel(id);
    expect(shown["proxy"]).toBe(`${scheme}://127.0.0.1:${own.port}`);
    const rows = await node.db.query<{ all: string }>("select c::text as all from channels c where id = $1", [
      id,
    ]);
    expect(rows[0]?.all).not.toContain(PASSWORD);
    expect((await send(id, "first")).status).toBe(200);
    await vi.waitUntil(() => asked.includes("/send/first"), { interval: 20 });

    const next = await started({ scheme: "socks5" });
    const passed = own.targets.length;
    expect((await api("POST", `/v2/channels/${id}/reinit`, { proxy: next.url })).status).toBe(200);
    await untilStatus(id, "active", null);
    await vi.waitUntil(() => next.targets.length > 0, { interval: 20 });
    await send(id, "second");
    await vi.waitUntil(() => asked.includes("/send/second"), { interval: 20 });
    expect(asked.filter((path) => path === "/verify")).toHaveLength(1);
    expect(own.targets).toHaveLength(passed);

    const throughPool = pool.targets.length;
    expect((await api("POST", `/v2/channels/${id}/reinit`, { proxy: "" })).text).toContain(id);
    await untilStatus(id, "active", null);
    await vi.waitUntil(() => pool.targets.length > throughPool, { interval: 20 });
    expect(await channel(id)).not.toHaveProperty("proxy");
    // A proxy counts a connection before the messenger does.
    const proxied = () => own.targets.length + next.targets.length + pool.targets.length - throughPool;
    await expect.poll(() => connections - before - proxied()).toBe(0);
    expect((await api("POST", `/v2/channels/${id}/reinit`, {})).status).toBe(400);
    await api("DELETE", `/v2/channels/${id}`);
  },
);

test("a channel of the operator's pool keeps its exit", async () => {
  onTestFinished(await startSending(node));
  const id = await created();
  await untilStatus(id, "active", null);
  const key = async () =>
    (await node.db.query<{ exit_key: string }>("select exit_key from channels where id = $1", [id]))[0]
      ?.exit_key;
  expect(await key()).toMatch(/^[0-9a-f]{16}$/);
  await api("DELETE", `/v2/channels/${id}`);
});

test.each([["while it is idle"], ["before it is opened"]])(
  "if the proxy dies %s, messages wait, nothing goes around it, the channel says why, and it goes on",
  async (phase) => {
    const proxy = await started({ scheme: "socks5" });
    const before = connections;
    const id = await created(proxy.url);
    if (phase === "before it is opened") await proxy.kill();
    onTestFinished(await startSending(node));
    if (phase === "while it is idle") {
      await untilStatus(id, "active", null);
      await proxy.kill();
      await send(id, "first");
    }
    await untilStatus(id, "init", "proxy");
    await send(id, "late");
    expect(asked.filter((path) => path.startsWith("/send"))).toEqual([]);
    expect(connections - before).toBe(proxy.targets.length);
    await proxy.revive();
    await untilStatus(id, "active", null);
    const texts = phase === "while it is idle" ? ["/send/first", "/send/late"] : ["/send/late"];
    await vi.waitUntil(() => texts.every((text) => asked.includes(text)), { interval: 20, timeout: 30_000 });
    expect(asked.filter((path) => path.startsWith("/send"))).toEqual(texts);
    expect(connections - before).toBe(proxy.targets.length);
    await api("DELETE", `/v2/channels/${id}`);
  },
);

test("the console shows the operator's proxies: who uses them, who waits, and why", async () => {
  onTestFinished(await startSending(node));
  const operator = await newOperator(node, { accountId: null, role: "viewer" });
  const exits = async () => {
    const { json } = await operator.ask("GET", "/system");
    return (json as { exits: Record<string, unknown>[] }).exits;
  };
  const id = await created();
  await untilStatus(id, "active", null);
  const works = {
    exit: expect.stringMatching(/^[0-9a-f]{16}$/),
    address: `http://127.0.0.1:${pool.port}`,
    transports: ["avito"],
    channels: 1,
    waiting: 0,
    failure: null,
    failingSince: null,
  };
  expect(await exits()).toEqual([works]);
  await pool.kill();
  await send(id, "late");
  await untilStatus(id, "init", "proxy");
  expect(await exits()).toEqual([
    {
      ...works,
      waiting: 1,
      failure: expect.stringContaining("ECONNREFUSED"),
      failingSince: expect.any(String),
    },
  ]);
  await pool.revive();
  await untilStatus(id, "active", null);
  expect(await exits()).toEqual([works]);
  await api("DELETE", `/v2/channels/${id}`);
});
