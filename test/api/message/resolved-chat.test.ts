import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { recordReports } from "../../../src/core/message/record.ts";
import { settleResolvedChats } from "../../../src/core/message/resolved-chat.ts";
import { indexForSearch } from "../../../src/core/message/search-index.ts";
import { changePacing } from "../../../src/core/pacing/settings.ts";
import type { InboundMessage } from "../../../src/core/transport/events.ts";
import { startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { type Answer, call } from "../kit/call.ts";
import { openInbox } from "../kit/inbox.ts";
import { createMessenger, startSending, type TestMessenger } from "../kit/sending.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

/** Messages addressed by phone or username, whose chat the messenger reports in its response. */

const WIDE = { perSecond: 1_000, burst: 1_000 };
const ANN = "123";
const PHONE = "79001112233";
const people: Readonly<Record<string, string>> = { [PHONE]: ANN, ann: ANN, bob: "456" };
const OF_BOB: InboundMessage = {
  chatType: "telegram",
  chatId: "456",
  externalId: "of Bob",
  direction: "in",
  sentAt: new Date(),
  contact: { name: "Bob" },
  body: { type: "text", text: "from Bob" },
};

let database: TestDatabase;
let messenger: TestMessenger;
let node: TestNode;
let stop: () => Promise<void>;
let account: TestAccount;
let channelId: string;

beforeAll(async () => {
  database = await startTestDatabase();
  messenger = createMessenger(
    { channel: WIDE, chat: WIDE, jitterMs: 0 },
    {
      addressBy: ["chatId", "username", "phone"],
      edit: { windowMs: null, parts: ["text"] },
      remove: { windowMs: null },
      receipts: ["delivered", "read"],
      quote: true,
    },
    ["telegram"],
  );
  messenger.resolve = ({ chatId, username, phone }) => chatId ?? people[username ?? phone ?? ""] ?? "";
  node = await startNode({ transports: [messenger.transport], database });
  stop = await startSending(node);
});
afterAll(async () => {
  await stop();
  await node.stop();
  await database.stop();
});
beforeEach(async () => {
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "whatsapp" });
  messenger.hinder = () => undefined;
  await node.db.query(
    `insert into webhook_endpoints (account_id, id, version, url, kinds, secret)
     values ($1, gen_random_uuid(), 'v3', 'http://127.0.0.1:9/', '{messages,statuses}', '\\x00')`,
    [account.id],
  );
});

type Name = { readonly chat_id: string } | { readonly phone: string } | { readonly username: string };

const api = (method: "POST" | "PATCH" | "DELETE", path: string, body?: object): Promise<Answer> =>
  call(node, method, path, { token: account.access, body });

const dataOf = ({ json }: Answer): Record<string, string> => (json as { data: Record<string, string> }).data;

/** Accepts a message; resolves with its id and the chat id in the response. */
async function accept(to: Name, text: string): Promise<{ id: string; chatId: string }> {
  const recipient = { chat_type: "telegram", ...to };
  const data = dataOf(await api("POST", "/v2/messages", { channel_id: channelId, recipient, text }));
  return { id: data["request_id"] ?? "", chatId: data["chat_id"] ?? "" };
}

/** Sends a message; resolves when its outcome is stored. */
async function send(to: Name, text = "Hello"): Promise<{ id: string; chatId: string }> {
  const message = await accept(to, text);
  await vi.waitUntil(async () => (await statusOf(message.id)) !== "queued", { interval: 20 });
  return message;
}

async function statusOf(id: string): Promise<string | undefined> {
  return (await node.db.query<{ status: string }>("select status from messages where id = $1", [id]))[0]
    ?.status;
}

/** Ann writes, or the owner of the account writes to her elsewhere. */
const receive = (externalId: string, more: object = {}): Promise<void> =>
  messenger.tell(channelId, {
    kind: "message",
    message: {
      chatType: "telegram",
      chatId: ANN,
      externalId,
      direction: "in",
      sentAt: new Date(),
      contact: { name: "Ann" },
      body: { type: "text", text: externalId },
      ...more,
    },
  });

/** The texts in each chat that has any, by the messenger's id of the chat. */
async function chats(): Promise<Record<string, string[]>> {
  const rows = await node.db.query<{ chat_id: string; texts: string[] }>(
    `select c.chat_id, array_agg(m.text order by m.created_at, m.id) as texts from chats c
     join messages m on m.account_id = c.account_id and m.chat = c.id where c.account_id = $1
     group by c.id, c.chat_id`,
    [account.id],
  );
  return Object.fromEntries(rows.map((row) => [row.chat_id, row.texts]));
}

