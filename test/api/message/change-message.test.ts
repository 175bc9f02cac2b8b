import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { call, outcome } from "../kit/call.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

let node: TestNode;
let account: TestAccount;
let stranger: TestAccount;

beforeAll(async () => {
  node = await startNode();
  account = await addAccount(node.db);
  stranger = await addAccount(node.db);
});
afterAll(() => node.stop());

interface Stored {
  readonly transport?: string;
  readonly owner?: "account" | "stranger";
  readonly columns?: Readonly<Record<string, unknown>>;
  /** Of the channel. */
  readonly reason?: string;
}

/** A message as if it had been sent a moment ago. */
async function stored(of: Stored): Promise<string> {
  const { transport = "telegram", owner = "account", columns = {}, reason } = of;
  const whose = owner === "account" ? account : stranger;
  const disabled = reason === undefined ? {} : { status: "disabled", reason };
  const channel = await addChannel(node, whose, { transport, ...disabled });
  const [id, chat] = [newId(), newId()];
  await node.db.query(
    "insert into chats (account_id, id, channel_id, chat_type, chat_id) values ($1, $2, $3, 'telegram', $4)",
    [whose.id, chat, channel, id],
  );
  const row = { direction: "out", type: "text", status: "sent", text: "Hello", ...columns };
  const names = Object.keys(row);
  await node.db.query(
    `insert into messages (account_id, id, channel_id, chat, sent_at, ${names.join(", ")})
     select $1, $2, $3, $4, now(), ${names.map((name) => `r.${name}`).join(", ")}
     from json_populate_record(null::messages, $5::json) r`,
    [whose.id, id, channel, chat, JSON.stringify(row)],
  );
  return id;
}

async function sentMinutesAgo(minutes: number, more: Stored = {}): Promise<string> {
  const id = await stored(more);
  await node.db.query("update messages set sent_at = now() - $2 * interval '1 minute' where id = $1", [
    id,
    minutes,
  ]);
  return id;
}

const TEXT = { text: "New" };
const FILE = { attachment: { url: "https://example.com/a.png" } };

const EDITS: [name: string, outcome: string, message: () => Promise<string> | string, body: object][] = [
  ["what is no id", "404 MESSAGES_NOT_FOUND", () => "x", TEXT],
  ["an unknown message", "404 MESSAGES_NOT_FOUND", newId, TEXT],
  ["another account's message", "404 MESSAGES_NOT_FOUND", () => stored({ owner: "stranger" }), TEXT],
  [
    "a received message",
    "400 MESSAGES_NOT_OUTGOING",
    () => stored({ columns: { direction: "in", status: "inbound" } }),
    TEXT,
  ],
  ["with nothing", "400 MESSAGE_NOTHING_TO_SEND", () => stored({}), {}],
  ["with an empty text", "400 MESSAGE_NOTHING_TO_SEND", () => stored({}), { text: "" }],
  ["with spaces only", "400 MESSAGE_NOTHING_TO_SEND", () => stored({}), { text: " \n" }],
  ["with text and file", "400 MESSAGE_ONLY_TEXT_OR_CONTENT", () => stored({}), { ...TEXT, ...FILE }],
  ["with an unknown field", "400 VALIDATION_ERROR template", () => stored({}), { template: {} }],
  [
    "with wrong types",
    "400 VALIDATION_ERROR crm_user_id text",
    () => stored({}),
    { text: 1, crm_user_id: 2.5 },
  ],
  [
    "with a private address",
    "400 ATTACHMENT_URL_NOT_ALLOWED attachment.url",
    () => stored({}),
    { attachment: { url: "http://10.0.0.1/" } },
  ],
  [
    "where nothing can be edited",
    "400 CHANNEL_INVALID_TRANSPORT_FOR_EDITING",
    () => stored({ transport: "wapi" }),
    TEXT,
  ],
  [
    "a file where texts only can be edited",
    "400 CHANNEL_INVALID_TRANSPORT_FOR_CONTENT_EDITING",
    () => stored({ transport: "whatsapp" }),
    FILE,
  ],
  [
    "to a file of a kind that cannot be sent",
    "400 MESSAGE_CONTENT_NOT_SUPPORTED",
    () => stored({ transport: "viber" }),
    { attachment: { url: "http://127.0.0.1:9/a.pdf" } },
  ],
  ["16 minutes later", "400 MESSAGES_EDITING_TIME_EXPIRED", () => sentMinutesAgo(16), TEXT],
  [
    "16 minutes after delivery",
    "400 MESSAGES_EDITING_TIME_EXPIRED",
    () => sentMinutesAgo(20, { columns: { delivered_at: "2020-01-01" } }),
    TEXT,
  ],
  [
    "a message with buttons",
    "400 MESSAGES_CONTAIN_BUTTONS",
    () => stored({ columns: { content: { keyboard: { kind: "inline", rows: [] } } } }),
    TEXT,
  ],
  [
    "a deleted message",
    "400 MESSAGES_ALREADY_DELETED",
    () => stored({ columns: { deleted_at: "2020-01-01" } }),
    TEXT,
  ],
  ["a message on its way", "400 MESSAGES_NOT_SENT", () => stored({ columns: { status: "queued" } }), TEXT],
  ["a failed message", "400 MESSAGES_NOT_SENT", () => stored({ columns: { status: "error" } }), TEXT],
  ["with an over-long text", "400 MESSAGE_TEXT_TOO_LONG", () => stored({}), { text: "x".repeat(4_097) }],
  [
    "a message that removed the keyboard, where the messenger refuses that",
    "400 MESSAGES_CONTAIN_BUTTONS",
    () => stored({ columns: { content: { keyboard: { kind: "remove", selective: false } } } }),
    TEXT,
  ],
  ["on an unpaid channel", "400 CHANNEL_NO_MONEY", () => stored({ reason: "not_enough_money" }), TEXT],
  ["on a blocked channel", "400 CHANNEL_BLOCKED", () => stored({ reason: "blocked" }), TEXT],
  ["on a rejected channel", "400 CHANNEL_WAPI_REJECTED", () => stored({ reason: "rejected" }), TEXT],
  [
    "on an unauthorized channel",
    "400 MESSAGE_CHANNEL_UNAVAILABLE",
    () => stored({ reason: "unauthorized" }),
    TEXT,
  ],
];
/** What the two versions call differently. */
const V3_NAMES: Readonly<Record<string, string>> = { attachment: "contentUri", crm_user_id: "crmUserId" };
const inV3 = (body: object): object =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      V3_NAMES[name] ?? name,
      name === "attachment" ? value.url : value,
    ]),
  );

