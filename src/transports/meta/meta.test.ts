import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { createTestLink } from "../../core/transport/conformance.ts";
import type { RetryPolicy } from "../../core/transport/errors.ts";
import { backOffMs } from "../../platform/queue/back-off.ts";
import { type FakeApi, startFakeApi } from "../kit/testing.ts";
import { throttledBackOff } from "./back-off.ts";
import { confirmAddress, isSignedBy, signatureIn } from "./callback.ts";
import { GraphRefusal, isUnauthorized, readError, wordsOf } from "./error.ts";
import { createGraph, type Graph } from "./graph.ts";
import { listAll } from "./pages.ts";
import { exchangeCode, extendToken } from "./token.ts";

const never = new AbortController().signal;
const APP = { appId: "1000", appSecret: "s3cret" };

let api: FakeApi;
let graph: Graph;
beforeEach(async () => {
  api = await startFakeApi();
  const link = createTestLink({ credentials: {}, settings: { graphUrl: api.url, graphVersion: "v25.0" } });
  graph = createGraph(link, null, "Instagram");
});
afterEach(async () => expect(await api.finish()).toEqual([]));

test("a code and a short token are exchanged by the app", async () => {
  api.on("GET /v25.0/oauth/access_token", { body: { access_token: "short", token_type: "bearer" } });
  api.on("GET /v25.0/oauth/access_token", { body: { access_token: "long", expires_in: 5_183_944 } });
  api.on("GET /v25.0/oauth/access_token", { body: { token_type: "bearer" } });
  const returnUrl = "https://gate.example/connect/instagram";
  expect(await exchangeCode(graph, APP, { code: "c0de", returnUrl }, never)).toEqual({
    token: "short",
    expiresInSeconds: null,
  });
  expect(await extendToken(graph, APP, "short", never)).toEqual({
    token: "long",
    expiresInSeconds: 5_183_944,
  });
  expect(await extendToken(graph, APP, "short", never)).toBeNull();
  expect(api.requests.map(({ query }) => query)).toEqual([
    { client_id: "1000", client_secret: "s3cret", code: "c0de", redirect_uri: returnUrl },
    ...[1, 2].map(() => ({
      grant_type: "fb_exchange_token",
      client_id: "1000",
      client_secret: "s3cret",
      fb_exchange_token: "short",
    })),
  ]);
});

test("a refusal carries Meta's code and subcode", async () => {
  const error = { message: "No matching user found", code: 100, error_subcode: 2018001, fbtrace_id: "A" };
  api.on("POST /v25.0/me/messages", { status: 400, body: { error } });
  const refused: unknown = await graph
    .call("POST", "me/messages", { body: {} })
    .catch((reason: unknown) => reason);
  expect(refused).toBeInstanceOf(GraphRefusal);
  expect(refused).toMatchObject({ status: 400, error: { code: 100, subcode: 2018001 } });
});

test("the error for an unreadable response names the messenger", async () => {
  api.on("POST /v25.0/me/messages", { status: 502, body: "<html>" });
  await expect(graph.call("POST", "me/messages", { body: {} })).rejects.toMatchObject({
    message: "Instagram returned an unreadable response",
    retry: "unknown",
  });
});

describe("errors", () => {
  it.each([
    [{ code: 190, error_subcode: 463, message: "expired" }, true],
    [{ code: 10, message: "no permission" }, true],
    [{ code: 200, message: "no permission" }, true],
    [{ code: 4, message: "too many" }, false],
    [{ code: 100, message: "bad" }, false],
  ])("%j is unauthorized: %s", (error, expected) => {
    const read = readError(error);
    expect(read !== null && isUnauthorized(read)).toBe(expected);
  });

  it("are described by Meta's text and code", () => {
    expect(wordsOf({ code: 100, message: "bad", details: "text" })).toBe("(#100) bad: text");
    expect(wordsOf({ code: 100, message: "(#100) bad", details: "" })).toBe("(#100) bad");
    expect(readError({ message: "no code" })).toBeNull();
  });
});

describe("throttled background work", () => {
  it.each<[RetryPolicy, number, number]>([
    [{ afterMs: 30_000, scope: "channel" }, 1, 30_000],
    [{ afterMs: 30_000, scope: "channel" }, 3, 120_000],
    [{ afterMs: 2_000, scope: "channel" }, 20, 900_000],
  ])("%j, failure %i: %i ms", (retry, failures, ms) => {
    const pauses = throttledBackOff(retry, 900_000);
    expect(pauses && backOffMs(failures, pauses, 1)).toBe(ms);
  });

  it("other refusals have the default back-off", () => {
    expect(throttledBackOff("later", 900_000)).toBeUndefined();
  });
});

describe("lists", () => {
  /** A list of these pages; the last one is returned again and again. */
  async function list(...pages: readonly object[]) {
    const queries: unknown[] = [];
    const call: Graph["call"] = async (_method, _path, { query } = {}) => {
      queries.push(query?.["after"]);
      return { ...(pages[queries.length - 1] ?? pages.at(-1)) };
    };
    const items = await listAll({ ...graph, call }, "1/things", { fields: "id", signal: never });
    return { ids: items.map(({ id }) => id), queries };
  }
  const page = (after: string, ...ids: readonly string[]) => ({
    data: ids.map((id) => ({ id })),
    paging: { cursors: { after }, next: "https://graph.facebook.com/…" },
  });

  it.each<[string, readonly object[], readonly string[], readonly unknown[]]>([
    ["one page", [{ data: [{ id: "1" }], paging: { cursors: { after: "a" } } }], ["1"], [undefined]],
    [
      "an empty page in between",
      [page("a", "1"), page("b"), { data: [{ id: "2" }] }],
      ["1", "2"],
      [undefined, "a", "b"],
    ],
    ["a cursor that does not change", [page("a", "1")], ["1"], [undefined, "a"]],
  ])("%s", async (_, pages, ids, queries) => {
    expect(await list(...pages)).toEqual({ ids, queries });
  });

  it("have a largest number of pages", async () => {
    const pages = Array.from({ length: 200 }, (_, n) => page(String(n), String(n)));
    expect((await list(...pages)).queries).toHaveLength(100);
  });
});

describe("callbacks", () => {
  const body = Buffer.from('{"object":"instagram"}');
  const signature = `sha256=${createHmac("sha256", APP.appSecret).update(body).digest("hex")}`;
  it("are signed by the app", () => {
    expect(signatureIn({ "x-hub-signature-256": signature })).toBe(signature);
    expect(signatureIn({ "x-hub-signature-256": signature.slice(0, -1) })).toBeNull();
    expect(signatureIn({})).toBeNull();
    expect(isSignedBy(body, signature, APP.appSecret)).toBe(true);
    expect(isSignedBy(Buffer.concat([body, body]), signature, APP.appSecret)).toBe(false);
    expect(isSignedBy(body, signature, "")).toBe(false);
  });

  it.each([
    ["hub.mode=subscribe&hub.verify_token=ours&hub.challenge=42", { status: 200, body: "42" }],
    ["hub.mode=subscribe&hub.verify_token=theirs&hub.challenge=42", { status: 403 }],
    ["hub.mode=subscribe&hub.verify_token=&hub.challenge=42", { status: 403 }],
    ["hub.mode=unsubscribe&hub.verify_token=ours", { status: 403 }],
  ])("%s", (query, reply) => {
    expect(confirmAddress(new URLSearchParams(query), ["ours", ""])).toEqual(reply);
  });
});
