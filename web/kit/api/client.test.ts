import { afterEach, expect, test, vi } from "vitest";
import { online } from "../offline.tsx";
import { NoConnection, Refusal } from "./client.ts";
import { call } from "./page-client.ts";

/** A response whose body ends with an error after these bytes. */
function broken(status: number, text: string, error: unknown): Response {
  const body = new ReadableStream({
    pull(controller) {
      if (text !== "") controller.enqueue(new TextEncoder().encode(text));
      controller.error(error);
    },
  });
  return new Response(body, { status });
}

function respond(response: Response): void {
  vi.stubGlobal("fetch", () => Promise.resolve(response));
}

afterEach(() => {
  vi.unstubAllGlobals();
  online.value = true;
});

const ID = { path: { id: "1" } };

test.each([
  ["breaks off", broken(200, '{"deals":[', new TypeError("terminated"))],
  ["breaks off before its body", broken(200, "", new TypeError("terminated"))],
  ["is a page of something in between", new Response("<html></html>", { status: 200 })],
])("a response that %s is none", async (_, response) => {
  respond(response);
  await expect(call("getClient", ID)).rejects.toThrow(NoConnection);
  expect(online.value).toBe(false);
});

test("a response whose request is aborted during its body is not accepted", async () => {
  const abort = new AbortController();
  abort.abort();
  respond(broken(200, '{"deals":[', abort.signal.reason));
  await expect(call("getClient", ID, { signal: abort.signal })).rejects.toBe(abort.signal.reason);
  expect(online.value).toBe(true);
});

test.each([
  [
    "the service",
    new Response('{"error":"NOT_FOUND","description":"None"}', { status: 404 }),
    "NOT_FOUND",
    "None",
  ],
  [
    "something in between",
    new Response("<html></html>", { status: 502 }),
    "UNKNOWN",
    "The service answered 502",
  ],
  [
    "a proxy's gateway",
    Response.json({ error: "Bad Gateway" }, { status: 502 }),
    "UNKNOWN",
    "The service answered 502",
  ],
  ["a proxy without words", Response.json(null, { status: 504 }), "UNKNOWN", "The service answered 504"],
  [
    "a proxy's limit",
    new Response("<html></html>", { status: 413 }),
    "BODY_TOO_LARGE",
    "The service answered 413",
  ],
  [
    "something that breaks off",
    broken(502, "<ht", new TypeError("terminated")),
    "UNKNOWN",
    "The service answered 502",
  ],
])("a refusal of %s is thrown", async (_, response, code, message) => {
  respond(response);
  const refusal = await call("getClient", ID).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Refusal);
  expect(refusal).toMatchObject({ code, message });
});
