import { createHmac } from "node:crypto";
import { describe, expect, it, test } from "vitest";
import { createTestLink } from "../../core/transport/conformance.ts";
import { HttpFailure } from "../../core/transport/connector.ts";
import { isSame } from "../../platform/same.ts";
import { createAnnouncer } from "./announcer.ts";
import { readCall } from "./call-body.ts";
import { emitAll, MAX_EVENTS } from "./emit-all.ts";
import { inSlices } from "./in-slices.ts";
import { noResponse, unreadable } from "./no-response.ts";
import { reportMoved } from "./report-moved.ts";
import { runRetryLoop } from "./retry-loop.ts";
import { holdsSecret, isSigned } from "./secret.ts";
import { settleWithin } from "./settle-within.ts";
import { startFakeApi } from "./testing.ts";

const linkTo = () => createTestLink({ credentials: {}, settings: {} });
const FAST = { firstPauseMs: 1, maxPauseMs: 2 };

describe("secrets", () => {
  const filler = '{"secret":"other"},'.repeat(1_000);
  it.each([
    ["at the end", '{"type":"a","secret":"hush"}', true],
    ["at the start, with spaces", '{ "secret" : "hush", "object": {} }', true],
    ["behind others", `[${filler}{"secret":"hush"}]`, true],
    ["in a body that is not JSON", '{"secret":"hush"', true],
    ["among too many others", `[${filler}{"secret":"hush"},${filler}{}]`, false],
    ["within a text", JSON.stringify({ text: '"secret":"hush"' }), false],
    ["longer", '{"secret":"hush!"}', false],
    ["as a number", '{"secret":1}', false],
    ["nowhere", "[".repeat(100_000), false],
    ["in an empty body", "", false],
  ])("a secret %s of the body", (_, body, expected) => {
    expect(holdsSecret(Buffer.from(body), "secret", "hush")).toBe(expected);
  });

  it.each([
    ["secret", "secret", true],
    ["secre", "secret", false],
    ["secret ", "secret", false],
    ["", "secret", false],
    [undefined, "secret", false],
    [["secret"], "secret", false],
  ])("%j and %j: %s", (given, expected, same) => expect(isSame(given, expected)).toBe(same));

  const body = Buffer.from('{"a":1}');
  const hmac = createHmac("sha256", "key").update(body).digest("hex");
  it.each([
    ["without a prefix", hmac, { key: "key" }, true],
    ["with a prefix", `sha256=${hmac}`, { key: "key", prefix: "sha256=" }, true],
    ["with the expected prefix missing", hmac, { key: "key", prefix: "sha256=" }, false],
    ["with another key", hmac, { key: "other" }, false],
    ["with an empty key", createHmac("sha256", "").update(body).digest("hex"), { key: "" }, false],
    ["absent", undefined, { key: "key" }, false],
  ])("verifies a signature %s", (_, signature, options, fits) =>
    expect(isSigned(body, signature, options)).toBe(fits),
  );
});

describe("runRetryLoop", () => {
  it("retries after failures and ends when a round returns done", async () => {
    const told: unknown[] = [];
    const answers = [new Error("a"), "again", new Error("b"), 1, "done", "never asked"] as const;
    let rounds = 0;
    const { signal } = new AbortController();
    const assess = async (error: unknown): Promise<undefined> => void told.push(String(error));
    await runRetryLoop({ pauses: FAST, signal, assess }, async () => {
      const answer = answers[rounds++];
      if (answer instanceof Error) throw answer;
      return answer as "again" | "done" | number;
    });
    expect([rounds, told]).toEqual([5, ["Error: a", "Error: b"]]);
  });

  it.each([
    ["stop", async () => "stop" as const, 1],
    ["an exception", () => Promise.reject(new Error("the store is unavailable")), 3],
  ])("handles an assessment that returns %s", async (_, assess, expected) => {
    const end = new AbortController();
    let rounds = 0;
    await runRetryLoop({ pauses: FAST, signal: end.signal, assess }, async () => {
      if (++rounds === 3) end.abort();
      throw new Error("no");
    });
    expect(rounds).toBe(expected);
  });
});

test("an announcer reports each change once, and nothing after disabled", async () => {
  const link = linkTo();
  const announce = createAnnouncer(link);
  const active = { status: "active", profile: { messengerId: "1", name: "Shop" } } as const;
  await announce(active);
  await announce(active);
  link.onEmit(() => Promise.reject(new Error("the store is unavailable")));
  await expect(announce({ status: "lost", detail: "" })).rejects.toThrow("the store is unavailable");
  link.onEmit(null);
  await announce({ status: "lost", detail: "" });
  await announce({ status: "disabled", reason: "unauthorized" });
  await announce(active);
  const told = link.events.map((event) => event.kind === "link" && event.state.status);
  expect(told).toEqual(["active", "lost", "disabled"]);
});

