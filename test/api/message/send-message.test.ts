import { afterAll, beforeAll, expect, test } from "vitest";
import { sendMessage } from "../../../src/core/message/send.ts";
import { newId } from "../../../src/platform/ids.ts";
import { call, outcome } from "../kit/call.ts";
import {
  addAccount,
  addChannel,
  addTemplate,
  startNode,
  type TestAccount,
  type TestNode,
} from "../kit/service.ts";

let node: TestNode;
let account: TestAccount;
/** Ids by name: transports, and channels in other states. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  node = await startNode();
  account = await addAccount(node.db);
  for (const transport of ["telegram", "whatsapp", "wapi", "maxbot", "viber"]) {
    ids[transport] = await addChannel(node, account, { transport, businessId: "shop" });
  }
  await addTemplate(node, account, { id: TEMPLATE_ID, transport: "wapi", businessId: "shop" });
  await addChannel(node, account, { transport: "wapi", businessId: "other" });
  await addTemplate(node, account, { id: OTHER_SHOP, transport: "wapi", businessId: "other" });
  const stranger = await addAccount(node.db);
  await addTemplate(node, stranger, { id: FOREIGN, transport: "wapi", businessId: "shop" });
  for (const reason of ["not_enough_money", "blocked", "unauthorized", "rejected"]) {
    ids[reason] = await addChannel(node, account, { transport: "wapi", status: "disabled", reason });
  }
  ids["starting"] = await addChannel(node, account, { transport: "telegram", status: "init" });
  ids["foreign"] = await addChannel(node, await addAccount(node.db), { transport: "telegram" });
  ids["foreignMessage"] = await sentThrough(ids["foreign"]);
  ids["quotable"] = await sentThrough(ids["telegram"]);
  ids["elsewhere"] = await sentThrough(ids["telegram"], "200");
});
afterAll(() => node.stop());

/** A stored message of the channel, of any account. */
async function sentThrough(channelId: string | undefined, chatId = "10000"): Promise<string> {
  const [owner] = await node.db.query<{ account_id: number }>(
    "select account_id from channels where id = $1",
    [channelId],
  );
  const request = {
    channelId: channelId ?? "",
    recipient: { chatType: "telegram", chatId },
    text: "Earlier",
  };
  return (await sendMessage(node.core, { accountId: owner?.account_id ?? 0 }, request, null)).messageId;
}

const HELLO = { text: "Hello" };
const FILE = { attachment: { url: "https://example.com/a.png" } };
const [TEMPLATE_ID, OTHER_SHOP, FOREIGN] = [newId(), newId(), newId()];
const TEMPLATE = { template: { id: TEMPLATE_ID, values: ["Ann"], buttons: [{ payload: "yes" }] } };
const TYPES: Record<string, string> = {
  telegram: "telegram",
  starting: "telegram",
  foreign: "telegram",
  maxbot: "max",
  viber: "viber",
};

/** Sends through a channel named above, to a chat of its kind. */
function send(channel: string, fields: object, recipient: object = {}): ReturnType<typeof call> {
  const to = { chat_type: TYPES[channel] ?? "whatsapp", chat_id: "10000", ...recipient };
  const body = { channel_id: ids[channel] ?? channel, recipient: to, ...fields };
  return call(node, "POST", "/v2/messages", { token: account.access, body });
}

const inline = (...buttons: unknown[]) => ({ ...HELLO, keyboard: { reply_markup: "inline", buttons } });
const reply = (...buttons: unknown[]) => ({ ...HELLO, keyboard: { reply_markup: "reply", buttons } });
const keyboard = (...buttons: unknown[]) => ({ ...HELLO, keyboard: { buttons } });
const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

