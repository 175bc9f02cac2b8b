import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TEST_CALLBACK_SECRET } from "../../../core/transport/conformance.ts";
import type { InboundReply, InboundRequest } from "../../../core/transport/connector.ts";
import { monotonicMs } from "../../../platform/clock.ts";
import type { FakeApi } from "../../kit/testing.ts";
import {
  APP_SECRET,
  appOf,
  CREDENTIALS,
  layOutNumber,
  linkTo,
  ok,
  PHONE_ID,
  PROFILE,
  refuse,
  sample,
  settingsFor,
  signedCall,
  startFakeGraph,
  TEMPLATE,
  WABA_ID,
  type WapiTestLink,
} from "../testing.ts";
import { receiveForApp } from "./callback.ts";

let graph: FakeApi;
let link: WapiTestLink;

beforeEach(async () => {
  graph = await startFakeGraph();
  layOutNumber(graph);
  link = linkTo(graph.url);
});
afterEach(async () => {
  link.abort();
  await link.dispose();
  expect(await graph.finish()).toEqual([]);
});

const receive = (request: InboundRequest, ...links: WapiTestLink[]): Promise<InboundReply> =>
  receiveForApp(request, appOf(...(links.length === 0 ? [link] : links)));
const texts = (of: WapiTestLink): unknown[] =>
  of.events.map((event) =>
    event.kind === "message" && event.message.body.type === "text" ? event.message.body.text : event.kind,
  );

describe("authentication", () => {
  it("verifies the signature over the raw body", async () => {
    expect(await receive(signedCall(sample("text")))).toEqual({ status: 200 });
    expect(link.events).toHaveLength(1);
  });

  const body = signedCall(sample("text"));
  it.each<[string, InboundRequest]>([
    ["no signature", { ...body, headers: {} }],
    ["another secret", signedCall(sample("text"), "another secret")],
    ["another body", { ...body, body: Buffer.from(`${Buffer.from(body.body).toString()} `) }],
    [
      "the bare digest",
      { ...body, headers: { "x-hub-signature-256": String(body.headers["x-hub-signature-256"]).slice(7) } },
    ],
    ["an empty secret", signedCall(sample("text"), "")],
  ])("rejects %s", async (_name, request) => {
    expect(await receive(request)).toEqual({ status: 401 });
    expect(link.events).toEqual([]);
  });

  it("rejects every call without a configured secret", async () => {
    const app = { ...appOf(link), settings: settingsFor(graph.url, { appSecret: "" }) };
    expect(await receiveForApp(signedCall(sample("text"), ""), app)).toEqual({ status: 401 });
  });

  it("an owner's own app can report only on the owner's number", async () => {
    const own = linkTo(graph.url, { ...CREDENTIALS, app_secret: "own secret" });
    const other = linkTo(graph.url, { ...CREDENTIALS, phone_number_id: "999999999999998" });
    expect(await receive(signedCall(sample("two-entries"), "own secret"), own, other)).toEqual({
      status: 200,
    });
    expect([texts(own), texts(other)]).toEqual([["first", "second", "third"], []]);
    expect(await receive(signedCall(sample("two-entries"), APP_SECRET), own, other)).toEqual({ status: 200 });
    expect([texts(own), texts(other)]).toEqual([["first", "second", "third"], ["another number's"]]);
    await Promise.all([own.dispose(), other.dispose()]);
  });

  it("Meta's calls reach a channel whose owner named the installation's app as their own", async () => {
    const own = linkTo(graph.url, { ...CREDENTIALS, app_secret: APP_SECRET });
    expect(await receive(signedCall(sample("text")), own)).toEqual({ status: 200 });
    expect(own.events).toHaveLength(1);
    await own.dispose();
  });

  it.each(["not json", "[]", "null"])("acknowledges a signed call without content: %s", async (text) => {
    const request = signedCall(JSON.parse(text === "not json" ? '"not json"' : text));
    expect(await receive(request)).toEqual({ status: 200 });
  });

  it("does not parse an unsigned call, whatever ids it contains", async () => {
    const own = linkTo(graph.url, { ...CREDENTIALS, app_secret: "own secret" });
    const call = signedCall(sample("text"), "another secret");
    const parse = vi.spyOn(JSON, "parse");
    try {
      expect(await receive(call, link, own)).toEqual({ status: 401 });
      expect(parse).not.toHaveBeenCalled();
    } finally {
      parse.mockRestore();
      await own.dispose();
    }
  });

  it("rejects other methods", async () => {
    expect(await receive({ ...body, method: "PUT" })).toEqual({ status: 405 });
  });
});

