import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OutboundMessage, Session } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { monotonicMs } from "../../platform/clock.ts";
import type { ApiReply, FakeApi } from "../kit/testing.ts";
import { openSession } from "./session.ts";
import {
  FAST,
  fileMessage,
  LISTED,
  layOutNumber,
  linkTo,
  ok,
  PHONE_ID,
  PROFILE,
  refuse,
  sent,
  startFakeGraph,
  TEMPLATE,
  TOKEN,
  textMessage,
  WABA_ID,
  type WapiTestLink,
} from "./testing.ts";

const SEND = `POST /${PHONE_ID}/messages`;
const UPLOAD = `POST /${PHONE_ID}/media`;
const never = new AbortController().signal;
const ITEM = {
  id: TEMPLATE.externalId,
  name: TEMPLATE.name,
  language: TEMPLATE.language,
  status: TEMPLATE.status,
  category: TEMPLATE.category,
  components: TEMPLATE.components,
};

let graph: FakeApi;
let link: WapiTestLink;
let session: Session;

beforeEach(async () => {
  graph = await startFakeGraph({ photo: "picture" });
  layOutNumber(graph, [ITEM]);
  link = linkTo(graph.url);
});
afterEach(async () => {
  await session.close();
  await link.dispose();
  expect(JSON.stringify([link.events, link.logs])).not.toContain(TOKEN);
  expect(await graph.finish()).toEqual([]);
});

async function open(): Promise<void> {
  session = await openSession(link, FAST);
}
async function openFully(): Promise<void> {
  await open();
  await link.waitFor(({ kind }) => kind === "templates");
}

async function failure(work: Promise<unknown>): Promise<TransportError> {
  const error: unknown = await work.then(
    () => new Error("did not fail"),
    (reason: unknown) => reason,
  );
  if (error instanceof TransportError) return error;
  throw error;
}
const bodies = (call: string): unknown[] =>
  graph.requests.filter((each) => each.call === call).map(({ body }) => body);