/** The statuses in webhooks, each with the messenger's id of its chat. */
async function statuses(): Promise<string[]> {
  const rows = await node.db.query<{ body: string; chat_id: string }>(
    `select e.body, c.chat_id from events e join chats c on c.account_id = e.account_id and c.id = e.chat
     where e.account_id = $1 and e.kind = 'statuses' order by e.id`,
    [account.id],
  );
  return rows.map((row) => `${row.chat_id} ${(JSON.parse(row.body) as { status: string }).status}`);
}

/** Ids of the chats in the list of chats. */
async function listed(): Promise<string[]> {
  const rows = await node.db.query<{ chat_id: string }>(
    `select c.chat_id from chat_order o join chats c on c.account_id = o.account_id and c.id = o.chat
     where o.account_id = $1`,
    [account.id],
  );
  return rows.map((row) => row.chat_id);
}

const readByAnn = (): Promise<void> =>
  messenger.tell(channelId, {
    kind: "readUpTo",
    chatType: "telegram",
    chatId: ANN,
    upTo: { sentAt: new Date(Date.now() + 60_000) },
    at: new Date(),
  });

test("a message sent by phone is edited and removed in the chat that the messenger reported", async () => {
  const { id, chatId } = await send({ phone: PHONE });
  expect(chatId).toBe(PHONE);
  const before = messenger.changed.length;
  const edited = await api("PATCH", `/v2/messages/${id}`, { text: "New" });
  const removed = await api("DELETE", `/v2/messages/${id}`);
  expect([edited.status, removed.status]).toEqual([200, 200]);
  expect([dataOf(edited)["chat_id"], dataOf(removed)["chat_id"]]).toEqual([ANN, ANN]);
  expect(messenger.changed.slice(before).map((ref) => ref.chatId)).toEqual([ANN, ANN]);
});

test("a message sent by phone becomes read when its person reads the chat", async () => {
  await send({ phone: PHONE });
  await readByAnn();
  expect(await statuses()).toEqual([`${ANN} sent`, `${ANN} read`]);
});

test("a reply to a message sent by phone comes in the same chat and quotes the message", async () => {
  messenger.name = () => "m1";
  const { id } = await send({ phone: PHONE });
  await receive("Yes?", { quoted: { externalId: "m1" } });
  expect(await chats()).toEqual({ [ANN]: ["Hello", "Yes?"] });
  const quoted = await node.db.query(
    "select quoted_id from messages where account_id = $1 and text = 'Yes?'",
    [account.id],
  );
  expect(quoted).toEqual([{ quoted_id: id }]);
  messenger.name = () => crypto.randomUUID();
});

test("the next message to the same phone goes to the known chat", async () => {
  await send({ phone: PHONE }, "first");
  expect((await send({ phone: PHONE }, "second")).chatId).toBe(ANN);
  expect(messenger.arrived.at(-1)?.message.to).toEqual({ chatType: "telegram", chatId: ANN });
  expect(await chats()).toEqual({ [ANN]: ["first", "second"] });
});

test("messages to one phone that are accepted together get into one chat", async () => {
  const texts = ["one", "two", "three"];
  const sent = await Promise.all(texts.map((text) => send({ phone: PHONE }, text)));
  expect(sent).toHaveLength(3);
  expect((await chats())[ANN]?.toSorted()).toEqual(texts.toSorted());
});

test("what employees noted on a person moves with the messages to the person's chat", async () => {
  const answer = Promise.withResolvers<void>();
  messenger.hinder = () => answer.promise;
  const first = await accept({ phone: PHONE }, "first");
  const page = await openInbox(node, account.api);
  const [chat] = ((await page.get("chats")).json as { chats: { id: string }[] }).chats;
  await page.send("PATCH", `chats/${chat?.id}/card`, { name: "Anna", comment: "Likes blue" });
  await receive("Hi");
  const [own] = await node.db.query<{ id: string }>(
    "select id from chats where account_id = $1 and chat_id = $2",
    [account.id, ANN],
  );
  await page.send("PATCH", `chats/${own?.id}/card`, { email: "ann@shop.example" });
  answer.resolve();
  await expect.poll(() => statusOf(first.id)).toBe("sent");
  const card = { name: "Anna", comment: "Likes blue", email: "ann@shop.example" };
  await expect.poll(async () => (await page.get(`chats/${own?.id}/card`)).json).toMatchObject(card);
});