test("a message to a phone that is cancelled is answered with the phone as its chat", async () => {
  const channelId = await addChannel(node, account, { transport: "telegram" });
  const options = { token: account.access };
  const recipient = { chat_type: "telegram", phone: "+79990001122" };
  const body = { channel_id: channelId, recipient, text: "Hello" };
  const sent = await call(node, "POST", "/v2/messages", { ...options, body });
  const { request_id: id } = (sent.json as { data: { request_id: string } }).data;
  const removed = await call(node, "DELETE", `/v2/messages/${id}`, options);
  expect(removed.json).toMatchObject({ data: { message_id: id, chat_id: "79990001122" } });
});

test.each(EDITS)("editing on v2 %s: %s", async (_name, expected, message, body) => {
  const answer = await call(node, "PATCH", `/v2/messages/${await message()}`, {
    token: account.access,
    body,
  });
  expect(outcome(answer)).toBe(expected);
  expect(answer.json).toMatchObject({ status: answer.status, requestId: answer.headers["x-request-id"] });
});

test.each(EDITS.filter(([name]) => name !== "with an unknown field"))(
  "editing on v3 %s: %s",
  async (_name, expected, message, body) => {
    const answer = await call(node, "PATCH", `/v3/message/${await message()}`, {
      token: account.api,
      body: inV3(body),
    });
    expect(outcome(answer)).toBe(
      expected
        .replace("VALIDATION_ERROR", "INVALID_MESSAGE_DATA")
        .replace("crm_user_id", "crmUserId")
        .replace("attachment.url", "contentUri"),
    );
    expect(answer.json).toMatchObject({ status: answer.status, requestId: answer.headers["x-request-id"] });
  },
);

