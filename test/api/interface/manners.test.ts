import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, call, outcome } from "../kit/call.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

let node: TestNode;
let account: TestAccount;
let channel: string;
let token: string;

beforeAll(async () => {
  node = await startNode();
  account = await addAccount(node.db);
  channel = await addChannel(node, account, { transport: "telegram" });
  token = account.access;
});
afterAll(() => node.stop());

const message = (more: object = {}) => ({
  channel_id: channel,
  recipient: { chat_type: "telegram", chat_id: "100" },
  text: "Hello",
  ...more,
});
const send = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  call(node, "POST", "/v2/messages", { token, body, headers });

describe("paths and methods", () => {
  test.each([
    ["/v2/channels", 200],
    ["/v2/channels/", 200],
    ["//v2/channels", 200],
    ["/v2//channels/", 200],
    ["/v2/channels?unknown=1&x[]=2", 200],
    ["/v2/channels?unknown=%00", 200],
    ["/v2/nothing", 404],
    ["/v2", 404],
    ["/", 200],
    ["/v2/channels/%zz", 404],
  ])("GET %s: %i", async (path, status) => {
    expect((await call(node, "GET", path, { token })).status).toBe(status);
  });

  test.each([
    ["GET", "/v3/webhooks/deliveries?kind=a%00b", "kind"],
    [
      "GET",
      `/v3/webhooks/parked?cursor=${Buffer.from(`1 ${"-".repeat(36)}`).toString("base64url")}`,
      "cursor",
    ],
    ["POST", "/v3/webhooks/replay", "deliveryIds[0]", { deliveryIds: [1e19] }],
    ["POST", "/v3/webhooks/replay", "eventIds[1]", { parked: true, eventIds: [1, 1e19] }],
  ] as const)("%s %s: %s is invalid", async (method, path, field, body?: object) => {
    const answer = await call(node, method, path, { token: account.api, body });
    expect(outcome(answer)).toBe(`400 VALIDATION_ERROR ${field}`);
  });

  test("an unknown route is the same 404 with and without a token", async () => {
    const body = { error: "NOT_FOUND", description: "There is no such route" };
    expect((await call(node, "GET", "/v2/nothing")).json).toEqual(body);
    expect((await call(node, "GET", "/v2/nothing", { token })).json).toEqual(body);
  });

  test.each(["", "{nonsense", "{}", "x".repeat(1_100_000)])("with any body: %.9j", async (raw) => {
    for (const type of ["application/json", "text/plain", ""]) {
      const answer = await call(node, "POST", "/nowhere", { raw, headers: { "content-type": type } });
      expect(outcome(answer)).toBe("404 NOT_FOUND");
    }
  });

  test.each([
    ["PUT", "/v2/channels", "GET, HEAD, POST, OPTIONS"],
    ["PATCH", "/v2/channels/x", "GET, HEAD, DELETE, OPTIONS"],
    ["GET", "/v2/messages", "POST, OPTIONS"],
    ["POST", "/v3/webhooks/", "GET, HEAD, PATCH, OPTIONS"],
    ["DELETE", "/healthz", "GET, HEAD, OPTIONS"],
  ] as const)("%s %s: 405", async (method, path, allow) => {
    const answer = await call(node, method, path, method === "GET" ? {} : { raw: "{nonsense" });
    expect(outcome(answer)).toBe("405 METHOD_NOT_ALLOWED");
    expect(answer.headers["allow"]).toBe(allow);
  });

  test("OPTIONS tells the methods", async () => {
    const answer = await call(node, "OPTIONS", "/v2/messages");
    expect([answer.status, answer.headers["allow"], answer.text]).toEqual([204, "POST, OPTIONS", ""]);
  });

  test.each([
    ["OPTIONS", "/v2/messages"],
    ["GET", "/v2/channels"],
    ["GET", "/v3/webhooks"],
    ["GET", "/v2/nothing"],
  ] as const)("%s %s gives a page of another origin no access", async (method, path) => {
    const answer = await call(node, method, path, { token, headers: { origin: "https://crm.example" } });
    expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test("HEAD is GET without a body", async () => {
    const answer = await call(node, "HEAD", "/v2/channels", { token });
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(answer.headers["content-type"]).toContain("application/json");
  });
});

describe("bodies", () => {
  test.each(["[]", "{}", "{nonsense", "x".repeat(2_000)])("GET ignores %.12s", async (raw) => {
    expect((await call(node, "GET", "/v2/channels", { token, raw })).status).toBe(200);
  });

  test.each([
    ["application/json", "[]"],
    ["application/json", "{nonsense"],
    ["text/plain", "whatever"],
    ["nonsense", "whatever"],
    ["", "[]"],
    ["application/json", "x".repeat(1_100_000)],
  ])("DELETE ignores a body of type %j", async (type, raw) => {
    const id = await addChannel(node, account, { transport: "viber" });
    const answer = await call(node, "DELETE", `/v2/channels/${id}`, {
      token,
      raw,
      headers: { "content-type": type },
    });
    expect(answer.status).toBe(200);
  });

  test("an empty JSON body is accepted if nothing is required", async () => {
    const headers = { "content-type": "application/json" };
    const answer = await call(node, "PATCH", "/v3/webhooks", { token: account.api, headers, raw: "" });
    expect([answer.status, answer.text]).toEqual([200, "OK"]);
  });

  test("an empty body names the required fields", async () => {
    expect(outcome(await call(node, "POST", "/v2/messages", { token }))).toBe(
      "400 VALIDATION_ERROR channel_id recipient",
    );
  });

  test.each([
    ["application/json; charset=utf-8", 200],
    ["APPLICATION/JSON", 200],
    ["", 200],
    ["text/plain", 415],
    ["application/x-www-form-urlencoded", 415],
    ["nonsense", 415],
  ])("JSON of type %j: %i", async (type, status) => {
    expect((await send(message(), { "content-type": type })).status).toBe(status);
  });

  test.each([
    ["gzip", "415 UNSUPPORTED_MEDIA_TYPE"],
    ["identity", "200"],
    ["UTF-8", "200"],
  ])("a body of the encoding %s: %s", async (encoding, expected) => {
    const plain = JSON.stringify(message());
    const raw = encoding === "gzip" ? gzipSync(plain) : plain;
    const headers = { "content-encoding": encoding };
    expect(outcome(await call(node, "POST", "/v2/messages", { token, headers, raw }))).toBe(expected);
  });

  test.each(["{", "{nonsense", '{"a":1}}', "'text'"])("%s is not JSON", async (raw) => {
    expect(outcome(await call(node, "POST", "/v2/messages", { token, raw }))).toBe("400 INVALID_JSON");
  });

  test("more than 512 KB is too much for a message", async () => {
    expect(outcome(await send(message({ text: "x".repeat(524_289) })))).toBe("413 BODY_TOO_LARGE");
    expect((await send(message({ text: "x".repeat(500_000) }))).status).toBe(200);
  });

  test("characters that PostgreSQL cannot store do no harm", async () => {
    expect((await send(message({ text: "a\ud800c \\u0000" }))).status).toBe(200);
    expect(outcome(await send(message({ text: "a\u0000b" })))).toBe("400 VALIDATION_ERROR text");
    expect(outcome(await send(message({ ["te\u0000xt"]: "a" })))).toBe("400 VALIDATION_ERROR te\ufffdxt");
    const recipient = { chat_type: "telegram", chat_id: "1\u0000" };
    expect(outcome(await send(message({ recipient })))).toBe("400 VALIDATION_ERROR recipient.chat_id");
  });

  test.each([
    ["a byte that begins nothing", [0xff]],
    ["a character that breaks off", [0xe2, 0x82]],
    ["Latin-1", [0xe9, 0x20]],
    ["half of a pair", [0xed, 0xa0, 0x80]],
  ])("a body that is not valid UTF-8 is refused: %s", async (_name, bytes) => {
    const [head = "", tail = ""] = JSON.stringify(message({ text: "MARK" })).split("MARK");
    const raw = Buffer.concat([Buffer.from(head), Buffer.from(bytes), Buffer.from(tail)]);
    expect(outcome(await call(node, "POST", "/v2/messages", { token, raw }))).toBe("400 INVALID_JSON");
    expect((await send(message({ text: "é 漢 👍" }))).status).toBe(200);
  });

  test("a prototype in the body is no field", async () => {
    const raw = JSON.stringify(message()).replace("{", '{"__proto__":{"text":"x"},');
    expect((await call(node, "POST", "/v2/messages", { token, raw })).status).toBe(200);
  });
});

describe("null, unknown fields, types", () => {
  test("null in an optional field means absent, at every depth", async () => {
    const nothing = {
      quoted_message_id: null,
      attachment: null,
      template: null,
      buttons: null,
      keyboard: null,
      crm_user_id: null,
      reset_unanswered: null,
      recipient: {
        chat_type: "telegram",
        chat_id: "100",
        username: null,
        phone: null,
        crm_contact_name: null,
      },
    };
    expect((await send(message(nothing))).status).toBe(200);
    const button = { text: "Yes", callback_data: "yes", url: null };
    const keyboard = { reply_markup: "inline", one_time_keyboard: null, buttons: [[button]] };
    expect((await send(message({ keyboard }))).status).toBe(200);
  });

  test("null in a required field is an error", async () => {
    const recipient = { chat_type: null };
    expect(outcome(await send(message({ channel_id: null, recipient })))).toBe(
      "400 VALIDATION_ERROR channel_id recipient.chat_type",
    );
  });

  test("v2 names unknown fields, v3 ignores them", async () => {
    const recipient = { chat_type: "telegram", chat_id: "1", nickname: "x" };
    expect(outcome(await send(message({ recipient, txt: "Hello" })))).toBe(
      "400 VALIDATION_ERROR recipient.nickname txt",
    );
    const body = { unknown: 1, subscriptions: { unknown: true } };
    expect((await call(node, "PATCH", "/v3/webhooks", { token: account.api, body })).text).toBe("OK");
  });

  test("types are not coerced, and one response names every error", async () => {
    const attachment = { url: "https://example.com/a.png", size: "2" };
    const answer = await send(message({ text: 5, reset_unanswered: "true", attachment }));
    expect(outcome(answer)).toBe("400 VALIDATION_ERROR attachment.size reset_unanswered text");
    expect(answer.json).toMatchObject({
      error: "VALIDATION_ERROR",
      description: "The request has invalid fields",
      data: { fields: expect.arrayContaining([{ field: "text", message: "must be a string" }]) },
      status: 400,
    });
  });

  test("faults of the recipient, the file and the keyboard are named together", async () => {
    const attachment = { url: "ftp://example.com/a.png" };
    const keyboard = { buttons: [{ text: "A" }] };
    const recipient = { chat_type: "telegram", chat_id: "1", phone: "none" };
    const answer = await send({ channel_id: channel, recipient, attachment, keyboard });
    expect(outcome(answer)).toBe("400 VALIDATION_ERROR attachment.url keyboard.buttons[0] recipient.phone");
  });
});

describe("headers and errors", () => {
  test("every answer has a request id", async () => {
    const answers = await Promise.all([
      call(node, "GET", "/v2/channels", { token }),
      call(node, "GET", "/v2/channels"),
      call(node, "GET", "/nowhere"),
      call(node, "GET", "/v2/%zz"),
      call(node, "OPTIONS", "/v2/channels"),
      call(node, "GET", "/healthz"),
    ]);
    const ids = answers.map(({ headers }) => headers["x-request-id"]);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("errors of message routes carry status and the request's id", async () => {
    const answer = await send({});
    expect(answer.json).toMatchObject({ status: 400, requestId: answer.headers["x-request-id"] });
    const refused = await call(node, "POST", "/v2/messages/");
    expect(refused.json).toEqual({
      error: "INVALID_APIKEY",
      description: "Invalid authorization header",
      data: { reason: "The Authorization header is missing" },
      status: 401,
      requestId: refused.headers["x-request-id"],
    });
    expect(
      Object.keys((await call(node, "POST", "/v2/channels", { token, body: {} })).json as object),
    ).toEqual(["error", "description", "data"]);
  });

  test("responses are not cached, sniffed or framed", async () => {
    const { headers } = await call(node, "GET", "/v2/channels", { token });
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    });
  });

  test("the envelope's timestamp is in Unix seconds", async () => {
    const { json } = await call(node, "GET", "/v2/channels", { token });
    const { timestamp } = (json as { meta: { timestamp: number } }).meta;
    expect(Math.abs(timestamp - Date.now() / 1000)).toBeLessThan(60);
  });
});
