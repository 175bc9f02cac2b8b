import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { Readable } from "node:stream";
import { Agent } from "undici";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createHttpClient, type HttpExchange, HttpFailure, type HttpRequest } from "./http-client.ts";
import { createGuardedDispatcher } from "./safe-fetch.ts";

const exchanges: HttpExchange[] = [];
const request = createHttpClient({
  redact: (text) => text.replaceAll("s3cret", "***"),
  onExchange: (exchange) => exchanges.push(exchange),
});

let answer: (request: IncomingMessage, response: ServerResponse) => void;
let received = 0;
const server = createServer((incoming, response) => {
  received++;
  answer(incoming, response);
});
let base = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  received = 0;
  exchanges.length = 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function failureOf(options: HttpRequest): Promise<HttpFailure> {
  const error = await request(options).then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (!(error instanceof HttpFailure)) throw new Error(`not an HttpFailure: ${String(error)}`);
  return error;
}

test("sends method, headers and body, and returns JSON", async () => {
  answer = async (incoming, response) => {
    const body = (await incoming.toArray()).join("");
    response.end(
      JSON.stringify({ method: incoming.method, path: incoming.url, x: incoming.headers["x-a"], body }),
    );
  };
  const bodies = ["text", Buffer.from("text"), Readable.from([Buffer.from("te"), Buffer.from("xt")])];
  for (const body of bodies) {
    const found = await request({ method: "POST", url: `${base}/p?q=1`, headers: { "x-a": "b" }, body });
    expect(found.status).toBe(200);
    expect(await found.json()).toEqual({ method: "POST", path: "/p?q=1", x: "b", body: "text" });
  }
});

test("returns redirects and errors; reports the start of an error, without secrets", async () => {
  answer = (_incoming, response) => response.writeHead(400).end(`no s3cret ${"x".repeat(5_000)}`);
  const found = await request({ method: "GET", url: `${base}/bots3cret/getMe` });
  expect(found.status).toBe(400);
  expect((await found.bytes()).length).toBe(5_010);
  expect(exchanges).toHaveLength(1);
  expect(exchanges[0]).toMatchObject({ method: "GET", url: `${base}/bot***/getMe`, status: 400 });
  expect(exchanges[0]?.answer).toMatch(/^no \*\*\* x+$/);
  expect(exchanges[0]?.answer?.length).toBeLessThanOrEqual(1024);

  answer = (_incoming, response) => response.writeHead(302, { location: "/elsewhere" }).end();
  const redirect = await request({ method: "GET", url: base });
  expect([redirect.status, redirect.headers["location"], received]).toEqual([302, "/elsewhere", 2]);
  await redirect.bytes();
});

test("a failed connection counts as not sent", async () => {
  const closed = createTcpServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => closed.once("listening", resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  for (const url of [`http://127.0.0.1:${port}/s3cret`, "http://no-such-host.invalid/s3cret"]) {
    const failure = await failureOf({ method: "POST", url, body: "x" });
    expect(failure.sent).toBe(false);
    expect(failure.message).not.toContain("s3cret");
  }
  expect(exchanges.map(({ status }) => status)).toEqual([null, null]);
  const guarded = createHttpClient({
    redact: (text) => text,
    dispatcher: createGuardedDispatcher({ allowNetworks: [] }),
  });
  await expect(guarded({ method: "GET", url: base })).rejects.toMatchObject({ sent: false, isBlocked: true });
  expect(await failureOf({ method: "GET", url: "http://127.0.0.1:1/" })).toMatchObject({ isBlocked: false });
  expect(received).toBe(0);
});

test("a connection closed after the request counts as sent", async () => {
  answer = (incoming) => incoming.socket.destroy();
  expect((await failureOf({ method: "POST", url: base, body: "x" })).sent).toBe(true);
});

test("a slow response times out and counts as sent", async () => {
  answer = () => {};
  const failure = await failureOf({ method: "POST", url: base, body: "x", timeoutMs: 300 });
  expect(failure.sent).toBe(true);
});

test("aborts promptly: counts as sent once it was being sent, as not sent before", async () => {
  const controller = new AbortController();
  answer = () => controller.abort();
  expect((await failureOf({ method: "POST", url: base, body: "x", signal: controller.signal })).sent).toBe(
    true,
  );
  const failure = await failureOf({ method: "POST", url: base, body: "x", signal: controller.signal });
  expect([failure.sent, received]).toEqual([false, 1]);
});

test("an abort does not wait for a pending connection", async () => {
  const controller = new AbortController();
  const unconnected = createHttpClient({
    redact: (text) => text,
    dispatcher: new Agent({ connect: () => controller.abort() }),
  });
  const { signal } = controller;
  await expect(unconnected({ method: "GET", url: base, signal })).rejects.toMatchObject({ sent: false });
});

test("limits responses in memory, but not streams", async () => {
  const size = 10 * 1024 * 1024 + 1;
  answer = (_incoming, response) => response.end(Buffer.alloc(size));
  const large = await request({ method: "GET", url: base });
  await expect(large.bytes()).rejects.toThrow(HttpFailure);
  const streamed = await request({ method: "GET", url: base });
  let total = 0;
  for await (const chunk of streamed.stream()) total += (chunk as Buffer).length;
  expect(total).toBe(size);
});

test.each([0, 4])("destroying an unread stream of %i bytes affects nothing else", async (size) => {
  answer = (_incoming, response) => response.end(Buffer.alloc(size));
  const stream = (await request({ method: "GET", url: base })).stream();
  stream.destroy();
  await new Promise((resolve) => stream.once("close", resolve));
  expect(stream.destroyed).toBe(true);
});

test("a response that is not JSON is a failure that counts as sent", async () => {
  answer = (_incoming, response) => response.end("<html>");
  const found = await request({ method: "GET", url: base });
  await expect(found.json()).rejects.toMatchObject({ name: "HttpFailure", sent: true });
});

test("does not send a request that is no longer permitted once connected", async () => {
  answer = (_incoming, response) => response.end("{}");
  const dispatcher = new Agent();
  let allowed = true;
  const guarded = createHttpClient({ dispatcher, redact: (text) => text, maySend: () => allowed });
  const late = guarded({ method: "POST", url: base, body: "x" }).catch((error: unknown) => error);
  // The connection is not established yet.
  allowed = false;
  expect(await late).toMatchObject({ name: "HttpFailure", sent: false });
  expect(received).toBe(0);
  allowed = true;
  expect((await guarded({ method: "POST", url: base, body: "x" })).status).toBe(200);
  await dispatcher.close();
});