const REMOVALS: [name: string, outcome: string, message: () => Promise<string> | string][] = [
  ["what is no id", "404 MESSAGES_NOT_FOUND", () => "x"],
  ["an unknown message", "404 MESSAGES_NOT_FOUND", newId],
  ["another account's message", "404 MESSAGES_NOT_FOUND", () => stored({ owner: "stranger" })],
  [
    "a received message",
    "400 MESSAGES_NOT_OUTGOING",
    () => stored({ columns: { direction: "in", status: "inbound" } }),
  ],
  [
    "where nothing can be deleted",
    "400 CHANNEL_INVALID_TRANSPORT_FOR_DELETION",
    () => stored({ transport: "wapi" }),
  ],
  ["49 hours later", "400 MESSAGES_DELETION_TIME_EXPIRED", () => sentMinutesAgo(49 * 60)],
  [
    "a deleted message",
    "400 MESSAGES_ALREADY_DELETED",
    () => stored({ columns: { deleted_at: "2020-01-01" } }),
  ],
  ["a failed message", "400 MESSAGES_NOT_SENT", () => stored({ columns: { status: "error" } })],
  ["on a rejected channel", "400 CHANNEL_WAPI_REJECTED", () => stored({ reason: "rejected" })],
];

test.each(REMOVALS)("deleting on v2 %s: %s", async (_name, expected, message) => {
  const answer = await call(node, "DELETE", `/v2/messages/${await message()}`, {
    token: account.access,
    raw: "[]",
  });
  expect(outcome(answer)).toBe(expected);
});

test.each(REMOVALS)("deleting on v3 %s: %s", async (_name, expected, message) => {
  const answer = await call(node, "DELETE", `/v3/message/${await message()}`, {
    token: account.sidecar,
    raw: "[]",
  });
  expect(outcome(answer)).toBe(expected);
});

describe("a message that waits to be sent", () => {
  /** One of each transport, whether or not it can delete what was sent. */
  async function waiting(transport: string): Promise<string> {
    const channel = await addChannel(node, account, { transport });
    const recipient = {
      chat_type: transport === "telegram" ? "telegram" : "whatsapp",
      chat_id: "79990001122",
    };
    const body = { channel_id: channel, recipient, text: "Hi" };
    const { json } = await call(node, "POST", "/v2/messages", { token: account.access, body });
    return (json as { data: { request_id: string } }).data.request_id;
  }
  const remove = (id: string) => call(node, "DELETE", `/v3/message/${id}`, { token: account.api });
  const row = async (id: string) =>
    (await node.db.query("select status, error ->> 'code' as code from messages where id = $1", [id]))[0];
  const jobs = (id: string) => node.db.query("select id from send_jobs where message_id = $1", [id]);

  test.each(["telegram", "wapi"])("is cancelled by deleting it, on %s", async (transport) => {
    const id = await waiting(transport);
    const answer = await remove(id);
    expect([answer.status, answer.json]).toEqual([200, { messageId: id, chatId: "79990001122" }]);
    expect(await row(id)).toEqual({ status: "error", code: "MESSAGE_CANCELLED" });
    expect(await jobs(id)).toEqual([]);
    expect(outcome(await remove(id))).toBe(
      transport === "wapi" ? "400 CHANNEL_INVALID_TRANSPORT_FOR_DELETION" : "400 MESSAGES_NOT_SENT",
    );
  });

  test("its cancellation is reported by webhook", async () => {
    await node.db.query(
      "insert into webhook_endpoints (account_id, id, version, url, kinds, secret) values ($1, $2, 'v3', '', '{statuses}', $3)",
      [account.id, newId(), Buffer.alloc(32)],
    );
    const id = await waiting("telegram");
    await remove(id);
    const events = await node.db.query<{ body: string }>("select body from events where subject = $1", [id]);
    expect(events.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
      { messageId: id, status: "error", error: { error: "MESSAGE_CANCELLED" } },
    ]);
  });

  test("is missing for other accounts", async () => {
    const id = await waiting("telegram");
    expect(outcome(await call(node, "DELETE", `/v3/message/${id}`, { token: stranger.api }))).toBe(
      "404 MESSAGES_NOT_FOUND",
    );
    expect(await row(id)).toMatchObject({ status: "queued" });
  });

  test.each(["started_epoch = 1, unsure_since = now()", "unsure_since = now()"])(
    "may have reached the messenger (%s): the response waits for the outcome",
    async (mark) => {
      const id = await waiting("telegram");
      await node.db.query(`update send_jobs set ${mark} where message_id = $1`, [id]);
      const answer = remove(id);
      expect(await Promise.race([answer, row(id)])).toMatchObject({ status: "queued" });
      await node.db.query("update messages set status = 'error' where id = $1", [id]);
      expect(outcome(await answer)).toBe("400 MESSAGES_NOT_SENT");
    },
  );
});