/** Two messages to the phone of a person who wrote before: the first one is at the messenger, the second one waits. */
async function acceptTwo(): Promise<{ ids: readonly string[]; answer: readonly (() => void)[] }> {
  await receive("Hi");
  const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let asked = 0;
  messenger.hinder = (chatId) => (chatId === ANN ? answers[asked++]?.promise : undefined);
  const first = await accept({ phone: PHONE }, "first");
  await vi.waitUntil(() => asked === 1);
  const second = await accept({ phone: PHONE }, "second");
  return { ids: [first.id, second.id], answer: answers.map(({ resolve }) => resolve) };
}

test("messages to a phone keep their order although the first one shows that its chat is known", async () => {
  const before = messenger.arrived.length;
  const texts = () => messenger.arrived.slice(before).map(({ text }) => text);
  const { ids, answer } = await acceptTwo();
  answer[0]?.();
  await expect.poll(() => statusOf(ids[0] ?? "")).toBe("sent");
  await accept({ phone: PHONE }, "third");
  // By then the third one would have arrived if it did not wait for the second one.
  await accept({ username: "bob" }, "to Bob");
  await vi.waitUntil(() => texts().includes("to Bob"));
  answer[1]?.();
  await vi.waitUntil(() => texts().includes("third"));
  expect(texts()).toEqual(["first", "to Bob", "second", "third"]);
  expect(messenger.arrived.at(-1)?.message.to).toMatchObject({ chatId: ANN });
  await expect.poll(async () => (await chats())[ANN]).toEqual(["Hi", "first", "second", "third"]);
  expect((await send({ phone: PHONE }, "fourth")).chatId).toBe(ANN);
});

test("a message to a phone can quote one of its known chat while others wait under the phone", async () => {
  const { ids, answer } = await acceptTwo();
  answer[0]?.();
  await expect.poll(() => statusOf(ids[0] ?? "")).toBe("sent");
  const recipient = { chat_type: "telegram", phone: PHONE };
  const body = { channel_id: channelId, recipient, text: "third", quoted_message_id: ids[0] };
  const { status } = await api("POST", "/v2/messages", body);
  answer[1]?.();
  expect(status).toBe(200);
});

test("a message to a phone is no first contact once another one has shown that its person wrote before", async () => {
  channelId = await addChannel(node, account, { transport: "whatsapp", status: "disabled" });
  const changes = { changes: { firstContactsPerDay: 1 }, endsCooldown: false };
  await changePacing(node.db, { accountId: account.id, channelId }, changes);
  await node.db.query("update channels set status = 'active' where id = $1", [channelId]);
  const { ids, answer } = await acceptTwo();
  for (const resolve of answer) resolve();
  await expect.poll(() => statusOf(ids[1] ?? "")).toBe("sent");
  expect(await chats()).toEqual({ [ANN]: ["Hi", "first", "second"] });
});

test("a second name of the same person leads to the same chat", async () => {
  await send({ phone: PHONE }, "by phone");
  const { id } = await send({ username: "ann" }, "by username");
  expect(await chats()).toEqual({ [ANN]: ["by phone", "by username"] });
  expect([await statuses(), await listed()]).toEqual([[`${ANN} sent`, `${ANN} sent`], [ANN]]);
  expect((await api("PATCH", `/v2/messages/${id}`, { text: "New" })).status).toBe(200);
  expect(messenger.changed.at(-1)?.chatId).toBe(ANN);
  expect((await send({ username: "Ann" })).chatId).toBe(ANN);
});

test("a message by phone to a person who wrote before moves to their chat and answers it", async () => {
  await receive("Hi");
  const answered = Promise.withResolvers<void>();
  messenger.hinder = () => answered.promise;
  const { id } = await accept({ phone: PHONE }, "Hello");
  await indexForSearch(node.db, 1_000);
  answered.resolve();
  await expect.poll(statuses).toEqual([`${ANN} sent`]);
  expect([await chats(), await listed()]).toEqual([{ [ANN]: ["Hi", "Hello"] }, [ANN]]);
  await indexForSearch(node.db, 1_000);
  const count = async (rows: string) => (await node.db.query(rows, [account.id])).length;
  expect(await count("select 1 from unanswered where account_id = $1")).toBe(0);
  expect(await count("select distinct chat from message_words where account_id = $1")).toBe(1);
  await readByAnn();
  expect(await statusOf(id)).toBe("read");
  await send({ phone: PHONE }, "Again");
  expect(await chats()).toEqual({ [ANN]: ["Hi", "Hello", "Again"] });
});

