import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { sendMessage } from "../../../src/core/message/send.ts";
import { newId } from "../../../src/platform/ids.ts";
import { startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { type Answer, type Call, call, outcome } from "../kit/call.ts";
import {
  addAccount,
  addChannel,
  addTemplate,
  startNode,
  type TestAccount,
  type TestNode,
} from "../kit/service.ts";

let database: TestDatabase;
let node: TestNode;
/** A second node on the same database. */
let other: TestNode;
let account: TestAccount;
/** Hosts of files: the size in the path is what they announce. */
let files: { readonly url: string; stop(): Promise<void> };
const ids: Record<string, string> = {};

beforeAll(async () => {
  database = await startTestDatabase();
  node = await startNode({ database });
  other = await startNode({ database });
  files = await startFileHost();
  account = await addAccount(node.db);
  for (const transport of ["telegram", "whatsapp", "wapi", "maxbot", "viber"])
    ids[transport] = await addChannel(node, account, { transport, businessId: "shop" });
  await addTemplate(node, account, { id: TEMPLATE_ID, transport: "wapi", businessId: "shop" });
  for (const reason of ["not_enough_money", "blocked", "unauthorized", "rejected"])
    ids[reason] = await addChannel(node, account, { transport: "wapi", status: "disabled", reason });
  ids["foreign"] = await addChannel(node, await addAccount(node.db), { transport: "telegram" });
  ids["quotable"] = await sentBefore("10000");
  ids["elsewhere"] = await sentBefore("200");
});
afterAll(async () => {
  await other.stop();
  await node.stop();
  await database.stop();
  await files.stop();
});

async function startFileHost() {
  const server = createServer((request, response) => {
    const size = Number(request.url?.split("/")[1]);
    if (Number.isNaN(size)) response.writeHead(404).end();
    else if (request.url === "/0") response.writeHead(200, { "transfer-encoding": "chunked" }).end();
    else response.writeHead(200, { "content-length": size }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

async function sentBefore(chatId: string): Promise<string> {
  const request = {
    channelId: ids["telegram"] ?? "",
    recipient: { chatType: "telegram", chatId },
    text: "Earlier",
  };
  return (await sendMessage(node.core, { accountId: account.id }, request, null)).messageId;
}

const TEMPLATE_ID = newId();
const HELLO = { text: "Hello" };
const MB = 1024 * 1024;
const TYPES: Record<string, string> = {
  telegram: "telegram",
  foreign: "telegram",
  maxbot: "max",
  viber: "viber",
};

/** Sends through a channel named above; a name as `refMessageId` stands for that message. */
function send(channel: string, fields: object, options: Call & { on?: TestNode } = {}): Promise<Answer> {
  const { on = node, ...more } = options;
  const body = {
    channelId: ids[channel] ?? channel,
    chatType: TYPES[channel] ?? "whatsapp",
    chatId: "10000",
    ...fields,
  };
  return call(on, "POST", "/v3/message", { token: account.api, body, ...more });
}

const buttons = (...buttons: unknown[]) => ({ ...HELLO, buttonsObject: { buttons } });
const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

const CASES: [name: string, outcome: string, channel: string, fields: object][] = [
  // content
  ["text", "201", "telegram", HELLO],
  [
    "text and file",
    "400 MESSAGE_ONLY_TEXT_OR_CONTENT",
    "telegram",
    { ...HELLO, contentUri: "https://x.com/a" },
  ],
  [
    "text and template",
    "400 MESSAGE_ONLY_TEXT_OR_CONTENT",
    "wapi",
    { ...HELLO, templateId: newId(), templateValues: [] },
  ],
  ["nothing", "400 MESSAGE_NOTHING_TO_SEND", "telegram", {}],
  ["an empty text", "400 MESSAGE_NOTHING_TO_SEND", "telegram", { text: "" }],
  ["every optional field null", "400 MESSAGE_NOTHING_TO_SEND", "telegram", { text: null, contentUri: null }],
  ["a text as long as allowed", "201", "telegram", { text: "x".repeat(4_096) }],
  ["a text one longer", "400 MESSAGE_TEXT_TOO_LONG", "telegram", { text: "x".repeat(4_097) }],
  ["a template", "201", "wapi", { templateId: TEMPLATE_ID, templateValues: ["Ann"] }],
  [
    "a template with payloads",
    "201",
    "wapi",
    { templateId: TEMPLATE_ID, buttonsObject: [{ payload: "yes" }] },
  ],
  ["a template that nobody has", "404 TEMPLATE_NOT_FOUND", "wapi", { templateId: newId() }],
  ["a template as text", "201", "wapi", { text: `@template: ${TEMPLATE_ID} { [[5]]; [[Ann]] }` }],
  ["an unknown template as text", "404 TEMPLATE_NOT_FOUND", "wapi", { text: `@template: ${newId()} { }` }],
  ["the same text where there are no templates", "201", "telegram", { text: `@template: ${newId()} { }` }],
  ["a template elsewhere", "400 MESSAGE_TEMPLATE_NOT_SUPPORTED", "telegram", { templateId: newId() }],
  ["a template id that is none", "400 INVALID_MESSAGE_DATA templateId", "wapi", { templateId: "1" }],
  [
    "values of another type",
    "400 INVALID_MESSAGE_DATA templateValues[0]",
    "wapi",
    { templateId: newId(), templateValues: [1] },
  ],
  [
    "a template's button without payload",
    "400 INVALID_MESSAGE_DATA buttonsObject.buttons[0].payload",
    "wapi",
    { templateId: newId(), buttonsObject: { buttons: [{ text: "Yes" }] } },
  ],
  [
    "the same in a flat list",
    "400 INVALID_MESSAGE_DATA buttonsObject[1].payload",
    "wapi",
    { templateId: newId(), buttonsObject: [{ payload: "yes" }, {}] },
  ],
  [
    "a private address",
    "400 ATTACHMENT_URL_NOT_ALLOWED contentUri",
    "telegram",
    { contentUri: "http://10.0.0.1/" },
  ],
  ["no address at all", "400 ATTACHMENT_URL_NOT_ALLOWED contentUri", "telegram", { contentUri: "a.png" }],
  // fields
  ["unknown fields are ignored", "201", "telegram", { ...HELLO, chat_type: 1, extra: { deep: [null] } }],
  [
    "every faulty field is named",
    "400 INVALID_MESSAGE_DATA chatType clearUnanswered text",
    "telegram",
    { text: 1, chatType: "signal", clearUnanswered: "no" },
  ],
  ["no channel", "400 INVALID_MESSAGE_DATA channelId", "telegram", { ...HELLO, channelId: undefined }],
  ["no chat type", "400 INVALID_MESSAGE_DATA chatType", "telegram", { ...HELLO, chatType: undefined }],
  [
    "crmMessageId as a number",
    "400 INVALID_MESSAGE_DATA crmMessageId",
    "telegram",
    { ...HELLO, crmMessageId: 1 },
  ],
  ["an empty crmMessageId is none", "201", "telegram", { ...HELLO, crmMessageId: "" }],
  [
    "everything empty beside a template is absent",
    "201",
    "wapi",
    { templateId: TEMPLATE_ID, text: "", contentUri: "", refMessageId: "", crmUserId: "", buttonsObject: [] },
  ],
  ["an employee by number", "201", "telegram", { ...HELLO, crmUserId: 17 }],
  ["half an employee", "400 INVALID_MESSAGE_DATA crmUserId", "telegram", { ...HELLO, crmUserId: 1.5 }],
  // recipient
  ["another transport's chat type", "400 WRONG_TRANSPORT", "telegram", { ...HELLO, chatType: "whatsapp" }],
  ["nobody", "400 MESSAGE_RECIPIENT_REQUIRED", "telegram", { ...HELLO, chatId: undefined }],
  ["a username on telegram", "201", "telegram", { ...HELLO, chatId: undefined, username: "ann" }],
  [
    "a username elsewhere",
    "400 MESSAGE_RECIPIENT_REQUIRED",
    "viber",
    { ...HELLO, chatId: null, username: "ann" },
  ],
  ["a phone on telegram", "201", "telegram", { ...HELLO, chatId: undefined, phone: "79990001122" }],
  ["a phone on max", "201", "maxbot", { ...HELLO, chatId: undefined, phone: "79990001122" }],
  ["a phone elsewhere", "400 MESSAGE_RECIPIENT_REQUIRED", "wapi", { ...HELLO, chatId: null, phone: "79990" }],
  ["a phone with a plus", "201", "telegram", { ...HELLO, phone: "+79990001122" }],
  ["a phone that is none", "400 INVALID_MESSAGE_DATA phone", "telegram", { ...HELLO, phone: "x" }],
  ["no number", "400 INVALID_MESSAGE_DATA chatId", "whatsapp", { ...HELLO, chatId: "ann" }],
  ["a number as people write it", "201", "whatsapp", { ...HELLO, chatId: "+7 (999) 000-11-22" }],
  // channel
  ["an unknown channel", "404 CHANNEL_NOT_FOUND", newId(), { ...HELLO, chatType: "telegram" }],
  ["another account's channel", "404 CHANNEL_NOT_FOUND", "foreign", HELLO],
  ["an unpaid channel", "400 CHANNEL_NO_MONEY", "not_enough_money", HELLO],
  ["a blocked channel", "400 CHANNEL_BLOCKED", "blocked", HELLO],
  ["an unauthorized channel", "400 MESSAGE_CHANNEL_UNAVAILABLE", "unauthorized", HELLO],
  ["a rejected channel", "400 CHANNEL_WAPI_REJECTED", "rejected", HELLO],
  // quoting
  ["a quote", "201", "telegram", { ...HELLO, refMessageId: "quotable" }],
  [
    "a quote that is no id",
    "400 INVALID_MESSAGE_DATA refMessageId",
    "telegram",
    { ...HELLO, refMessageId: "1" },
  ],
  ["a quote of nothing", "404 QUOTED_MESSAGE_NOT_FOUND", "telegram", { ...HELLO, refMessageId: newId() }],
  [
    "a quote from another chat",
    "404 QUOTED_MESSAGE_NOT_FOUND",
    "telegram",
    { ...HELLO, refMessageId: "elsewhere" },
  ],
  [
    "a quote where there are none",
    "400 MESSAGE_QUOTING_NOT_SUPPORTED",
    "viber",
    { ...HELLO, refMessageId: newId() },
  ],
  // buttons
  ["buttons of a bot", "201", "telegram", buttons({ text: "A", callback_data: "a" })],
  ["buttons of a bot in camel case", "201", "telegram", buttons({ text: "A", callbackData: "a" })],
  [
    "a flat list of buttons",
    "201",
    "telegram",
    { ...HELLO, buttonsObject: [{ text: "A", callbackData: "a" }] },
  ],
  [
    "a keyboard",
    "201",
    "telegram",
    {
      ...HELLO,
      buttonsObject: {
        replyMarkup: "reply",
        oneTimeKeyboard: true,
        resizeKeyboard: true,
        selective: true,
        buttons: [[{ text: "A" }, { text: "B" }], [{ text: "C" }]],
      },
    },
  ],
  ["removing the keyboard", "201", "telegram", { ...HELLO, buttonsObject: { removeKeyboard: true } }],
  ["interactive buttons", "201", "wapi", buttons(...times(11, { text: "A", type: "text", payload: "a" }))],
  ["a wapi button without payload", "201", "wapi", buttons({ text: "A", payload: "a" }, { text: "B" })],
  ["rows of a bot", "201", "maxbot", buttons([{ type: "callback", text: "A", payload: "a" }])],
  [
    "unknown fields of buttons are ignored",
    "201",
    "wapi",
    buttons({ text: "A", payload: "a", color: "red" }),
  ],
  [
    "an over-long label",
    "400 MESSAGE_KEYBOARD_INVALID buttonsObject.buttons[0].text",
    "wapi",
    buttons({ text: "A".repeat(21), payload: "a" }),
  ],
  [
    "an over-long payload",
    "400 MESSAGE_KEYBOARD_INVALID buttonsObject.buttons[0].payload",
    "wapi",
    buttons({ text: "A", payload: "a".repeat(257) }),
  ],
  [
    "a text that is too long with buttons",
    "400 MESSAGE_TEXT_TOO_LONG",
    "wapi",
    { ...buttons({ text: "A", payload: "a" }), text: "x".repeat(1_025) },
  ],
  ["the same without buttons", "201", "wapi", { text: "x".repeat(1_025) }],
  [
    "a file of a kind that the messenger does not take",
    "400 MESSAGE_CONTENT_NOT_SUPPORTED",
    "viber",
    { chatId: "37126123456", contentUri: "https://example.com/a.mp3" },
  ],
  [
    "a button without text",
    "400 MESSAGE_KEYBOARD_INVALID buttonsObject.buttons[0].text",
    "wapi",
    buttons({ payload: "a" }),
  ],
  [
    "the same in a flat list of buttons",
    "400 MESSAGE_KEYBOARD_INVALID buttonsObject[0].text",
    "wapi",
    { ...HELLO, buttonsObject: [{ payload: "a" }] },
  ],
  [
    "a callback of a bot without payload",
    "400 MESSAGE_KEYBOARD_INVALID buttonsObject.buttons[0][0].payload",
    "maxbot",
    buttons([{ type: "callback", text: "A" }]),
  ],
  [
    "another markup",
    "400 MESSAGE_KEYBOARD_INVALID buttonsObject.replyMarkup",
    "telegram",
    { ...HELLO, buttonsObject: { replyMarkup: "popup", buttons: [] } },
  ],
  [
    "a link that is none",
    "400 MESSAGE_KEYBOARD_INVALID buttonsObject.buttons[0].url",
    "telegram",
    buttons({ text: "A", url: "x" }),
  ],
  [
    "a flag as text",
    "400 INVALID_MESSAGE_DATA buttonsObject.oneTimeKeyboard",
    "telegram",
    {
      ...HELLO,
      buttonsObject: { oneTimeKeyboard: "yes" },
    },
  ],
  [
    "no buttons",
    "400 MESSAGE_KEYBOARD_INVALID buttonsObject.buttons",
    "telegram",
    { ...HELLO, buttonsObject: {} },
  ],
  ["buttons as text", "400 INVALID_MESSAGE_DATA buttonsObject", "telegram", { ...HELLO, buttonsObject: "A" }],
  ["buttons elsewhere", "400 MESSAGE_KEYBOARD_INVALID", "whatsapp", buttons({ text: "A" })],
];

test.each(CASES)("POST /v3/message, %s: %s", async (_name, expected, channel, fields) => {
  const quoted =
    "refMessageId" in fields ? { refMessageId: ids[String(fields.refMessageId)] ?? fields.refMessageId } : {};
  expect(outcome(await send(channel, { ...fields, ...quoted }))).toBe(expected);
});

test("a file above the messenger's limit for its kind is refused", async () => {
  const named = (size: number) => ({ chatId: "37126123456", contentUri: `${files.url}/${size}/a.png` });
  expect(outcome(await send("viber", named(1024)))).toBe("201");
  expect(outcome(await send("viber", named(1025)))).toBe("400 MESSAGES_CONTENT_SIZE_EXCEEDED");
});

test.each([
  ["of 50 MB is taken", "201", 50 * MB],
  ["above 50 MB is refused", "400 MESSAGES_CONTENT_SIZE_EXCEEDED", 50 * MB + 1],
  ["whose host does not tell its size is taken", "201", 0],
  ["whose host has none is taken: its absence is reported by webhook", "201", "missing"],
])("a file %s: %s", async (_name, expected, size) => {
  expect(outcome(await send("telegram", { contentUri: `${files.url}/${size}` }))).toBe(expected);
});

test("the response and the stored message", async () => {
  const { json, headers } = await send("telegram", {
    ...HELLO,
    crmUserId: "7",
    crmMessageId: "stored-1",
    refMessageId: ids["quotable"],
    clearUnanswered: false,
    buttonsObject: { buttons: [{ text: "A", callbackData: "a" }] },
  });
  expect(json).toEqual({ messageId: expect.stringMatching(/^[0-9a-f-]{36}$/), chatId: "10000" });
  expect(headers["content-type"]).toBe("application/json; charset=utf-8");
  const { messageId } = json as { messageId: string };
  const stored = await node.db.query(
    "select author_id, crm_message_id, quoted_id, text, content from messages where id = $1",
    [messageId],
  );
  expect(stored).toEqual([
    {
      author_id: "7",
      crm_message_id: "stored-1",
      quoted_id: ids["quotable"],
      text: "Hello",
      content: {
        leavesUnanswered: true,
        keyboard: { kind: "inline", rows: [[{ text: "A", payload: "a" }]] },
      },
    },
  ]);
});

test("a file is sent as an attachment of its kind", async () => {
  const { json } = await send("telegram", { contentUri: `${files.url}/12` });
  const { messageId } = json as { messageId: string };
  expect(await node.db.query("select type, content from messages where id = $1", [messageId])).toEqual([
    { type: "document", content: { attachment: { url: `${files.url}/12` } } },
  ]);
});

test("a template is sent with its values and payloads, as on v2", async () => {
  const { json } = await send("wapi", {
    templateId: TEMPLATE_ID,
    templateValues: ["Ann"],
    buttonsObject: { buttons: [{ text: "Yes", payload: "yes" }] },
  });
  const { messageId } = json as { messageId: string };
  expect(await node.db.query("select type, content from messages where id = $1", [messageId])).toEqual([
    { type: "wapi_template", content: { template: { id: TEMPLATE_ID, values: ["Ann"], payloads: ["yes"] } } },
  ]);
});

test("an unknown person has no chat", async () => {
  expect((await send("telegram", { ...HELLO, chatId: undefined, username: "nobody" })).json).toMatchObject({
    chatId: "nobody",
  });
});

test("refusals have status and requestId, and the interface's texts", async () => {
  const { json, headers } = await send("whatsapp", { ...HELLO, chatType: "vk" });
  expect(json).toEqual({
    error: "WRONG_TRANSPORT",
    description: "You can't send message to vk chat from whatsapp transport",
    data: { channelId: ids["whatsapp"], transport: "whatsapp", chatType: "vk" },
    status: 400,
    requestId: headers["x-request-id"],
  });
});

const count = async (crmMessageId: string) =>
  (
    await node.db.query("select id from messages where account_id = $1 and crm_message_id = $2", [
      account.id,
      crmMessageId,
    ])
  ).length;
const grow = (crmMessageId: string, seconds: number) =>
  node.db.query(
    `update idempotency_keys set created_at = created_at - $3 * interval '1 second'
     where account_id = $1 and route = 'crmMessageId' and key = $2`,
    [account.id, crmMessageId, seconds],
  );

test("the same crmMessageId within 60 seconds is refused, whichever chat and node", async () => {
  const first = { ...HELLO, crmMessageId: "twice" };
  expect(outcome(await send("telegram", first))).toBe("201");
  const { status, json } = await send("telegram", { ...first, text: "Other", chatId: "5" }, { on: other });
  expect([status, json]).toEqual([
    400,
    expect.objectContaining({
      error: "REPEATED_CRM_MESSAGE_ID",
      description: "You have already sent message with same crmMessageId",
      data: { crmMessageId: "twice" },
    }),
  ]);
  expect(await count("twice")).toBe(1);
  expect(
    await node.db.query("select 1 from chats where account_id = $1 and chat_id = '5'", [account.id]),
    "a refused message leaves no chat behind",
  ).toEqual([]);

  await grow("twice", 30);
  expect(outcome(await send("telegram", first))).toBe("400 REPEATED_CRM_MESSAGE_ID");
  await grow("twice", 30);
  expect(outcome(await send("telegram", first, { on: other }))).toBe("201");
  expect(outcome(await send("telegram", first))).toBe("400 REPEATED_CRM_MESSAGE_ID");
  expect(await count("twice")).toBe(2);
});

test("of many at once on two nodes one is accepted", async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      send("telegram", { text: `${index}`, crmMessageId: "race" }, { on: index % 2 === 0 ? node : other }),
    ),
  );
  const outcomes = answers.map(outcome).toSorted();
  expect(outcomes).toEqual(["201", ...times(19, "400 REPEATED_CRM_MESSAGE_ID")]);
  expect(await count("race")).toBe(1);
});

test("other concurrent messages are not delayed by a repeated one", async () => {
  await send("telegram", { ...HELLO, crmMessageId: "held" });
  const answers = await Promise.all([
    send("telegram", { ...HELLO, crmMessageId: "held" }),
    send("telegram", HELLO),
    send("telegram", { ...HELLO, crmMessageId: "free" }),
  ]);
  expect(answers.map(outcome)).toEqual(["400 REPEATED_CRM_MESSAGE_ID", "201", "201"]);
});

test("another account may use the same crmMessageId", async () => {
  const stranger = await addAccount(node.db);
  const channelId = await addChannel(node, stranger, { transport: "telegram" });
  await send("telegram", { ...HELLO, crmMessageId: "shared" });
  expect(
    outcome(await send("telegram", { ...HELLO, channelId, crmMessageId: "shared" }, { token: stranger.api })),
  ).toBe("201");
});

test("a refused request does not use up its crmMessageId", async () => {
  expect(outcome(await send("telegram", { text: "", crmMessageId: "kept" }))).toBe(
    "400 MESSAGE_NOTHING_TO_SEND",
  );
  expect(outcome(await send("telegram", { ...HELLO, crmMessageId: "kept" }))).toBe("201");
});

test("Idempotency-Key: the same response again, also with a crmMessageId", async () => {
  const headers = { "idempotency-key": newId() };
  const fields = { ...HELLO, crmMessageId: "idempotent" };
  const first = await send("telegram", fields, { headers });
  const second = await send("telegram", fields, { headers, on: other });
  expect([second.status, second.text]).toEqual([first.status, first.text]);
  expect([first.status, second.headers["idempotency-replayed"]]).toEqual([201, "true"]);
  expect(outcome(await send("telegram", { ...fields, text: "Other" }, { headers }))).toBe(
    "409 IDEMPOTENCY_KEY_REUSED",
  );
  expect(await count("idempotent")).toBe(1);
});

test("a request repeated after a crash is the same message, not a repeated one", async () => {
  const headers = { "idempotency-key": "after-a-crash" };
  const fields = { ...HELLO, crmMessageId: "crashed" };
  const first = await send("telegram", fields, { headers });
  await node.db.query(
    `update idempotency_keys set status = null, answer = null, locked_until = now() - interval '1 second'
     where account_id = $1 and key = 'after-a-crash'`,
    [account.id],
  );
  const second = await send("telegram", fields, { headers, on: other });
  expect([second.status, second.json]).toEqual([201, first.json]);
  expect(await count("crashed")).toBe(1);
});

test("a sidecar key sends, without an author", async () => {
  const { status, json } = await send("telegram", { ...HELLO, crmUserId: "7" }, { token: account.sidecar });
  expect(status).toBe(201);
  const { messageId } = json as { messageId: string };
  expect(await node.db.query("select author_id from messages where id = $1", [messageId])).toEqual([
    { author_id: null },
  ]);
});

/** A message as if it had been sent a moment ago. */
async function sent(): Promise<string> {
  const messageId = await sentBefore("300");
  await node.db.query("delete from send_jobs where message_id = $1", [messageId]);
  await node.db.query("update messages set status = 'sent', external_id = id::text where id = $1", [
    messageId,
  ]);
  return messageId;
}

test.each(["v2", "v3"])("a message is not edited to a file above 50 MB by %s", async (version) => {
  const url = `${files.url}/${50 * MB + 1}`;
  const id = await sent();
  const answer =
    version === "v3"
      ? await call(node, "PATCH", `/v3/message/${id}`, { token: account.api, body: { contentUri: url } })
      : await call(node, "PATCH", `/v2/messages/${id}`, {
          token: account.access,
          body: { attachment: { url } },
        });
  expect(outcome(answer)).toBe("400 MESSAGES_CONTENT_SIZE_EXCEEDED");
});

test.each([
  ["an API key edits for the employee", () => account.api, { text: "New", authorId: "7" }],
  ["a sidecar key edits for nobody", () => account.sidecar, { text: "New" }],
])("%s", async (_name, token, change) => {
  const messageId = await sent();
  const body = { text: "New", crmUserId: "7" };
  const edited = call(node, "PATCH", `/v3/message/${messageId}`, { token: token(), body });
  const jobOf = "select id, account_id, change from send_jobs where message_id = $1";
  type Job = { id: number; account_id: number; change: object };
  const job = await vi.waitUntil(async () => (await node.db.query<Job>(jobOf, [messageId]))[0]);
  expect(job.change).toEqual(change);
  // What a session would answer.
  await node.db.query("insert into change_outcomes (account_id, job_id) values ($1, $2)", [
    job.account_id,
    job.id,
  ]);
  expect(await edited).toMatchObject({ status: 200, json: { messageId, chatId: "300" } });
});

test.each([
  ["the token of v2", () => account.access, "401 INVALID_APIKEY"],
  ["no token", () => undefined, "401 INVALID_APIKEY"],
])("%s does not send", async (_name, token, expected) => {
  const credential = token();
  const answer = await call(node, "POST", "/v3/message", {
    ...(credential === undefined ? {} : { token: credential }),
    body: {},
  });
  expect(outcome(answer)).toBe(expected);
});

test("GET /v3/channels lists the account's channels as a flat array", async () => {
  const owner = await addAccount(node.db);
  const phone = await addChannel(node, owner, { transport: "whatsapp" });
  const bot = await addChannel(node, owner, {
    transport: "telegram",
    status: "disabled",
    reason: "unauthorized",
  });
  const nameless = await addChannel(node, owner, { transport: "viber", status: "init" });
  await node.db.query("update channels set phone = '', username = 'shop_bot' where id = $1", [bot]);
  await node.db.query("update channels set phone = '', messenger_id = 'vb-1' where id = $1", [nameless]);
  for (const token of [owner.api, owner.sidecar]) {
    const { status, json } = await call(node, "GET", "/v3/channels", { token });
    expect(status).toBe(200);
    expect(json).toEqual([
      { channelId: phone, transport: "whatsapp", plainId: "79990001122", state: "active", name: "Shop" },
      { channelId: bot, transport: "telegram", plainId: "shop_bot", state: "unauthorized", name: "Shop" },
      { channelId: nameless, transport: "viber", plainId: "vb-1", state: "init", name: "Shop" },
    ]);
  }
  const empty = await addAccount(node.db);
  expect((await call(node, "GET", "/v3/channels", { token: empty.api })).json).toEqual([]);
});

test("invalid fields are names, which clients join, with details beside them", async () => {
  const { status, json } = await send("telegram", { text: 5, chatType: "fax" });
  expect([status, json]).toEqual([
    400,
    {
      error: "INVALID_MESSAGE_DATA",
      description: expect.any(String),
      status: 400,
      requestId: expect.any(String),
      data: {
        fields: ["chatType", "text"],
        details: [
          { field: "chatType", message: expect.stringContaining("must be one of") },
          { field: "text", message: "must be a string" },
        ],
      },
    },
  ]);
  const elsewhere = await call(node, "PATCH", "/v3/webhooks", {
    token: account.api,
    body: { webhooksUri: 5 },
  });
  expect(elsewhere.json).toMatchObject({ error: "VALIDATION_ERROR", data: { fields: ["webhooksUri"] } });
});

test("text/plain is read as JSON", async () => {
  const body = { channelId: ids["telegram"], chatType: "telegram", chatId: "10000", ...HELLO };
  const options = { token: account.api, headers: { "content-type": "text/plain;charset=UTF-8" } };
  const sent = await call(node, "POST", "/v3/message", { ...options, raw: JSON.stringify(body) });
  expect(sent.status).toBe(201);
  expect(outcome(await call(node, "POST", "/v3/message", { ...options, raw: "hello" }))).toBe(
    "400 INVALID_JSON",
  );
  const v2 = { token: account.access, headers: { "content-type": "text/plain" }, raw: "{}" };
  expect(outcome(await call(node, "POST", "/v2/messages", v2))).toBe("415 UNSUPPORTED_MEDIA_TYPE");
});

test("a recipient addressed by phone or username is named so in the response until the messenger reports the id", async () => {
  const byPhone = await send("telegram", { ...HELLO, chatId: undefined, phone: "+7 999 555 44 33" });
  expect(byPhone.json).toMatchObject({ chatId: "79995554433" });
});

test.each([
  ["phone", "+7 999 555 44 22", "79995554422"],
  ["username", "@blue_lamps", "blue_lamps"],
])("a client may send back the %s in the response as the chat's id", async (by, given, name) => {
  const first = await send("telegram", { ...HELLO, chatId: undefined, [by]: given });
  expect(first.json).toMatchObject({ chatId: name });
  const second = await send("telegram", { ...HELLO, chatId: name });
  expect(second.json).toMatchObject({ chatId: name });
  const ids = [first, second].map(({ json }) => (json as { messageId: string }).messageId);
  const rows = await node.db.query(
    "select distinct chat, content -> 'recipient' as recipient from messages where id = any($1)",
    [ids],
  );
  expect(rows).toMatchObject([{ recipient: { [by]: name } }]);
});

test("text in the form of a template code is sent as that template, with its values", async () => {
  const { json } = await send("wapi", { text: `@template: ${TEMPLATE_ID} { [[5]]; [[Ann]] }` });
  const { messageId } = json as { messageId: string };
  const query = "select type, text, content -> 'template' as template from messages where id = $1";
  expect(await node.db.query(query, [messageId])).toEqual([
    {
      type: "wapi_template",
      text: "Order 5\nHi Ann, it is ready",
      template: { id: TEMPLATE_ID, values: ["5", "Ann"], payloads: [] },
    },
  ]);
});