const CASES: [name: string, outcome: string, channel: string, fields: object, recipient?: object][] = [
  // content
  ["text", "200", "telegram", HELLO],
  ["a file", "200", "telegram", FILE],
  ["a template", "200", "wapi", TEMPLATE],
  ["text and file", "400 MESSAGE_ONLY_TEXT_OR_CONTENT", "telegram", { ...HELLO, ...FILE }],
  ["text and template", "400 MESSAGE_ONLY_TEXT_OR_CONTENT", "wapi", { ...HELLO, ...TEMPLATE }],
  ["file and template", "400 MESSAGE_ONLY_TEXT_OR_CONTENT", "wapi", { ...FILE, ...TEMPLATE }],
  ["all three", "400 MESSAGE_ONLY_TEXT_OR_CONTENT", "wapi", { ...HELLO, ...FILE, ...TEMPLATE }],
  ["nothing", "400 MESSAGE_NOTHING_TO_SEND", "telegram", {}],
  [
    "all of it null",
    "400 MESSAGE_NOTHING_TO_SEND",
    "telegram",
    { text: null, attachment: null, template: null },
  ],
  ["an empty text", "400 MESSAGE_NOTHING_TO_SEND", "telegram", { text: "" }],
  ["spaces", "400 MESSAGE_NOTHING_TO_SEND", "telegram", { text: " \n " }],
  ["a keyboard alone", "400 MESSAGE_NOTHING_TO_SEND", "telegram", { keyboard: { buttons: [] } }],
  ["over-long text is reported by webhook", "200", "telegram", { text: "x".repeat(100_000) }],
  // wrong types
  ["text of another type", "400 VALIDATION_ERROR text", "telegram", { text: 1 }],
  ["attachment as a string", "400 VALIDATION_ERROR attachment", "telegram", { attachment: "https://x" }],
  ["recipient as a string", "400 VALIDATION_ERROR recipient", "telegram", { ...HELLO, recipient: "100" }],
  ["keyboard as a list", "400 VALIDATION_ERROR keyboard", "telegram", { ...HELLO, keyboard: [] }],
  [
    "reset_unanswered as text",
    "400 VALIDATION_ERROR reset_unanswered",
    "telegram",
    { ...HELLO, reset_unanswered: "no" },
  ],
  ["reset_unanswered", "200", "telegram", { ...HELLO, reset_unanswered: false }],
  ["crm_user_id as a number", "200", "telegram", { ...HELLO, crm_user_id: 7 }],
  [
    "crm_user_id that lost digits",
    "400 VALIDATION_ERROR crm_user_id",
    "telegram",
    { ...HELLO, crm_user_id: 2 ** 53 },
  ],
  ["a text beside a file that is empty", "200", "telegram", { ...FILE, text: "" }],
  [
    "everything empty beside a template is absent",
    "200",
    "wapi",
    { ...TEMPLATE, text: "", buttons: [], keyboard: { buttons: [] }, crm_user_id: "", quoted_message_id: "" },
  ],
  ["empty buttons beside nothing", "200", "wapi", { ...HELLO, buttons: [] }],
  [
    "a keyboard beside a template",
    "400 MESSAGE_KEYBOARD_INVALID keyboard",
    "wapi",
    { ...TEMPLATE, ...keyboard({ text: "A", payload: "a" }), text: undefined },
  ],
  ["crm_user_id", "200", "telegram", { ...HELLO, crm_user_id: "7" }],
  ["an unknown field", "400 VALIDATION_ERROR content", "telegram", { ...HELLO, content: "x" }],
  // recipient
  ["no chat type", "400 VALIDATION_ERROR recipient.chat_type", "telegram", HELLO, { chat_type: undefined }],
  [
    "an unknown chat type",
    "400 VALIDATION_ERROR recipient.chat_type",
    "telegram",
    HELLO,
    { chat_type: "signal" },
  ],
  ["another transport's chat type", "400 WRONG_TRANSPORT", "telegram", HELLO, { chat_type: "whatsapp" }],
  ["a group's chat type", "200", "telegram", HELLO, { chat_type: "telegroup", chat_id: "-100" }],
  ["a group where there are none", "400 WRONG_TRANSPORT", "wapi", HELLO, { chat_type: "whatsgroup" }],
  ["chat id as a number", "400 VALIDATION_ERROR recipient.chat_id", "telegram", HELLO, { chat_id: 100 }],
  ["an empty chat id", "400 MESSAGE_RECIPIENT_REQUIRED", "telegram", HELLO, { chat_id: "" }],
  [
    "a chat id of 256 characters",
    "400 VALIDATION_ERROR recipient.chat_id",
    "telegram",
    HELLO,
    { chat_id: "1".repeat(256) },
  ],
  ["nobody", "400 MESSAGE_RECIPIENT_REQUIRED", "telegram", HELLO, { chat_id: undefined }],
  ["a username on telegram", "200", "telegram", HELLO, { chat_id: undefined, username: "ann" }],
  [
    "a username elsewhere",
    "400 MESSAGE_RECIPIENT_REQUIRED",
    "maxbot",
    HELLO,
    { chat_id: undefined, username: "ann" },
  ],
  ["a phone on telegram", "200", "telegram", HELLO, { chat_id: undefined, phone: "79990001122" }],
  ["a phone on max", "200", "maxbot", HELLO, { chat_id: undefined, phone: "79990001122" }],
  [
    "a phone elsewhere",
    "400 MESSAGE_RECIPIENT_REQUIRED",
    "viber",
    HELLO,
    { chat_id: undefined, phone: "79990001122" },
  ],
  ["a phone with a plus", "200", "telegram", HELLO, { chat_id: undefined, phone: "+7 (999) 000-11-22" }],
  ["a phone that is none", "400 VALIDATION_ERROR recipient.phone", "telegram", HELLO, { phone: "7 999" }],
  ["an empty username", "400 VALIDATION_ERROR recipient.username", "telegram", HELLO, { username: "@" }],
  ["a phone as chat id", "200", "whatsapp", HELLO, { chat_id: "+7 (999) 000-11-22" }],
  ["a hidden person", "200", "whatsapp", HELLO, { chat_id: "236498711101@lid" }],
  ["somebody known to a business only", "200", "wapi", HELLO, { chat_id: "US.1474000000000001" }],
  ["no number", "400 VALIDATION_ERROR recipient.chat_id", "whatsapp", HELLO, { chat_id: "ann" }],
  ["a number too short", "400 VALIDATION_ERROR recipient.chat_id", "viber", HELLO, { chat_id: "1234" }],
  ["a number too long", "400 VALIDATION_ERROR recipient.chat_id", "wapi", HELLO, { chat_id: "1".repeat(16) }],
  ["a contact's name", "200", "telegram", HELLO, { chat_id: "101", crm_contact_name: "Ann" }],
  // channel
  ["no channel", "400 VALIDATION_ERROR channel_id", "telegram", { ...HELLO, channel_id: undefined }],
  ["a channel id that is none", "400 VALIDATION_ERROR channel_id", "shop", HELLO],
  ["an unknown channel", "404 CHANNEL_NOT_FOUND", newId(), HELLO, { chat_type: "telegram" }],
  ["another account's channel", "404 CHANNEL_NOT_FOUND", "foreign", HELLO],
  ["an unpaid channel", "400 CHANNEL_NO_MONEY", "not_enough_money", HELLO],
  ["a blocked channel", "400 CHANNEL_BLOCKED", "blocked", HELLO],
  ["an unauthorized channel", "400 MESSAGE_CHANNEL_UNAVAILABLE", "unauthorized", HELLO],
  ["a channel that starts", "400 MESSAGE_CHANNEL_UNAVAILABLE", "starting", HELLO],
  ["a rejected channel reports it by webhook", "200", "rejected", HELLO],
  // attachment
  ["a file without an address", "400 VALIDATION_ERROR attachment.url", "telegram", { attachment: {} }],
  [
    "a file with everything",
    "200",
    "telegram",
    {
      attachment: {
        ...FILE.attachment,
        name: "",
        mimetype: "image/png",
        size: 12,
        sha1: "a".repeat(40),
      },
    },
  ],
  [
    "a size as text",
    "400 VALIDATION_ERROR attachment.size",
    "telegram",
    { attachment: { ...FILE.attachment, size: "12" } },
  ],
  [
    "a negative size",
    "400 VALIDATION_ERROR attachment.size",
    "telegram",
    { attachment: { ...FILE.attachment, size: -1 } },
  ],
  [
    "a hash that is none",
    "400 VALIDATION_ERROR attachment.sha1",
    "telegram",
    { attachment: { ...FILE.attachment, sha1: "abc" } },
  ],
  [
    "a type that is none",
    "400 VALIDATION_ERROR attachment.mimetype",
    "telegram",
    { attachment: { ...FILE.attachment, mimetype: "png" } },
  ],
  [
    "no web address",
    "400 ATTACHMENT_URL_NOT_ALLOWED attachment.url",
    "telegram",
    { attachment: { url: "ftp://example.com/a" } },
  ],
  [
    "no address at all",
    "400 ATTACHMENT_URL_NOT_ALLOWED attachment.url",
    "telegram",
    { attachment: { url: "a.png" } },
  ],
  [
    "a private address",
    "400 ATTACHMENT_URL_NOT_ALLOWED attachment.url",
    "telegram",
    { attachment: { url: "http://10.0.0.1/a" } },
  ],
  // template
  ["a template elsewhere", "400 MESSAGE_TEMPLATE_NOT_SUPPORTED", "telegram", TEMPLATE],
  ["a template without id", "400 VALIDATION_ERROR template.id", "wapi", { template: { values: [] } }],
  ["a template id that is none", "400 VALIDATION_ERROR template.id", "wapi", { template: { id: "1" } }],
  ["a template alone", "200", "wapi", { template: { id: TEMPLATE_ID } }],
  ["a template that nobody has", "404 TEMPLATE_NOT_FOUND", "wapi", { template: { id: newId() } }],
  ["a template of another account", "404 TEMPLATE_NOT_FOUND", "wapi", { template: { id: FOREIGN } }],
  [
    "a template of another business",
    "400 TEMPLATE_OF_ANOTHER_CHANNEL",
    "wapi",
    { template: { id: OTHER_SHOP } },
  ],
  [
    "values of another type",
    "400 VALIDATION_ERROR template.values[1]",
    "wapi",
    { template: { id: newId(), values: ["a", 1] } },
  ],
  [
    "null among the values",
    "400 VALIDATION_ERROR template.values[0]",
    "wapi",
    { template: { id: newId(), values: [null] } },
  ],
  [
    "a template's button without payload",
    "400 VALIDATION_ERROR template.buttons[0].payload",
    "wapi",
    { template: { id: newId(), buttons: [{ text: "Yes" }] } },
  ],
  [
    "buttons beside the template",
    "200",
    "wapi",
    { template: { id: TEMPLATE_ID }, buttons: [{ text: "Yes", type: "text", payload: "yes" }] },
  ],
  [
    "buttons beside nothing",
    "400 VALIDATION_ERROR buttons",
    "wapi",
    { ...HELLO, buttons: [{ payload: "yes" }] },
  ],
  [
    "a faulty button beside the template",
    "400 VALIDATION_ERROR buttons[0].payload",
    "wapi",
    { template: { id: newId() }, buttons: [{}] },
  ],
  // quoting
  ["a quote", "200", "telegram", { ...HELLO, quoted_message_id: "quotable" }],
  [
    "a quote that is no id",
    "400 VALIDATION_ERROR quoted_message_id",
    "telegram",
    { ...HELLO, quoted_message_id: "1" },
  ],
  [
    "a quote of nothing",
    "404 QUOTED_MESSAGE_NOT_FOUND",
    "telegram",
    { ...HELLO, quoted_message_id: newId() },
  ],
  [
    "a quote from another chat",
    "404 QUOTED_MESSAGE_NOT_FOUND",
    "telegram",
    { ...HELLO, quoted_message_id: "elsewhere" },
  ],
  [
    "a quote of another account's",
    "404 QUOTED_MESSAGE_NOT_FOUND",
    "telegram",
    { ...HELLO, quoted_message_id: "foreignMessage" },
  ],
  [
    "a quote where there are none",
    "400 MESSAGE_QUOTING_NOT_SUPPORTED",
    "viber",
    { ...HELLO, quoted_message_id: newId() },
  ],
  // keyboards: telegram
  ["a keyboard elsewhere", "400 MESSAGE_KEYBOARD_INVALID", "whatsapp", keyboard({ text: "A" })],
  [
    "inline with payload and link",
    "200",
    "telegram",
    inline({ text: "A", callback_data: "a" }, { text: "B", url: "https://example.com" }),
  ],
  [
    "inline in rows",
    "200",
    "telegram",
    inline([{ text: "A", callback_data: "a" }], [{ text: "B", callback_data: "b" }]),
  ],
  ["inline by default", "200", "telegram", keyboard({ text: "A", callback_data: "a" })],
  [
    "13 inline buttons: the first 12 are sent",
    "200",
    "telegram",
    inline(...times(13, { text: "A", callback_data: "a" })),
  ],
  [
    "an inline label of 65 is not sent",
    "200",
    "telegram",
    inline({ text: "A".repeat(65), callback_data: "a" }),
  ],
  [
    "a payload of 65 bytes",
    "400 MESSAGE_KEYBOARD_INVALID keyboard.buttons[0].callback_data",
    "telegram",
    inline({ text: "A", callback_data: "a".repeat(65) }),
  ],
  [
    "inline without text",
    "400 MESSAGE_KEYBOARD_INVALID keyboard.buttons[0].text",
    "telegram",
    inline({ callback_data: "a" }),
  ],
  [
    "inline without payload or link",
    "400 MESSAGE_KEYBOARD_INVALID keyboard.buttons[0]",
    "telegram",
    inline({ text: "A" }),
  ],
  [
    "inline with both",
    "400 MESSAGE_KEYBOARD_INVALID keyboard.buttons[0]",
    "telegram",
    inline({ text: "A", callback_data: "a", url: "https://example.com" }),
  ],
  [
    "an inline link that is none",
    "400 MESSAGE_KEYBOARD_INVALID keyboard.buttons[0].url",
    "telegram",
    inline({ text: "A", url: "x" }),
  ],
  [
    "a payload as a number",
    "400 VALIDATION_ERROR keyboard.buttons[0].callback_data",
    "telegram",
    inline({ text: "A", callback_data: 1 }),
  ],
  [
    "a reply keyboard",
    "200",
    "telegram",
    {
      ...HELLO,
      keyboard: {
        reply_markup: "reply",
        one_time_keyboard: true,
        resize_keyboard: true,
        selective: true,
        buttons: [{ text: "A" }],
      },
    },
  ],
  ["13 reply buttons: the first 12 are sent", "200", "telegram", reply(...times(13, { text: "A" }))],
  [
    "a reply button without text",
    "400 MESSAGE_KEYBOARD_INVALID keyboard.buttons[0].text",
    "telegram",
    reply({}),
  ],
  ["a reply button that is none", "400 VALIDATION_ERROR keyboard.buttons[0]", "telegram", reply("A")],
  [
    "another markup",
    "400 MESSAGE_KEYBOARD_INVALID keyboard.reply_markup",
    "telegram",
    { ...HELLO, keyboard: { reply_markup: "popup", buttons: [] } },
  ],
  [
    "a flag as text",
    "400 VALIDATION_ERROR keyboard.one_time_keyboard",
    "telegram",
    { ...HELLO, keyboard: { reply_markup: "reply", one_time_keyboard: "yes", buttons: [{ text: "A" }] } },
  ],
  [
    "no buttons",
    "400 MESSAGE_KEYBOARD_INVALID keyboard.buttons",
    "telegram",
    { ...HELLO, keyboard: { reply_markup: "inline" } },
  ],
  [
    "an unknown field of a keyboard",
    "400 VALIDATION_ERROR keyboard.columns",
    "telegram",
    { ...HELLO, keyboard: { columns: 2, buttons: [{ text: "A", callback_data: "a" }] } },
  ],
  [
    "an unknown field that is null",
    "200",
    "telegram",
    { ...HELLO, keyboard: { columns: null, buttons: [{ text: "A", callback_data: "a", color: null }] } },
  ],
  [
    "an unknown field of a button",
    "400 VALIDATION_ERROR keyboard.buttons[0].color",
    "telegram",
    inline({ text: "A", callback_data: "a", color: "red" }),
  ],
  [
    "unknown fields of buttons in rows",
    "400 VALIDATION_ERROR keyboard.buttons[0][0].color keyboard.buttons[1][0].icon",
    "maxbot",
    keyboard([{ type: "message", text: "A", color: "red" }], [{ type: "message", text: "B", icon: "x" }]),
  ],
  [
    "a field of another transport's buttons is ignored",
    "200",
    "telegram",
    inline({ text: "A", callback_data: "a", type: "text", payload: "a", intent: "default" }),
  ],
  ["removing the keyboard", "200", "telegram", { ...HELLO, keyboard: { remove_keyboard: true } }],
  // keyboards: interactive
  ["interactive buttons", "200", "wapi", keyboard({ text: "A", type: "text", payload: "a" })],
  [
    "11 interactive buttons: the first 10 are used",
    "200",
    "wapi",
    keyboard(...times(11, { text: "A", payload: "a" })),
  ],
  ["an interactive label of 21 is not sent", "200", "wapi", keyboard({ text: "A".repeat(21), payload: "a" })],
  [
    "interactive without payload",
    "400 MESSAGE_KEYBOARD_INVALID keyboard.buttons[0].payload",
    "wapi",
    keyboard({ text: "A" }),
  ],
  [
    "interactive without buttons",
    "400 MESSAGE_KEYBOARD_INVALID keyboard.buttons",
    "wapi",
    { ...HELLO, keyboard: {} },
  ],
  // keyboards: rows
  [
    "rows of every type",
    "200",
    "maxbot",
    keyboard(
      [
        { type: "callback", text: "A", payload: "a", intent: "positive" },
        { type: "link", text: "B", url: "https://example.com" },
      ],
      [{ type: "message", text: "C" }],
    ),
  ],
  [
    "a row's button without type",
    "400 MESSAGE_KEYBOARD_INVALID keyboard.buttons[0][0].type",
    "maxbot",
    keyboard([{ text: "A" }]),
  ],
  [
    "a row's button of another type",
    "400 MESSAGE_KEYBOARD_INVALID keyboard.buttons[0][0].type",
    "maxbot",
    keyboard([{ type: "x", text: "A" }]),
  ],
  [
    "a row's button without text",
    "400 MESSAGE_KEYBOARD_INVALID keyboard.buttons[0][0].text",
    "maxbot",
    keyboard([{ type: "message" }]),
  ],
  [
    "callback without payload",
    "400 MESSAGE_KEYBOARD_INVALID keyboard.buttons[0][0].payload",
    "maxbot",
    keyboard([{ type: "callback", text: "A" }]),
  ],
  [
    "link without address",
    "400 MESSAGE_KEYBOARD_INVALID keyboard.buttons[0][0].url",
    "maxbot",
    keyboard([{ type: "link", text: "A" }]),
  ],
  [
    "another intent",
    "400 MESSAGE_KEYBOARD_INVALID keyboard.buttons[0][0].intent",
    "maxbot",
    keyboard([{ type: "message", text: "A", intent: "x" }]),
  ],
];