test("a message that the messenger has reported in the person's chat is not moved there again", async () => {
  const answered = Promise.withResolvers<void>();
  messenger.name = () => "m1";
  messenger.hinder = () => answered.promise;
  await accept({ phone: PHONE }, "Hello");
  await receive("m1", { direction: "echo" });
  answered.resolve();
  await expect.poll(statuses).toEqual([`+${PHONE} sent`]);
  expect(await chats()).toEqual({ [ANN]: ["m1"], [`+${PHONE}`]: ["Hello"] });
  messenger.name = () => crypto.randomUUID();
});

test("a username that meanwhile belongs to another person leads to that person's chat", async () => {
  await send({ username: "ann" }, "to Ann");
  await node.db.query("update chats set username = null where account_id = $1", [account.id]);
  await messenger.tell(channelId, { kind: "message", message: OF_BOB });
  const resolve = messenger.resolve;
  messenger.resolve = (to) => (to.username === "ann" ? "456" : resolve(to));
  await send({ username: "ann" }, "to Bob");
  messenger.resolve = resolve;
  expect(await chats()).toEqual({ [ANN]: ["to Ann"], "456": ["from Bob", "to Bob"] });
});

test.each([
  ["phone", { phone: PHONE }, `+${PHONE}`, PHONE],
  ["username", { username: "ann" }, "@ann", "ann"],
])(
  "responses and webhooks show the bare %s of a chat whose id is not known",
  async (_, to, stored, shown) => {
    const { id } = await send(to);
    await node.db.query("update chats set chat_id = $2 where account_id = $1", [account.id, stored]);
    const answers = [await api("PATCH", `/v2/messages/${id}`, { text: "New" })];
    answers.push(await api("DELETE", `/v2/messages/${id}`));
    expect(answers.map((answer) => dataOf(answer)["chat_id"])).toEqual([shown, shown]);
    const events = await node.db.query<{ body: string }>(
      "select body from events where account_id = $1 and kind = 'messages' order by id",
      [account.id],
    );
    const told = events.map(({ body }) => (JSON.parse(body) as { chatId: string }).chatId);
    expect(told).toEqual([shown, shown]);
  },
);

test("a repeated or stale outcome changes no chat", async () => {
  const { id } = await send({ username: "bob" });
  const [message] = await node.db.query<{ chat: string }>("select chat from messages where id = $1", [id]);
  const chat = message?.chat ?? "";
  await node.db.query("update chats set chat_id = '@bob' where account_id = $1", [account.id]);
  const result = { kind: "sent", externalId: "x", chatId: "456", sentAt: new Date() } as const;
  const ids = { accountId: account.id, channelId, chat, messageId: id, jobId: 0 };
  expect(await settleResolvedChats(node.core, [{ ...ids, nickname: "@bob", result }])).toEqual([chat]);
  expect(Object.keys(await chats())).toEqual(["@bob"]);
});

test("a node that dies between the naming of the chat and the outcome leaves a message in the right chat", async () => {
  const answered = Promise.withResolvers<void>();
  messenger.hinder = () => answered.promise;
  const { id } = await accept({ username: "bob" }, "Hello");
  const [job] = await vi.waitUntil(async () => {
    const rows = await node.db.query<{ id: number; chat: string }>(
      "select id, chat from send_jobs where message_id = $1",
      [id],
    );
    return rows.length > 0 && rows;
  });
  const result = { kind: "sent", externalId: "x", chatId: "456", sentAt: new Date() } as const;
  const ids = { accountId: account.id, channelId, chat: job?.chat ?? "", messageId: id, jobId: job?.id ?? 0 };
  for (let attempt = 0; attempt < 2; attempt++)
    await settleResolvedChats(node.core, [{ ...ids, nickname: "@bob", result }]);
  expect([await chats(), await statusOf(id)]).toEqual([{ "456": ["Hello"] }, "queued"]);
  answered.resolve();
  await expect.poll(statuses).toEqual(["456 sent"]);
});

test("a first message of a person is stored although their chat gets its id from an outcome at that moment", async () => {
  await send({ username: "bob" });
  await node.db.query("update chats set chat_id = '@bob' where account_id = $1", [account.id]);
  let isRenamed = false;
  const db = new Proxy(node.db, {
    get: (target, name: keyof typeof node.db) => {
      if (name !== "bulk") return target[name];
      return async (...of: Parameters<typeof target.bulk>) => {
        if (!isRenamed)
          await node.db.query("update chats set chat_id = '456' where account_id = $1", [account.id]);
        isRenamed = true;
        return target.bulk(...of);
      };
    },
  });
  await recordReports({ ...node.core, db }, [
    { accountId: account.id, channelId, event: { kind: "message", message: OF_BOB } },
  ]);
  expect(await chats()).toEqual({ "456": ["Hello", "from Bob"] });
});
