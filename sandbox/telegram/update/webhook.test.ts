import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { type Json, type Kit, stopClock, withSandbox } from "../../test-kit.ts";

interface Delivered {
  readonly update: Json;
  readonly request: IncomingMessage;
}

type Receiver = (delivered: Delivered, response: ServerResponse) => void;

/** A webhook receiver with configurable responses, and a sandbox with short pauses. */
async function withReceiver(receive: Receiver, run: (kit: Kit, url: string) => Promise<void>): Promise<void> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    receive({ update: JSON.parse(Buffer.concat(chunks).toString()) as Json, request }, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  try {
    await withSandbox(async (kit) => {
      await kit.admin("POST /settings", { retry_scale: 0.005, wait_scale: 0 });
      await run(kit, `http://127.0.0.1:${port}/hook`);
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Collects requests, and waits for a number of them. */
class Collector {
  readonly items: Delivered[] = [];
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  add(delivered: Delivered): void {
    this.items.push(delivered);
    for (const { count, resolve } of this.#waiting) if (this.items.length >= count) resolve();
  }

  reach(count: number): Promise<void> {
    if (this.items.length >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }

  texts(): string[] {
    return this.items.map(({ update }) => String(update["message"]?.["text"]));
  }
}

describe("webhook", () => {
  test("sends the secret, JSON bodies, and pending updates", () => {
    const seen = new Collector();
    return withReceiver(
      (delivered, response) => {
        seen.add(delivered);
        response.end();
      },
      async ({ ann, ok }, url) => {
        await ann("messages", { text: "before" });
        await ok("setWebhook", { url, secret_token: "s-e_c" });
        await ann("messages", { text: "after" });
        await seen.reach(2);
        expect(seen.texts()).toEqual(["before", "after"]);
        expect(seen.items[0]?.request.headers).toMatchObject({
          "content-type": "application/json",
          "x-telegram-bot-api-secret-token": "s-e_c",
        });
      },
    );
  });

  test("retries immediately and then with pauses; later updates of the chat wait, other chats do not", () => {
    const seen = new Collector();
    let attempts = 0;
    return withReceiver(
      (delivered, response) => {
        seen.add(delivered);
        const isFirst = seen.texts().at(-1) === "a1";
        if (isFirst) attempts++;
        const fails = isFirst && (attempts <= 3 || !seen.texts().includes("b1"));
        response.writeHead(fails ? 500 : 200).end();
      },
      async ({ admin, ann, ok }, url) => {
        await admin("POST /users", { id: 222, first_name: "Bob" });
        await ok("setWebhook", { url });
        await ann("messages", { text: "a1" });
        await ann("messages", { text: "a2" });
        await admin("POST /messages", { user_id: 222, bot_id: 1_000_001, text: "b1" });
        await expect.poll(() => seen.texts().at(-1)).toBe("a2");
        const texts = seen.texts();
        expect(texts.slice(0, 4)).toContain("a1");
        expect(texts.filter((text) => text === "a1").length).toBeGreaterThan(3);
        expect(texts.filter((text) => text === "a2")).toHaveLength(1);
        expect(texts).toContain("b1");
        const info = await ok("getWebhookInfo");
        expect(info).toMatchObject({
          url,
          last_error_message: "Wrong response from the webhook: 500 Internal Server Error",
        });
      },
    );
  });

  test("no more than max_connections at a time", () => {
    const held: ServerResponse[] = [];
    const seen = new Collector();
    return withReceiver(
      (delivered, response) => {
        held.push(response);
        seen.add(delivered);
      },
      async ({ admin, ok }, url) => {
        await ok("setWebhook", { url, max_connections: 2 });
        await admin("POST /load", { bot_id: 1_000_001, users: 5, count: 5 });
        await seen.reach(2);
        expect(held).toHaveLength(2);
        held.shift()?.end();
        await seen.reach(3);
        expect(seen.items).toHaveLength(3);
        expect(await ok("getWebhookInfo")).toMatchObject({ pending_update_count: 4, max_connections: 2 });
      },
    );
  });

  test("honours Retry-After", () => {
    const seen = new Collector();
    const times: number[] = [];
    return withReceiver(
      (delivered, response) => {
        times.push(performance.now());
        response.writeHead(times.length === 1 ? 503 : 200, { "Retry-After": "20" }).end();
        seen.add(delivered);
      },
      async ({ ann, ok }, url) => {
        await ok("setWebhook", { url });
        await ann("messages", { text: "x" });
        await seen.reach(2);
        expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(90);
      },
    );
  });

  test("stops retrying after a day", () => {
    const seen = new Collector();
    return withReceiver(
      (delivered, response) => {
        seen.add(delivered);
        response.writeHead(seen.texts().at(-1) === "late" ? 200 : 500).end();
      },
      async ({ admin, ann, ok }, url) => {
        await admin("POST /settings", { retry_scale: 10 });
        await ok("setWebhook", { url });
        await ann("messages", { text: "lost" });
        await seen.reach(2);
        await admin("POST /bots/1000001/time", { advance_seconds: 86_401 });
        await ann("messages", { text: "late" });
        await seen.reach(3);
        expect(seen.texts()).toEqual(["lost", "lost", "late"]);
      },
    );
  });

  test("410 for 23 hours removes the webhook", () => {
    const seen = new Collector();
    return withReceiver(
      (delivered, response) => {
        response.writeHead(410).end();
        seen.add(delivered);
      },
      async ({ admin, ann, ok }, url) => {
        await admin("POST /settings", { retry_scale: 10 });
        await ok("setWebhook", { url });
        await ann("messages", { text: "x" });
        await seen.reach(2);
        await admin("POST /bots/1000001/time", { advance_seconds: 23 * 3600 + 10 });
        await seen.reach(3);
        await expect.poll(() => ok("getWebhookInfo")).toMatchObject({ url: "" });
        const polled = await ok("getUpdates");
        expect(polled).toMatchObject([{ message: { text: "x" } }]);
      },
    );
  });

  test("executes a method in the response, except getters and setters", () => {
    const answers = [
      { method: "deleteWebhook" },
      { method: "sendMessage", chat_id: 111, text: "from the answer" },
    ];
    return withReceiver(
      (_delivered, response) => {
        response
          .writeHead(200, { "Content-Type": "application/json" })
          .end(JSON.stringify(answers.shift() ?? {}));
      },
      async ({ admin, ann, ok }, url) => {
        await ok("setWebhook", { url });
        await ann("messages", { text: "1" });
        await ann("messages", { text: "2" });
        const sent = await admin("GET /bots/1000001/sent?count=1");
        expect(sent["items"]).toMatchObject([
          { method: "sendMessage", message: { text: "from the answer" } },
        ]);
        expect(await ok("getWebhookInfo")).toMatchObject({ url });
      },
    );
  });

  test("getWebhookInfo reports an unreachable receiver", () =>
    withSandbox(async ({ admin, ann, call, ok }) => {
      await ok("setWebhook", { url: "http://127.0.0.1:9/" });
      await ann("messages", { text: "x" });
      await expect
        .poll(async () => (await call("getWebhookInfo")).body["result"])
        .toMatchObject({ pending_update_count: 1, last_error_message: "Connection refused" });
      await admin("DELETE /");
    }));

  test("setting, setting again, deleting", () =>
    withSandbox(async ({ admin, call, url }) => {
      stopClock();
      const hook = { url: `${url}/inbox` };
      const remark = async (method: string, parameters?: object) =>
        (await call(method, parameters)).body["description"];
      expect(await remark("deleteWebhook")).toBe("Webhook is already deleted");
      expect(await remark("setWebhook", hook)).toBe("Webhook was set");
      const hurried = await call("setWebhook", hook);
      expect(hurried).toMatchObject({
        status: 429,
        body: { description: "Too Many Requests: retry after 1", parameters: { retry_after: 1 } },
      });
      expect(hurried.headers.get("retry-after")).toBe("1");
      await admin("POST /settings", { wait_scale: 0 });
      expect(await remark("setWebhook", hook)).toBe("Webhook is already set");
      expect(await remark("setWebhook", { url: "" })).toBe("Webhook was deleted");
    }));
});