test("a moved chat is reported, and a failure to store the move does not fail the send", async () => {
  const link = linkTo();
  await reportMoved(link, { chatType: "whatsapp", chatId: "1" }, { chatId: "1" });
  await reportMoved(link, { chatType: "whatsapp" }, { chatId: "1" });
  await reportMoved(link, { chatType: "whatsapp", chatId: "1" }, { chatId: "2" });
  expect(link.events).toEqual([{ kind: "moved", chatType: "whatsapp", chatId: "1", newChatId: "2" }]);
  link.onEmit(() => Promise.reject(new Error("the store is unavailable")));
  await reportMoved(link, { chatType: "whatsapp", chatId: "1" }, { chatId: "2" });
  expect(link.logs).toMatchObject([
    { level: "warn", details: { detail: "Error: the store is unavailable" } },
  ]);
});

test.each([
  ["work that ends", async () => undefined],
  ["work that fails", () => Promise.reject(new Error("no"))],
  ["work that never ends", () => new Promise(() => undefined)],
])("closing handles %s", async (_, work) => {
  await settleWithin(work(), 10);
});

test.each([
  [new HttpFailure("no", { sent: false }), false, "later"],
  [new HttpFailure("no", { sent: true }), false, "unknown"],
  [new HttpFailure("no", { sent: true }), true, "later"],
  [new TypeError("no"), false, "unknown"],
])("%s, harmless %s: %s", (error, isHarmless, retry) => {
  expect(noResponse(error, "Postbox", isHarmless)).toMatchObject({
    retry,
    message: "Postbox did not respond",
  });
  expect(unreadable(502, "Postbox", isHarmless)).toMatchObject({ data: "HTTP 502" });
});

test.each([
  [true, "never", "The address is not public"],
  [false, "later", "Postbox did not respond"],
])("a blocked address, harmless %s: %s", (isHarmless, retry, message) => {
  const error = new HttpFailure("no", { sent: false, isBlocked: true });
  expect(noResponse(error, "Postbox", isHarmless)).toMatchObject({ retry, message });
});

test("a fake API returns the prepared replies and reports unexpected calls", async () => {
  const api = await startFakeApi();
  const ask = async (path: string, init: RequestInit = {}) => (await fetch(api.url + path, init)).json();
  api.on("POST /send", { body: { id: 1 } }, { body: "[]" });
  api.always("GET /me", { status: 401, body: {} });
  const form = new FormData();
  form.set("caption", "hi");
  form.set("photo", new File(["bytes"], "a.png", { type: "image/png" }));
  expect(await ask("/send?to=7", { method: "POST", body: form })).toEqual({ id: 1 });
  expect(await ask("/me")).toEqual({});
  expect(await api.request("POST /send")).toMatchObject({
    query: { to: "7" },
    body: { caption: "hi" },
    files: { photo: { name: "a.png", type: "image/png", text: "bytes" } },
  });
  await ask("/me", { method: "POST", body: new URLSearchParams({ a: "1" }) }).catch(() => undefined);
  expect((await api.request("POST /me")).body).toEqual({ a: "1" });
  expect(await api.finish()).toEqual(["unexpected POST /me", "unused reply to POST /send"]);
});

describe("bounds of a call", () => {
  it.each([
    ["JSON", '{"a":12345678901234567890}', { json: { a: "12345678901234567890" } }],
    ["no JSON", "{", { text: "{", reason: expect.any(String) }],
    [
      "too many bytes",
      `"${"x".repeat(99)}"`,
      { text: `"${"x".repeat(99)}"`, reason: "The body has more than 100 bytes" },
    ],
    ["too many values", "[0,0,0]", { text: "[0,0,0]", reason: "The JSON has more than 2 values" }],
  ])("%s", (_, body, expected) => {
    expect(readCall(Buffer.from(body), { maxValues: 2, maxBytes: 100 })).toEqual(expected);
  });

  it("keeps a report with too many events as a dead letter, after the first thousand", async () => {
    const link = linkTo();
    const event = { kind: "link", state: { status: "lost" } } as const;
    await emitAll(link, Array(MAX_EVENTS).fill(event), { of: "a" });
    expect([link.events.length, link.deadLetters]).toEqual([MAX_EVENTS, []]);
    await emitAll(link, Array(MAX_EVENTS + 1).fill(event), { of: "b" });
    expect(link.events).toHaveLength(2 * MAX_EVENTS);
    expect(link.deadLetters).toMatchObject([{ payload: { of: "b" } }]);
  });

  it("starts slow items in order, with pauses for other work, and reports the first failure at the end", async () => {
    const started: number[] = [];
    let others = 0;
    const other = setInterval(() => others++, 0);
    const work = async (item: number): Promise<void> => {
      started.push(item);
      const until = performance.now() + 12;
      while (performance.now() < until);
      if (item % 2 === 1) throw new Error(`item ${item}`);
    };
    await expect(inSlices([0, 1, 2, 3, 4, 5], work)).rejects.toThrow("item 1");
    clearInterval(other);
    expect(started).toEqual([0, 1, 2, 3, 4, 5]);
    expect(others).toBeGreaterThan(0);
  });
});