describe("opening", () => {
  it("subscribes, and reports number, tier and templates", async () => {
    await openFully();
    expect(link.events).toEqual([
      { kind: "link", state: { status: "active", profile: PROFILE }, askedAt: expect.any(Number) },
      { kind: "restriction", of: "quality", restriction: null },
      { kind: "restriction", of: "volume", restriction: null },
      { kind: "tier", tier: "TIER_2K" },
      { kind: "templates", templates: [TEMPLATE] },
    ]);
  });

  it.each([
    ["FLAGGED", "quality"],
    ["RESTRICTED", "volume"],
  ])("a number that is %s works, with a restriction", async (status, of) => {
    graph.always(`GET /${WABA_ID}/phone_numbers`, ok({ data: [{ ...LISTED, status }] }));
    await openFully();
    expect(link.events).toMatchObject([
      { kind: "link", state: { status: "active" } },
      { of: "quality", restriction: of === "quality" ? { until: null } : null },
      { of: "volume", restriction: of === "volume" ? { until: null } : null },
      { kind: "tier" },
      { kind: "templates" },
    ]);
  });

  it.each<[string, string, ApiReply, string]>([
    ["a dead token", `GET /${PHONE_ID}`, refuse(190, "Expired", undefined, 401), "unauthorized"],
    [
      "a banned number",
      `GET /${WABA_ID}/phone_numbers`,
      ok({ data: [{ ...LISTED, status: "BANNED" }] }),
      "blocked",
    ],
    [
      "a rejected business",
      `GET /${WABA_ID}`,
      ok({ id: WABA_ID, account_review_status: "REJECTED" }),
      "rejected",
    ],
    ["a number that was removed", `GET /${WABA_ID}/phone_numbers`, ok({ data: [] }), "unauthorized"],
  ])("%s disables the channel", async (_name, call, reply, reason) => {
    graph.always(call, reply);
    await open();
    await link.waitFor(({ kind }) => kind === "link");
    const state = { status: "disabled", reason };
    expect(link.events).toEqual([{ kind: "link", state, askedAt: expect.any(Number) }]);
  });

  it("retries after failures, and reports a lost connection", async () => {
    graph.on(`GET /${PHONE_ID}`, { status: 500, body: "{}" }, refuse(2, "Temporary"), { body: "<html>" });
    await openFully();
    const states = link.events.flatMap((event) => (event.kind === "link" ? [event.state.status] : []));
    expect(states).toEqual(["lost", "lost", "active"]);
  });

  it.each<[string, ApiReply]>([
    ["blocked", ok({ data: [{ ...LISTED, status: "BANNED" }] })],
    ["without a token", refuse(190, "Expired", undefined, 401)],
  ])(
    "checks a number again that it found %s, because core may have newer information",
    async (_name, reply) => {
      graph.on(`GET /${WABA_ID}/phone_numbers`, reply);
      session = await openSession(link, { ...FAST, checkMs: 1 });
      await link.waitFor(({ kind }) => kind === "templates");
      const states = link.events.flatMap((event) => (event.kind === "link" ? [event.state.status] : []));
      expect(states.slice(0, 2)).toEqual(["disabled", "active"]);
    },
  );

  it("offers its URL again until Meta accepts it, and logs the first rejection only", async () => {
    const subscribed = `POST /${WABA_ID}/subscribed_apps`;
    const unreached = refuse(2200, "Callback verification failed");
    const done = ok({ success: true });
    graph.on(subscribed, done, unreached, done, unreached);
    session = await openSession(link, { ...FAST, checkMs: 1 });
    await graph.request(subscribed, 6);
    const checks = graph.requests.filter(({ call }) => call === `GET /${PHONE_ID}`).length;
    await graph.request(`GET /${PHONE_ID}`, checks + 2);
    const override = { override_callback_uri: link.callbackUrl };
    expect(bodies(subscribed)).toMatchObject([{}, override, {}, override, {}, override]);
    expect(bodies(subscribed)).toHaveLength(6);
    expect(link.logs.filter(({ message }) => message.includes("webhook URL"))).toHaveLength(1);
  });

  it("notices between two checks that the token was revoked", async () => {
    await openFully();
    await session?.close();
    session = await openSession(link, { ...FAST, accessMs: 1 });
    await link.waitFor((event) => event.kind === "link" && event.state.status === "active");
    graph.always(`GET /${PHONE_ID}`, refuse(190, "Revoked", undefined, 401));
    const ended = await link.waitFor((event) => event.kind === "link" && event.state.status === "disabled");
    expect(ended).toMatchObject({ state: { reason: "unauthorized" } });
  });

  it("reports the time of the request, not of the response", async () => {
    const before = monotonicMs();
    const asked = graph.request(`GET /${PHONE_ID}`).then(monotonicMs);
    await openFully();
    const told = link.events.find((event) => event.kind === "link");
    expect(told?.askedAt).toBeGreaterThanOrEqual(before);
    expect(told?.askedAt).toBeLessThan(await asked);
  });

  it("continues if its events cannot be stored", async () => {
    let failures = 2;
    link.onEmit(() => (failures-- > 0 ? Promise.reject(new Error("no database")) : Promise.resolve()));
    await openFully();
    expect(link.events.map(({ kind }) => kind)).toContain("link");
  });
});

