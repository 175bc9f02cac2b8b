import { connect } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startMetricsServer } from "../../../src/http/metrics-server.ts";
import { newId } from "../../../src/platform/ids.ts";
import * as metrics from "../../../src/platform/metrics.ts";
import { startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { stopClock } from "../../kit/timers.ts";
import { call, outcome } from "../kit/call.ts";
import { addAccount, addChannel, startNode, type TestNode } from "../kit/service.ts";

let database: TestDatabase;
let node: TestNode;
let ready = true;

beforeAll(async () => {
  database = await startTestDatabase();
  node = await startNode({
    database,
    readiness: () => ({ ready, checks: { database: true, migrations: ready || "pending" } }),
  });
});
afterAll(async () => {
  await node.stop();
  await database.stop();
});

test("health and readiness", async () => {
  expect((await call(node, "GET", "/healthz")).json).toEqual({ status: "ok" });
  expect((await call(node, "GET", "/readyz")).status).toBe(200);
  ready = false;
  const answer = await call(node, "GET", "/readyz");
  expect([answer.status, answer.json]).toEqual([
    503,
    { ready: false, checks: { database: true, migrations: "pending" } },
  ]);
  ready = true;
});

test("the start page leads to pages that exist", async () => {
  const { status, headers, text } = await call(node, "GET", "/");
  expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
  const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link = ""]) => link);
  expect(links).toEqual(["/app/console", "/docs", "/openapi.json", "/readyz"]);
  for (const link of links) expect((await call(node, "GET", link)).status, link).not.toBe(404);
});

test("metrics count requests by the route's pattern", async () => {
  await call(node, "GET", `/v2/channels/${newId()}`);
  const { headers, text } = await call(node, "GET", "/metrics");
  expect(headers["content-type"]).toContain("text/plain");
  expect(text).toMatch(
    /trunkline_http_request_duration_seconds_count\{method="GET",route="\/v2\/channels\/:id",status="401"\} \d/,
  );
});

test("with a listener of its own, /metrics is there alone", async () => {
  const own = await startMetricsServer(metrics.registry, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => own.close());
  const apart = await startNode({ database, metrics: { ...metrics, registry: null } });
  onTestFinished(() => apart.stop());
  expect((await call(apart, "GET", "/metrics")).status).toBe(404);
  const answer = await fetch(own.url);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, metrics.registry.contentType]);
  expect(await answer.text()).toContain("trunkline_http_request_duration_seconds");
  expect((await fetch(new URL("/healthz", own.url))).status).toBe(404);
  expect((await fetch(own.url, { method: "POST" })).status).toBe(404);
});

test("invalid HTTP gets an error of the same form", async () => {
  const { port } = new URL(node.url);
  const socket = connect(Number(port), "127.0.0.1");
  socket.write("nonsense\r\n\r\n");
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toMatch(
    /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*\{"error":"VALIDATION_ERROR"/,
  );
});

test("callbacks reach the connector byte for byte", async () => {
  const account = await addAccount(node.db);
  const id = await addChannel(node, account, { transport: "telegram", credentials: { telegram_token: "s" } });
  const raw = Buffer.from([0, 255, 1, 254]);
  const headers = { "x-secret": "s", "content-type": "application/octet-stream" };
  const cases = [
    ["POST", "", ""],
    ["PUT", "/a/b", "?x=1&x=2"],
  ] as const;
  for (const [method, path, query] of cases) {
    const answer = await call(node, method, `/in/telegram/${id}${path}${query}`, { headers, raw });
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(JSON.parse(answer.text)).toEqual({
      method,
      path,
      query: [...new URLSearchParams(query)],
      body: raw.toString("base64"),
    });
  }
  expect((await call(node, "GET", `/in/telegram/${id}`, { headers: { "x-secret": "s" } })).status).toBe(200);
  expect((await call(node, "POST", `/in/telegram/${id}`, { raw: "{" })).status).toBe(401);
  const large = await call(node, "POST", `/in/telegram/${id}`, {
    headers,
    raw: Buffer.alloc(4 * 1024 * 1024),
  });
  expect(large.status).toBe(200);
  const tooLarge = await call(node, "POST", `/in/telegram/${id}`, {
    headers,
    raw: Buffer.alloc(4 * 1024 * 1024 + 1),
  });
  expect(outcome(tooLarge)).toBe("413 BODY_TOO_LARGE");
});

test.each([
  `/in/telegram/${newId()}`,
  "/in/telegram/x",
  `/in/whatsapp/${newId()}`,
  `/in/nothing/${newId()}`,
  "/in/telegram",
  "/in",
])("%s is in no response", async (path) => {
  expect(outcome(await call(node, "POST", path, { raw: "{}" }))).toBe("404 NOT_FOUND");
});

test("an internal error shows nothing but its request id", async () => {
  const own = await startNode();
  const { access } = await addAccount(own.db);
  await own.db.query("alter table channels rename to canals");
  const answer = await call(own, "GET", "/v2/channels", { token: access });
  expect([answer.status, answer.json]).toEqual([
    500,
    { error: "INTERNAL_ERROR", description: "Internal server error" },
  ]);
  const message = { channel_id: newId(), recipient: { chat_type: "telegram", chat_id: "1" }, text: "x" };
  const sent = await call(own, "POST", "/v2/messages", { token: access, body: message });
  expect(sent.json).toMatchObject({
    error: "INTERNAL_ERROR",
    status: 500,
    requestId: sent.headers["x-request-id"],
  });
  await own.stop();
});

test("without a database requests wait briefly, then get Retry-After", async () => {
  const database = await startTestDatabase();
  const own = await startNode({ database });
  const { access } = await addAccount(own.db);
  await database.stop();
  const answer = await call(own, "GET", "/v2/channels", { token: access });
  expect(outcome(answer)).toBe("503 UNAVAILABLE");
  expect(answer.headers["retry-after"]).toBe("5");
  expect((await call(own, "GET", "/healthz")).status).toBe(200);
  await own.stop();
});

test("closing lets requests under way end and ends their connections", async () => {
  const own = await startNode();
  const account = await addAccount(own.db);
  const id = await addChannel(own, account, { transport: "telegram" });
  // The first request with an idempotency key that is locked waits until the lock is released.
  const body = { channel_id: id, recipient: { chat_type: "telegram", chat_id: "1" }, text: "x" };
  const send = () =>
    call(own, "POST", "/v2/messages", { token: account.access, headers: { "idempotency-key": "a" }, body });
  await send();
  await own.db.query("update idempotency_keys set status = null, locked_until = now() + interval '1 minute'");
  // It waits as long as it takes.
  stopClock(own.core.clock);
  const arrived = Promise.withResolvers<void>();
  own.http.server.once("request", () => arrived.resolve());
  const waiting = send();
  await arrived.promise;
  // A connection that never sends anything does not delay the stop.
  const silent = connect(Number(new URL(own.url).port), "127.0.0.1");
  await new Promise((resolve) => silent.once("connect", resolve));
  const closing = own.http.close();
  await own.db.query("update idempotency_keys set status = 200, answer = '{}'");
  const answer = await waiting;
  expect([answer.status, answer.text, answer.headers["connection"]]).toEqual([200, "{}", "close"]);
  await closing;
  await expect(call(own, "GET", "/healthz")).rejects.toThrow();
  await own.stop();
});
