import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Opening } from "../../../src/core/page-ticket/opening.ts";
import {
  findSession,
  frameOrigins,
  openChatsSession,
  openSession,
} from "../../../src/core/page-ticket/sessions.ts";
import { newId, newSecret } from "../../../src/platform/ids.ts";
import { startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { type Answer, call, outcome } from "../kit/call.ts";
import {
  addAccount,
  addChannel,
  startNode,
  type TestAccount,
  type TestNode,
  tokenHash,
} from "../kit/service.ts";

let database: TestDatabase;
let nodes: [TestNode, TestNode];
let node: TestNode;
let account: TestAccount;
let channel: string;
let foreign: string;

beforeAll(async () => {
  database = await startTestDatabase();
  nodes = [await startNode({ database }), await startNode({ database })];
  [node] = nodes;
  account = await addAccount(node.db);
  channel = await addChannel(node, account, { transport: "telegram" });
  foreign = await addChannel(node, await addAccount(node.db), { transport: "telegram" });
});
afterAll(async () => {
  for (const each of nodes) await each.stop();
  await database.stop();
});

const channels = (body: unknown, headers: Record<string, string> = {}) =>
  call(node, "POST", "/v2/iframe-links/channels", { token: account.access, body, headers });
const chats = (body: unknown) =>
  call(node, "POST", "/v2/iframe-links/chats", { token: account.access, body });
const iframe = (body: unknown, token = account.api) => call(node, "POST", "/v3/iframe", { token, body });

/** The ticket of a link, whichever of the two shapes the answer has. */
function ticketOf({ json, text }: Answer, page: string): string {
  const { data, url } = json as { data?: { link: string }; url?: string };
  const link = new URL(data?.link ?? url ?? `no:link in ${text}`);
  expect(`${link.origin}${link.pathname}`).toBe(`http://127.0.0.1/app/${page}`);
  return link.searchParams.get("ticket") ?? "";
}

/** The data that the page was opened with; the ticket is valid once. */
async function redeem({ core }: TestNode, ticket: string) {
  const opened = (await openChatsSession(core, ticket)) ?? (await openSession(core, { ticket }));
  return opened === null ? null : findSession(core.db, opened.token);
}

async function openingOf(answer: Answer, page: string): Promise<Opening | undefined> {
  const redeemed = await redeem(node, ticketOf(answer, page));
  expect(redeemed?.scope).toEqual({ accountId: account.id });
  return redeemed?.opening;
}

describe("POST /v2/iframe-links/channels", () => {
  test.each([
    [{}, { transport: null, channelId: null }],
    [{ options: {} }, { transport: null, channelId: null }],
    [{ options: null }, { transport: null, channelId: null }],
    [{ options: { transport: "whatsapp", channel_id: null } }, { transport: "whatsapp", channelId: null }],
    [
      { options: { refresh_url: "https://crm.example/new?of=5", return_url: "http://localhost:3000/" } },
      {
        transport: null,
        channelId: null,
        refreshUrl: "https://crm.example/new?of=5",
        returnUrl: "http://localhost:3000/",
      },
    ],
  ])("%j", async (body, opening) => {
    const answer = await channels(body);
    expect(answer.json).toEqual({
      data: { link: expect.any(String) },
      meta: { timestamp: expect.any(Number) },
    });
    expect(await openingOf(answer, "channels")).toEqual({ page: "channels", ...opening });
  });

  test("for a channel: its transport follows from it", async () => {
    for (const options of [
      { channel_id: channel },
      { channel_id: channel.toUpperCase(), transport: "telegram" },
    ])
      expect(await openingOf(await channels({ options }), "channels")).toEqual({
        page: "channels",
        transport: "telegram",
        channelId: channel,
      });
  });

  test.each([
    [{ options: "telegram" }, "400 VALIDATION_ERROR options"],
    [{ options: { transport: "fax", channel_id: "x" }, more: 1 }, "400 TRANSPORT_NOT_AVAILABLE"],
    [
      { options: { transport: "telegram", channel: "x" }, more: 1 },
      "400 VALIDATION_ERROR more options.channel",
    ],
    [{ options: { transport: 5, channel: "x" } }, "400 VALIDATION_ERROR options.channel options.transport"],
    [{ options: { channel_id: newId() } }, "404 CHANNEL_NOT_FOUND"],
    [{ options: { transport: "vk" } }, "400 TRANSPORT_NOT_AVAILABLE"],
    [{ options: { refresh_url: "javascript:alert(1)" } }, "400 VALIDATION_ERROR options.refresh_url"],
    [{ options: { refresh_url: "http://crm.example/" } }, "400 VALIDATION_ERROR options.refresh_url"],
    [
      { options: { refresh_url: "https://trunkline@crm.example/", return_url: "/here" } },
      "400 VALIDATION_ERROR options.refresh_url options.return_url",
    ],
  ])("%j: %s", async (body, expected) => {
    expect(outcome(await channels(body))).toBe(expected);
  });

  test("not for another account's channel, nor for another transport than the channel's", async () => {
    expect(outcome(await channels({ options: { channel_id: foreign } }))).toBe("404 CHANNEL_NOT_FOUND");
    const options = { channel_id: channel, transport: "whatsapp" };
    expect(outcome(await channels({ options }))).toBe("400 VALIDATION_ERROR options.transport");
  });
});

const CHAT = { chat_type: "whatsapp", chat_id: "79990001122" };
const NAMED = { chatType: "whatsapp", chatId: "79990001122", username: null, phone: null };
const WHOLE = {
  page: "chats",
  userId: "7",
  authorName: null,
  scope: "global",
  chats: [],
  activeChat: null,
  events: { deals: false, messages: false },
  clientType: null,
  crm: true,
};

describe("POST /v2/iframe-links/chats", () => {
  test("the whole window", async () => {
    const answer = await chats({ user_id: "7", scope: "global" });
    expect(answer.json).toEqual({
      data: { link: expect.any(String) },
      meta: { timestamp: expect.any(Number) },
    });
    expect(await openingOf(answer, "chats")).toEqual(WHOLE);
  });

  test("a card, with all fields", async () => {
    const body = {
      user_id: "7",
      author_name: "Ann",
      scope: "card",
      chats: [
        { ...CHAT, contact_name: "Bob" },
        { chat_type: "telegram", username: "bob", chat_id: null },
        { chat_type: "max", phone: "79990001122" },
      ],
      active_chat: { ...CHAT, channel_id: channel.toUpperCase() },
      use_events: { deals: true, messages: null },
      client_type: "crm",
    };
    const unknown = { chatId: null, username: null, phone: null, contactName: null };
    expect(await openingOf(await chats(body), "chats")).toEqual({
      ...WHOLE,
      authorName: "Ann",
      scope: "card",
      chats: [
        { ...NAMED, contactName: "Bob" },
        { ...unknown, chatType: "telegram", username: "bob" },
        { ...unknown, chatType: "max", phone: "79990001122" },
      ],
      activeChat: { ...NAMED, channelId: channel },
      events: { deals: true, messages: false },
      clientType: "crm",
    });
  });

  test.each([
    [{}, "scope user_id"],
    [{ user: { id: "7" }, scope: "global" }, "user user_id"],
    [{ user_id: 7.5, scope: "all", author_name: 5 }, "author_name scope user_id"],
    [{ user_id: "", scope: "global" }, "user_id"],
    [{ user_id: "7", scope: "card" }, "chats"],
    [{ user_id: "7", scope: "card", chats: [] }, "chats"],
    [{ user_id: "7", scope: "card", chats: Array.from({ length: 101 }, () => CHAT) }, "chats"],
    [{ user_id: "7", scope: "global", chats: [CHAT] }, "chats"],
    [
      { user_id: "7", scope: "card", chats: [{ chat_type: "fax" }, { chat_id: "1", name: "x" }] },
      "chats[0].chat_id chats[0].chat_type chats[1].chat_type chats[1].name",
    ],
    [{ user_id: "7", scope: "card", chats: [{ chat_type: "max", phone: "+7 999" }] }, "chats[0].phone"],
    [
      { user_id: "7", scope: "global", active_chat: { chat_type: "whatsapp", chat_id: "ann" } },
      "active_chat.chat_id",
    ],
    [
      {
        user_id: "7",
        scope: "global",
        active_chat: { chat_type: "whatsapp", channel_id: "x" },
        use_events: true,
      },
      "active_chat.channel_id active_chat.chat_id use_events",
    ],
    [
      { user_id: "7", scope: "global", use_events: { deals: "yes", calls: true } },
      "use_events.calls use_events.deals",
    ],
  ])("%.120j is faulty", async (body, fields) => {
    expect(outcome(await chats(body))).toBe(`400 VALIDATION_ERROR ${fields}`);
  });

  test("no chat of another account's channel", async () => {
    const body = { user_id: "7", scope: "global", active_chat: { ...CHAT, channel_id: foreign } };
    expect(outcome(await chats(body))).toBe("404 CHANNEL_NOT_FOUND");
  });
});

describe("POST /v3/iframe", () => {
  const named = { chatType: "whatsapp", chatId: "79990001122" };

  test("the whole window; a filter, and what is not known, is ignored", async () => {
    const body = { user: { id: "7", name: null, role: "x" }, scope: "global", filter: [named], more: 1 };
    const answer = await iframe(body);
    expect(answer.json).toEqual({ url: expect.any(String) });
    expect(await openingOf(answer, "chats")).toEqual(WHOLE);
  });

  test("a card, with all fields", async () => {
    const body = {
      user: { id: "7", name: "Ann" },
      scope: "card",
      filter: [
        { ...named, name: "Bob", channelId: "ignored" },
        { chatType: "telegram", username: "bob" },
      ],
      activeChat: { ...named, channelId: channel },
      options: { clientType: "crm", useDealsEvents: true, useMessageEvents: true },
    };
    expect(await openingOf(await iframe(body), "chats")).toEqual({
      ...WHOLE,
      authorName: "Ann",
      scope: "card",
      chats: [
        { ...NAMED, contactName: "Bob" },
        { chatType: "telegram", chatId: null, username: "bob", phone: null, contactName: null },
      ],
      activeChat: { ...NAMED, channelId: channel },
      events: { deals: true, messages: true },
      clientType: "crm",
    });
  });

  test.each([
    [{}, "scope user"],
    [{ user: {}, scope: "x" }, "scope user.id"],
    [{ user: { id: 7.5 }, scope: "card" }, "filter user.id"],
    [{ user: { id: "7" }, scope: "card", filter: [] }, "filter"],
    [
      { user: { id: "7" }, scope: "card", filter: [{ chatType: "Telegram" }] },
      "filter[0].chatId filter[0].chatType",
    ],
    [
      { user: { id: "7" }, scope: "global", activeChat: {}, options: { useDealsEvents: 1 } },
      "activeChat.chatId activeChat.chatType options.useDealsEvents",
    ],
  ])("%.120j is faulty", async (body, fields) => {
    expect(outcome(await iframe(body))).toBe(`400 VALIDATION_ERROR ${fields}`);
  });

  test("is closed to sidecars, and no way to another account's channel", async () => {
    const body = { user: { id: "7" }, scope: "global", activeChat: { ...named, channelId: foreign } };
    expect(outcome(await iframe(body, account.sidecar))).toBe("403 FORBIDDEN");
    expect(outcome(await iframe(body))).toBe("404 CHANNEL_NOT_FOUND");
    expect(outcome(await iframe(body, account.access))).toBe("401 INVALID_APIKEY");
  });
});

describe("a ticket", () => {
  const newTicket = async () => ticketOf(await channels({}), "channels");

  test("is valid once, also on two nodes at the same time", async () => {
    for (let round = 0; round < 10; round++) {
      const ticket = await newTicket();
      const redeemed = await Promise.all(nodes.map((each) => redeem(each, ticket)));
      expect(redeemed.filter((each) => each !== null)).toHaveLength(1);
      expect(await redeem(node, ticket)).toBeNull();
    }
  });

  test("is invalid after ten minutes, and cannot be guessed", async () => {
    const ticket = await newTicket();
    const [row] = await node.db.query<{ seconds: number }>(
      "select extract(epoch from expires_at - now())::int as seconds from page_tickets where hash = $1",
      [tokenHash(ticket)],
    );
    expect(row?.seconds).toBeGreaterThan(580);
    expect(row?.seconds).toBeLessThanOrEqual(600);
    await node.db.query("update page_tickets set expires_at = now() where hash = $1", [tokenHash(ticket)]);
    expect(await redeem(node, ticket)).toBeNull();
    for (const guess of ["", "nonsense", newSecret(32)]) expect(await redeem(node, guess)).toBeNull();
  });

  test("is not a token, and is stored only as a hash, also for an Idempotency-Key", async () => {
    const headers = { "idempotency-key": newSecret(8) };
    const first = await channels({}, headers);
    const again = await channels({}, headers);
    expect([again.text, again.headers["idempotency-replayed"]]).toEqual([first.text, "true"]);
    const ticket = ticketOf(first, "channels");
    for (const path of ["/v2/channels", "/v3/webhooks"])
      expect((await call(node, "GET", path, { token: ticket })).status).toBe(401);
    for (const table of ["page_tickets", "idempotency_keys"]) {
      const rows = await node.db.query<{ row: string }>(`select row_to_json(t)::text as row from ${table} t`);
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.map(({ row }) => row).join()).not.toContain(ticket.slice(6));
    }
  });

  test("a link with a transport that no database stores opens nothing", async () => {
    const channelId = await addChannel(node, account, { transport: "telegram" });
    expect(await frameOrigins(node.core, { ticket: `${channelId}.x`, transport: "\0" })).toEqual([]);
  });

  test("is not used up by a missing page, which a CRM may embed", async () => {
    const ticket = await newTicket();
    for (const [path, status, words] of [
      [`/app/channels?ticket=${ticket}`, 503, "The pages are not built"],
      ["/app", 501, "not part of this version"],
      ["/app/chats/x", 501, "not part of this version"],
    ] as const) {
      const answer = await call(node, "GET", path);
      expect(answer.status).toBe(status);
      expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(answer.headers["content-security-policy"]).toMatch(/form-action 'none'; .*frame-ancestors \*$/);
      expect(answer.headers["x-frame-options"]).toBeUndefined();
      expect(answer.text).toContain(words);
      expect(answer.text).not.toContain(ticket);
    }
    expect(await redeem(node, ticket)).not.toBeNull();
  });
});