describe("resource limits", () => {
  const value = (messages: readonly unknown[]) => ({ metadata: { phone_number_id: PHONE_ID }, messages });
  const bodyOf = (messages: readonly unknown[]) => ({
    object: "whatsapp_business_account",
    entry: [{ id: WABA_ID, changes: [{ field: "messages", value: value(messages) }] }],
  });
  const messages = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      id: `m${n}`,
      from: "16505551234",
      type: "text",
      text: { body: "" },
    }));

  const contact = { profile: { name: "Ann" }, wa_id: "16505551234" };
  /** One change for each message. */
  const changesOf = (items: readonly unknown[]) => {
    const changes = items.map((item) => ({
      field: "messages",
      value: { ...value([item]), contacts: [contact] },
    }));
    return { object: "whatsapp_business_account", entry: [{ id: WABA_ID, changes }] };
  };

  /** An app with this many channels of one business, each with the secret of its own app. */
  async function ask(request: InboundRequest, owners: number) {
    const links = Array.from({ length: owners }, (_, n) =>
      linkTo(graph.url, { ...CREDENTIALS, app_secret: `secret of app ${n}` }),
    );
    const app = appOf(...links);
    const asked: number[] = [];
    const find: typeof app.find = (ids) => {
      asked.push(ids.messengerIds.length + ids.businessIds.length);
      return app.find(ids);
    };
    const { status } = await receiveForApp(request, { ...app, find });
    await Promise.all(links.map((each) => each.dispose()));
    return { status, asked, told: links.map(({ events }) => events.length) };
  }

  it("tries at most four secrets for an unknown caller, whatever ids its body contains", async () => {
    const call = (n: number) => signedCall(bodyOf(messages(1)), `secret of app ${n}`);
    expect(await ask(call(3), 1_000)).toMatchObject({ status: 200 });
    expect(await ask(call(4), 1_000)).toMatchObject({ status: 401 });
    const ids = Array.from({ length: 1_000 }, (_, n) => ({ id: String(n) }));
    expect(await ask(signedCall(ids, "none"), 5)).toMatchObject({ status: 401, asked: [50] });
  });

  it.each([
    ["as many items as allowed", bodyOf(messages(2_999)), null, 2_999],
    ["one item too many", bodyOf(messages(3_000)), "The call has more than 3000 items", 0],
    ["as many messages as Meta sends, each with its contact", changesOf(messages(1_000)), null, 1_000],
    [
      "more changes",
      { ...bodyOf([]), entry: [{ id: WABA_ID, changes: Array.from({ length: 3_001 }, () => ({})) }] },
      "The call has more than 3000 items",
      0,
    ],
    [
      "too many values",
      { ...bodyOf([]), more: Array.from({ length: 150_001 }, () => 0) },
      "The JSON has more than 150000 values",
      0,
    ],
  ])("%s: what cannot be handled is kept and acknowledged", async (_, body, reason, told) => {
    const call = signedCall(body);
    expect(await receive(call)).toEqual({ status: 200 });
    expect(link.events).toHaveLength(told);
    expect(link.deadLetters).toEqual(
      reason === null ? [] : [{ payload: Buffer.from(call.body).toString(), reason }],
    );
  });

  it("leaves what names no channel to Meta", async () => {
    const call = signedCall({ ...bodyOf([]), entry: Array.from({ length: 150_001 }, () => 0) });
    expect(await receive(call)).toEqual({ status: 400 });
  });

  it("charges an owner's own secret before parsing, but not Meta's own app", async () => {
    const own = linkTo(graph.url, { ...CREDENTIALS, app_secret: "own secret" });
    const spent: unknown[] = [];
    const app = { ...appOf(own), spend: (_: unknown, cost: object) => void spent.push(cost) };
    const call = signedCall(bodyOf(messages(1)), "own secret");
    expect(await receiveForApp(call, app)).toEqual({ status: 200 });
    expect(spent).toEqual([{ bytes: call.body.length, ms: expect.any(Number) }]);
    const parse = vi.spyOn(JSON, "parse");
    try {
      expect(await receiveForApp(call, { ...app, mayTake: () => false })).toEqual({ status: 429 });
      expect(parse).not.toHaveBeenCalled();
    } finally {
      parse.mockRestore();
      await own.dispose();
    }
    await receiveForApp(signedCall(bodyOf(messages(1))), { ...appOf(link), spend: app.spend });
    expect(spent).toHaveLength(1);
  });

  it("allows fewer values to an owner's own app", async () => {
    const own = linkTo(graph.url, { ...CREDENTIALS, app_secret: "own secret" });
    const withValues = (count: number) => ({
      ...bodyOf(messages(1)),
      more: Array.from({ length: count }, () => 0),
    });
    const statuses = [59_000, 60_001].map(async (count) => {
      const { status } = await receive(signedCall(withValues(count), "own secret"), own);
      return status;
    });
    expect(await Promise.all(statuses)).toEqual([200, 200]);
    expect(own.deadLetters).toMatchObject([{ reason: "The JSON has more than 60000 values" }]);
    expect(await receive(signedCall(withValues(60_001)))).toEqual({ status: 200 });
    await own.dispose();
  });

  it("refreshes once, however many changes of a call require it", async () => {
    graph.always(`GET /${WABA_ID}/message_templates`, ok({ data: [] }));
    const changes = ["account_review_update", "template_category_update"].flatMap((field) =>
      Array.from({ length: 20 }, () => ({ field, value: { decision: "APPROVED" } })),
    );
    const body = { object: "whatsapp_business_account", entry: [{ id: WABA_ID, changes }] };
    expect(await receive(signedCall(body))).toEqual({ status: 200 });
    await link.waitFor(({ kind }) => kind === "templates");
    const calls = graph.requests.map(({ call }) => call);
    expect(calls.filter((call) => call.endsWith("/phone_numbers"))).toHaveLength(1);
    expect(calls.filter((call) => call.endsWith("/message_templates"))).toHaveLength(1);
  });

  it("a busy channel does not delay the others of the same call", async () => {
    const busy = linkTo(graph.url, { ...CREDENTIALS, phone_number_id: "999999999999998" });
    const app = {
      ...appOf(link, busy),
      mayTake: (channel: { readonly link: unknown }) => channel.link !== busy,
    };
    expect(await receiveForApp(signedCall(sample("tier-business")), app)).toEqual({ status: 429 });
    expect([link.events.length, busy.events.length]).toEqual([1, 0]);
    await busy.dispose();
  });
});