test.each(CASES)("%s: %s", async (_name, expected, channel, fields, recipient) => {
  const quoted =
    "quoted_message_id" in fields
      ? { quoted_message_id: ids[String(fields.quoted_message_id)] ?? fields.quoted_message_id }
      : {};
  expect(outcome(await send(channel, { ...fields, ...quoted }, recipient))).toBe(expected);
});

test("the response names the request and the chat", async () => {
  const { json } = await send("telegram", HELLO);
  expect(json).toEqual({
    data: {
      request_id: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      chat_id: "10000",
    },
    meta: { timestamp: expect.any(Number) },
  });
  expect((await send("telegram", HELLO, { chat_id: undefined, username: "nobody" })).json).toMatchObject({
    data: { chat_id: "nobody" },
  });
});

test("an id in capitals is the same id", async () => {
  expect((await send((ids["telegram"] ?? "").toUpperCase(), HELLO, { chat_type: "telegram" })).status).toBe(
    200,
  );
});

test("refusals have the interface's texts", async () => {
  expect((await send("telegram", { ...HELLO, ...FILE })).json).toMatchObject({
    description: "Cannot provide more than one of text, attachment or template",
  });
  expect((await send("whatsapp", HELLO, { chat_type: "vk" })).json).toMatchObject({
    description: "You can't send message to vk chat from whatsapp transport",
    data: { channelId: ids["whatsapp"], transport: "whatsapp", chatType: "vk" },
  });
});

test("one person is one chat, however the id is spelled", async () => {
  const spellings = ["79995550011", "+7 (999) 555-00-11", "007.999.555.00.11", "79995550011@c.us"];
  const answers = await Promise.all(spellings.map((chat_id) => send("whatsapp", HELLO, { chat_id })));
  expect(answers.map(({ json }) => json)).toEqual(
    spellings.map(() =>
      expect.objectContaining({ data: expect.objectContaining({ chat_id: "79995550011" }) }),
    ),
  );
  const chats = await node.db.query("select chat_id from chats where channel_id = $1 and chat_id ~ '555'", [
    ids["whatsapp"],
  ]);
  expect(chats).toEqual([{ chat_id: "79995550011" }]);
});
