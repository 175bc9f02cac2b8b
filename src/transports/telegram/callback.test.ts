import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TEST_CALLBACK_SECRET } from "../../core/transport/conformance.ts";
import type { InboundReply } from "../../core/transport/connector.ts";
import { receive } from "./callback.ts";
import { openSession } from "./session.ts";
import {
  BOT,
  FAST,
  type FakeBotApi,
  linkTo,
  ok,
  refuse,
  sample,
  startFakeBotApi,
  type TelegramTestLink,
} from "./testing.ts";

const URL_OF_OURS = "https://gateway.example.com/in/telegram/1";
const SET = {
  url: URL_OF_OURS,
  secret_token: TEST_CALLBACK_SECRET,
  allowed_updates: [
    "message",
    "edited_message",
    "callback_query",
    "message_reaction",
    "my_chat_member",
    "chat_member",
  ],
  max_connections: 40,
};

let api: FakeBotApi;
let link: TelegramTestLink;

beforeEach(async () => {
  api = await startFakeBotApi();
  link = linkTo(api.url, URL_OF_OURS);
});

afterEach(async () => {
  await link.dispose();
  expect(await api.finish()).toEqual([]);
});

function info(more: object = {}): { body: unknown } {
  return ok({ url: URL_OF_OURS, has_custom_certificate: false, pending_update_count: 0, ...more });
}

function paramsOf(method: string): unknown[] {
  return api.requests.filter((each) => each.method === method).map(({ params }) => params);
}

const states = (): string[] =>
  link.events.flatMap((event) => (event.kind === "link" ? [event.state.status] : []));

describe("webhook", () => {
  let session: Awaited<ReturnType<typeof openSession>>;
  const start = async (): Promise<void> => {
    api.on("getMe", ok(BOT));
    session = await openSession(link, FAST);
  };
  afterEach(() => session.close());

  /** The watch checks again after every response, so the last check gets a flood delay that outlasts the test. */
  const rest = refuse(429, "Too Many Requests: retry after 60", { retry_after: 60 });

  it("is set with our URL and secret", async () => {
    api.on("setWebhook", ok(true));
    api.on("getWebhookInfo", rest);
    await start();
    await api.request("getWebhookInfo");
    expect(paramsOf("setWebhook")).toEqual([SET]);
    expect(states()).toEqual(["active"]);
  });

  it("waits when Telegram throttles setWebhook", async () => {
    api.on("setWebhook", refuse(429, "Too Many Requests: retry after 0.01", { retry_after: 0.01 }), ok(true));
    api.on("getWebhookInfo", rest);
    await start();
    await api.request("getWebhookInfo");
    expect(states()).toEqual(["active"]);
  });

  it("is set again after another program replaced it", async () => {
    api.on("setWebhook", ok(true), ok(true));
    api.on("getWebhookInfo", info({ url: "https://elsewhere.example.com/" }), rest);
    await start();
    await api.request("getWebhookInfo", 2);
    expect(paramsOf("setWebhook")).toEqual([SET, SET]);
    expect(link.logs).toContainEqual(
      expect.objectContaining({ message: "Telegram: another program replaced the webhook" }),
    );
  });

  it("logs each failed delivery once", async () => {
    api.on("setWebhook", ok(true));
    const trouble = {
      last_error_date: 1790000000,
      last_error_message: "Connection timed out",
      pending_update_count: 3,
    };
    api.on("getWebhookInfo", info(trouble), info(trouble), rest);
    await start();
    await api.request("getWebhookInfo", 3);
    const lines = link.logs.filter(({ message }) => message.includes("could not deliver"));
    expect(lines).toMatchObject([{ level: "warn", details: { detail: "Connection timed out", pending: 3 } }]);
  });

  it("reports when the connection is lost and restored", async () => {
    api.on("setWebhook", ok(true));
    api.on("getWebhookInfo", refuse(502, "Bad Gateway"), refuse(502, "Bad Gateway"), info(), rest);
    await start();
    await api.request("getWebhookInfo", 4);
    expect(states()).toEqual(["active", "lost", "active"]);
  });

  it("stops when the token is revoked", async () => {
    api.on("setWebhook", refuse(401, "Unauthorized"));
    await start();
    await link.waitFor(({ kind }) => kind === "link");
    expect(states()).toEqual(["disabled"]);
  });

  it("polls when Telegram rejects the URL", async () => {
    api.on("setWebhook", refuse(400, "Bad Request: bad webhook: An HTTPS URL must be provided for webhook"));
    api.on("getMe", ok(BOT));
    api.on("deleteWebhook", ok(true));
    api.on("getUpdates", ok([sample("text")]));
    await start();
    await link.waitFor(({ kind }) => kind === "message");
    expect(states()).toEqual(["active"]);
  });
});

describe("receive", () => {
  interface Call {
    readonly method?: string;
    readonly secret?: string | string[] | undefined;
    readonly body?: string;
  }
  function call({
    method = "POST",
    body = JSON.stringify(sample("text")),
    ...rest
  }: Call = {}): Promise<InboundReply> {
    const secret = "secret" in rest ? rest.secret : TEST_CALLBACK_SECRET;
    const headers = { "x-telegram-bot-api-secret-token": secret };
    return receive(
      { method, path: "", query: new URLSearchParams(), headers, body: Buffer.from(body) },
      link,
    );
  }

  const refused: readonly (readonly [string, Call, number])[] = [
    ["GET", { method: "GET" }, 405],
    ["no secret", { secret: undefined }, 401],
    ["another secret", { secret: "0".repeat(64) }, 401],
    ["a shorter secret", { secret: TEST_CALLBACK_SECRET.slice(1) }, 401],
    ["two secrets", { secret: [TEST_CALLBACK_SECRET, TEST_CALLBACK_SECRET] }, 401],
    ["nothing", { body: "" }, 400],
  ];
  it.each(refused)("rejects %s", async (_, request, status) => {
    expect(await call(request)).toEqual({ status });
    expect(link.events).toEqual([]);
  });

  it("responds 200 once the message is stored", async () => {
    expect(await call()).toEqual({ status: 200 });
    expect(link.events).toMatchObject([{ kind: "message", message: { externalId: "15" } }]);
  });

  it("fails if the message is not stored, so that Telegram retries", async () => {
    link.onEmit(() => Promise.reject(new Error("database is away")));
    await expect(call()).rejects.toThrow("database is away");
  });

  it("answers a button press", async () => {
    api.on("answerCallbackQuery", ok(true));
    expect(await call({ body: JSON.stringify(sample("press")) })).toEqual({ status: 200 });
    expect((await api.request("answerCallbackQuery")).params).toEqual({
      callback_query_id: "4382bfdwdsb323b2d9",
    });
  });

  it.each([
    ["no message", '{"update_id":1,"message":{}}', { update_id: 1, message: {} }],
    ["no update", "7", 7],
    ["bad JSON", "{", "{"],
  ])("stores a dead letter and acknowledges: %s", async (_, body, payload) => {
    expect(await call({ body })).toEqual({ status: 200 });
    expect(link.deadLetters).toMatchObject([{ payload }]);
  });
});