describe("webhook verification", () => {
  const ask = (query: Record<string, string>) =>
    receiveForApp(
      { method: "GET", path: "", query: new URLSearchParams(query), headers: {}, body: new Uint8Array() },
      { ...appOf(link), settings: settingsFor(graph.url, { verifyToken: "by hand" }) },
    );
  const question = (token: string, mode = "subscribe") => ({
    "hub.mode": mode,
    "hub.verify_token": token,
    "hub.challenge": "1158201444",
  });

  it.each([TEST_CALLBACK_SECRET, "by hand"])("accepts %s", async (token) => {
    expect(await ask(question(token))).toEqual({ status: 200, body: "1158201444" });
  });

  it.each([
    ["another token", question("x")],
    ["an empty token", question("")],
    ["another mode", question("by hand", "unsubscribe")],
    ["nothing", {}],
  ])("rejects %s", async (_name, query) => {
    expect(await ask(query)).toEqual({ status: 403 });
  });
});

describe("events", () => {
  it("keep their order, and are the same when repeated", async () => {
    await receive(signedCall(sample("batch")));
    const first = link.events.splice(0);
    await receive(signedCall(sample("batch")));
    expect(link.events).toEqual(first);
    expect(first.map(({ kind }) => kind)).toEqual(["message", "message", "receipt"]);
  });

  it("are acknowledged only once they are stored", async () => {
    link.onEmit(() => Promise.reject(new Error("no database")));
    await expect(receive(signedCall(sample("text")))).rejects.toThrow("no database");
  });

  it("emits all events of a call, even if one cannot be stored", async () => {
    link.onEmit(({ kind }) => (kind === "message" ? Promise.reject(new Error("no")) : Promise.resolve()));
    await expect(receive(signedCall(sample("batch")))).rejects.toThrow("no");
    expect(link.events.map(({ kind }) => kind)).toEqual(["receipt"]);
  });

  it("assigns a tier to its number only", async () => {
    const other = linkTo(graph.url, { ...CREDENTIALS, phone_number_id: "999999999999998" });
    const app = appOf(link, other);
    const named = {
      ...app,
      find: async (ids: Parameters<typeof app.find>[0]) =>
        (await app.find(ids)).map((each) => (each.link === other ? { ...each, phone: "4999" } : each)),
    };
    await receiveForApp(signedCall(sample("tier-number")), named);
    expect([link.events, other.events]).toEqual([[{ kind: "tier", tier: "TIER_10K" }], []]);
    await receiveForApp(signedCall(sample("tier-business")), named);
    expect([link.events.at(-1), other.events]).toEqual([
      { kind: "tier", tier: "TIER_2K" },
      [{ kind: "tier", tier: "TIER_2K" }],
    ]);
    await other.dispose();
  });

  it("logs errors of a number", async () => {
    await receive(signedCall(sample("number-error")));
    expect(link.logs).toMatchObject([{ level: "warn", message: "130429 Rate limit hit" }]);
  });
});