describe("sending", () => {
  beforeEach(openFully);

  it("returns Meta's id", async () => {
    graph.on(SEND, sent("wamid.X"));
    expect(await session.send(textMessage(), never)).toEqual({
      chatId: "16505551234",
      externalId: "wamid.X",
      sentAt: expect.any(Date),
    });
  });

  it("reports that WhatsApp uses other digits for the number", async () => {
    graph.on(SEND, sent("wamid.X", "5541912345678"));
    const to = { chatType: "whatsapp", chatId: "554112345678" } as const;
    expect(await session.send(textMessage({ to }), never)).toMatchObject({ chatId: "5541912345678" });
    expect(link.events.at(-1)).toEqual({
      kind: "moved",
      chatType: "whatsapp",
      chatId: "554112345678",
      newChatId: "5541912345678",
    });
  });

  it.each([
    ["👍", "16505551234", { to: "16505551234" }],
    [null, "US.1349", { recipient: "US.1349" }],
  ])("reacts with %s", async (emoji, chatId, recipient) => {
    graph.on(SEND, sent("wamid.X"));
    const target = {
      chatType: "whatsapp",
      chatId,
      externalId: "wamid.IN1",
      isOwn: false,
      changeId: "1",
    } as const;
    await session.react?.(target, emoji, never);
    expect(graph.requests.at(-1)?.body).toMatchObject({
      ...recipient,
      type: "reaction",
      reaction: { message_id: "wamid.IN1", emoji: emoji ?? "" },
    });
  });

  it("keeps the chat of a person without a number", async () => {
    graph.on(SEND, sent("wamid.X", "16505551234"));
    const to = { chatType: "whatsapp", chatId: "US.1349" } as const;
    expect(await session.send(textMessage({ to }), never)).toMatchObject({ chatId: "US.1349" });
    expect(link.events.some(({ kind }) => kind === "moved")).toBe(false);
  });

  const PUBLIC = { urlIsPublic: true, url: "https://cdn.example/a.jpg" };
  it("passes the link of a public file", async () => {
    graph.on(SEND, sent());
    await session.send(fileMessage(PUBLIC), never);
    expect(bodies(SEND)).toMatchObject([{ type: "image", image: { link: PUBLIC.url } }]);
  });

  it.each(["application/octet-stream", "image/jpg"])(
    "uploads a file that its server declares as %s",
    async (urlMimeType) => {
      graph.on(UPLOAD, ok({ id: "4490709327384033" }));
      graph.on(SEND, sent());
      await session.send(fileMessage({ ...PUBLIC, urlMimeType }), never);
      expect(bodies(SEND)).toMatchObject([{ type: "image", image: { id: "4490709327384033" } }]);
    },
  );

  it("passes the link of a document, whatever type its server declares", async () => {
    graph.on(SEND, sent());
    const file = {
      ...PUBLIC,
      kind: "document",
      mimeType: "application/pdf",
      urlMimeType: "image/x",
    } as const;
    await session.send(fileMessage(file), never);
    expect(bodies(SEND)).toMatchObject([{ type: "document", document: { link: PUBLIC.url } }]);
  });

  it.each([131052, 131053])("uploads it after %i", async (code) => {
    graph.on(SEND, refuse(code, "Media download error"), sent());
    graph.on(UPLOAD, ok({ id: "4490709327384033" }));
    await session.send(fileMessage(PUBLIC), never);
    expect(bodies(SEND).at(-1)).toMatchObject({ type: "image", image: { id: "4490709327384033" } });
  });

  it("does not retry after that", async () => {
    graph.on(SEND, refuse(131053, "Media upload error"), refuse(131053, "Media upload error"));
    graph.on(UPLOAD, ok({ id: "44" }));
    const error = await failure(session.send(fileMessage(PUBLIC), never));
    expect(error).toMatchObject({ code: "CONTENT_CONVERSION_ERROR", retry: "never" });
  });

  it.each([
    ["image", "image/jpeg", "image/jpeg"],
    ["video", "video/mp4", "video/mp4"],
    ["audio", "audio/ogg; codecs=opus", "audio/ogg"],
    ["document", "application/pdf", "application/pdf"],
  ] as const)("uploads a private %s", async (kind, mimeType, type) => {
    graph.on(UPLOAD, ok({ id: "44" }));
    graph.on(SEND, sent());
    await session.send(fileMessage({ kind, mimeType, name: "a.bin" }), never);
    expect(await graph.request(UPLOAD)).toMatchObject({
      body: { messaging_product: "whatsapp", type },
      files: { file: { name: "a.bin", type, text: "file content" } },
    });
    expect(bodies(SEND)).toMatchObject([{ type: kind, [kind]: { id: "44" } }]);
  });

  it("uploads nothing for invalid content", async () => {
    const to = { chatType: "whatsapp", chatId: "nobody" } as const;
    expect((await failure(session.send(fileMessage({}, { to }), never))).code).toBe("BAD_CONTACT");
  });

  it.each<[string, ApiReply, object]>([
    [
      "24 hours",
      refuse(131047, "Re-engagement message"),
      { code: "24_HOURS_EXCEEDED", retry: "never", data: "(#131047) Re-engagement message" },
    ],
    ["too many to one person", refuse(131056), { retry: { afterMs: 6_000, scope: "chat" } }],
    ["too many of the number", refuse(130429), { retry: { afterMs: 2_000, scope: "channel" } }],
    ["too many requests", { status: 429, body: "" }, { code: "TOO_MANY_EXT_REQS" }],
    [
      "a temporary error of Meta's",
      refuse(131016, "Busy", undefined, 500),
      { code: "UNKNOWN_ERROR", retry: "later" },
    ],
    ["500", { status: 500, body: "{}" }, { code: "UNKNOWN_ERROR", retry: "unknown" }],
    ["an unexpected response", ok({}), { retry: "unknown" }],
    ["garbage", { body: "{" }, { retry: "unknown" }],
  ])("%s", async (_name, reply, expected) => {
    graph.on(SEND, reply);
    expect(await failure(session.send(textMessage(), never))).toMatchObject(expected);
    expect(link.events.filter(({ kind }) => kind === "link")).toHaveLength(1);
  });

  it.each([
    [190, "unauthorized"],
    [131031, "blocked"],
    [133010, "rejected"],
  ])("%i disables the channel: %s", async (code, reason) => {
    graph.on(SEND, refuse(code));
    await failure(session.send(textMessage(), never));
    const state = { status: "disabled", reason };
    expect(link.events.at(-1)).toEqual({ kind: "link", state, askedAt: expect.any(Number) });
  });

  it("a failed upload may be retried, because nothing was sent", async () => {
    graph.on(UPLOAD, { status: 500, body: "{}" }, ok({}));
    const message: OutboundMessage = fileMessage();
    expect((await failure(session.send(message, never))).retry).toBe("later");
    expect((await failure(session.send(message, never))).retry).toBe("later");
  });
});

