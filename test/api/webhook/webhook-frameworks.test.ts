import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import Fastify from "fastify";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { call } from "../kit/call.ts";
import { startDelivery } from "../kit/delivery.ts";
import { write } from "../kit/inbound.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

let node: TestNode;
let stopDelivery: () => Promise<void>;
let account: TestAccount;
let channelId: string;

beforeAll(async () => {
  node = await startNode();
  stopDelivery = await startDelivery(node);
});
beforeEach(async () => {
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "whatsapp" });
});
afterAll(async () => {
  await stopDelivery();
  await node.stop();
});

/** A web application on a third-party framework; `take` gets each body as the framework parsed it. */
interface Running {
  readonly url: string;
  stop(): unknown;
}
type Take = (body: unknown) => void;

const frameworks: Readonly<Record<string, (take: Take) => Promise<Running>>> = {
  async Express(take) {
    const app = express();
    app.use(express.json());
    app.post("/", (request, response) => {
      take(request.body);
      response.send("ok");
    });
    return serve(app);
  },
  async Fastify(take) {
    const app = Fastify();
    app.post("/", async ({ body }) => {
      take(body);
      return "ok";
    });
    return { url: await app.listen({ host: "127.0.0.1", port: 0 }), stop: () => app.close() };
  },
  // As frameworks do that go by the exact media type and its charset.
  "plain http": (take) =>
    serve(async (request, response) => {
      const [type, charset] = (request.headers["content-type"] ?? "").split("; ");
      if (type !== "application/json" || charset !== "charset=utf-8")
        return void response.writeHead(415).end();
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      take(JSON.parse(Buffer.concat(chunks).toString("utf8")));
      response.end();
    }),
};

async function serve(listener: RequestListener): Promise<Running> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close().closeAllConnections() };
}

const subscribe = (webhooksUri: string) =>
  call(node, "PATCH", "/v3/webhooks", {
    token: account.api,
    body: { webhooksUri, subscriptions: { messagesAndStatuses: true } },
  });

test.each(Object.keys(frameworks))("%s gets a parsed body", async (name) => {
  const bodies: unknown[] = [];
  const receiver = await frameworks[name]?.((body) => bodies.push(body));
  try {
    expect((await subscribe(receiver?.url ?? "")).status).toBe(200);
    await write(node, { account, channelId }, [["79001110001", "Добрый день 👋"]]);
    await vi.waitUntil(() => bodies.length === 2);
    expect(bodies).toEqual([
      { test: true },
      { messages: [expect.objectContaining({ text: "Добрый день 👋", channelId })] },
    ]);
  } finally {
    await receiver?.stop();
  }
});

test("the Standard Webhooks library verifies deliveries with the displayed secret", async () => {
  const posts: { readonly body: string; readonly headers: Record<string, string> }[] = [];
  const receiver = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    posts.push({
      body: Buffer.concat(chunks).toString(),
      headers: request.headers as Record<string, string>,
    });
    response.end();
  });
  try {
    await subscribe(receiver.url);
    await write(node, { account, channelId }, [["79001110001", "signed"]]);
    await vi.waitUntil(() => posts.length === 2);
    const { json } = await call(node, "GET", "/v3/webhooks/secret", { token: account.api });
    const webhook = new Webhook((json as { secret: string }).secret);
    for (const { body, headers } of posts) {
      expect(webhook.verify(body, headers)).toEqual(JSON.parse(body));
      expect(() => webhook.verify(`${body} `, headers)).toThrow();
    }
  } finally {
    receiver.stop();
  }
});