describe("refreshing", () => {
  it("fetches the components of a template", async () => {
    const item = { id: TEMPLATE.externalId, name: TEMPLATE.name, language: "en_US", status: "APPROVED" };
    graph.always(
      `GET /${WABA_ID}/message_templates`,
      ok({ data: [{ ...item, category: "UTILITY", components: [] }] }),
    );
    expect(await receive(signedCall(sample("template-approved")))).toEqual({ status: 200 });
    const list = await link.waitFor(({ kind }) => kind === "templates");
    expect(list).toMatchObject({ templates: [{ externalId: TEMPLATE.externalId }] });
    expect(link.events[0]).toMatchObject({ kind: "template", template: { status: "APPROVED" } });
  });

  it("fetches templates at most once more, however many calls arrive meanwhile", async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let asked = 0;
    const request: typeof link.request = async (http) => {
      asked++;
      await held;
      return link.request(http);
    };
    const slow = { ...link, request };
    const lists = () => link.events.filter(({ kind }) => kind === "templates");
    for (let calls = 0; calls < 5; calls++) await receive(signedCall(sample("template-approved")), slow);
    expect(asked).toBe(1);
    release();
    await vi.waitUntil(() => lists().length === 2, { interval: 1 });
    await receive(signedCall(sample("template-approved")), slow);
    await vi.waitUntil(() => lists().length === 3, { interval: 1 });
    expect(asked).toBe(3);
  });

  it("fetches templates later if they are unavailable", async () => {
    graph.always(`GET /${WABA_ID}/message_templates`, refuse(2, "Service temporarily unavailable"));
    expect(await receive(signedCall(sample("template-flagged")))).toEqual({ status: 200 });
    expect(await link.waitForLog(({ message }) => message.includes("templates"))).toMatchObject({
      level: "info",
    });
  });

  const reinstated = {
    object: "whatsapp_business_account",
    entry: [
      {
        id: WABA_ID,
        changes: [
          {
            field: "account_update",
            value: { event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "REINSTATE" } },
          },
        ],
      },
    ],
  };
  it("fetches the profile of a number after a block ends", async () => {
    await receive(signedCall(reinstated));
    expect(link.events).toEqual([
      { kind: "restriction", of: "block_announced", restriction: null },
      { kind: "link", state: { status: "active", profile: PROFILE }, askedAt: expect.any(Number) },
      { kind: "tier", tier: "TIER_2K" },
    ]);
  });

  it("reports the request time, also if the token is dead", async () => {
    graph.always(`GET /${PHONE_ID}`, refuse(190, "Expired", undefined, 401));
    const before = monotonicMs();
    const asked = graph.request(`GET /${PHONE_ID}`).then(monotonicMs);
    await receive(signedCall(reinstated));
    const [told] = link.events.flatMap((event) => (event.kind === "link" ? [event] : []));
    expect(told?.state).toEqual({ status: "disabled", reason: "unauthorized" });
    expect(told?.askedAt).toBeGreaterThanOrEqual(before);
    expect(told?.askedAt).toBeLessThan(await asked);
  });

  it("fails the call, so that Meta retries, if the profile is unavailable", async () => {
    graph.always(`GET /${PHONE_ID}`, { status: 500, body: "{}" });
    await expect(receive(signedCall(reinstated))).rejects.toThrow();
  });
});