describe("files", () => {
  beforeEach(openFully);

  it("are downloaded with the token", async () => {
    graph.on(
      "GET /1003383421387256",
      ok({
        id: "1003383421387256",
        url: `${graph.url}/files/photo`,
        mime_type: "image/jpeg",
        file_size: "7",
      }),
    );
    const opened = await session.openFile?.({ token: "1003383421387256", name: "a.jpg" }, never);
    if (opened === undefined) throw new Error("no file");
    const { stream, ...rest } = opened;
    expect(rest).toEqual({ name: "a.jpg", mimeType: "image/jpeg", size: 7 });
    expect(String(await buffer(stream))).toBe("picture");
    expect((await graph.request("GET /1003383421387256")).query).toEqual({ phone_number_id: PHONE_ID });
  });

  it.each<[string, ApiReply, unknown]>([
    ["a missing file", refuse(100, "Unsupported get request"), "never"],
    ["a file without a URL", ok({ id: "1" }), "later"],
    ["a file with a plain HTTP URL", ok({ id: "1", url: "http://elsewhere.example/x" }), "never"],
  ])("%s", async (_name, reply, retry) => {
    graph.on("GET /1", reply);
    const opening = session.openFile?.({ token: "1" }, never);
    expect((await failure(opening ?? Promise.resolve())).retry).toBe(retry);
  });
});
