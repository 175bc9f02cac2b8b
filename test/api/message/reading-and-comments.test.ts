import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { loadFacts } from "../../../src/core/message/load-facts.ts";
import type { InboundMessage } from "../../../src/core/transport/events.ts";
import { call } from "../kit/call.ts";
import { arrive } from "../kit/inbound.ts";
import { createMessenger, startSending, type TestMessenger } from "../kit/sending.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const WIDE = { perSecond: 1_000, burst: 1_000 };
const DAY_MS = 86_400_000;

let messenger: TestMessenger;
let node: TestNode;
let account: TestAccount;
let channelId: string;
let stop: () => Promise<void>;

beforeAll(async () => {
  messenger = createMessenger(
    { channel: WIDE, chat: WIDE, jitterMs: 0 },
    { quote: true, receipts: ["read"], replyWindow: { ms: 7 * DAY_MS, code: "7_DAYS_EXCEEDED" } },
  );
  node = await startNode({ transports: [messenger.transport] });
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "whatsapp" });
  stop = await startSending(node, { pacing: false });
});
afterAll(async () => {
  await stop();
  await node.stop();
});

async function send(chatId: string, text: string, more: object = {}): Promise<string> {
  const recipient = { chat_type: "whatsapp", chat_id: chatId };
  const body = { channel_id: channelId, recipient, text, ...more };
  const { json } = await call(node, "POST", "/v2/messages", { token: account.access, body });
  return (json as { meta: { request_id: string } }).meta.request_id;
}

const about = async (chatId: string) =>
  node.db.query<{ text: string; status: string; external_id: string; error: { code: string } | null }>(
    `select m.text, m.status, m.external_id, m.error from messages m join chats c on c.id = m.chat
     where c.chat_id = $1 and m.direction = 'out' order by m.id`,
    [chatId],
  );

const write = (chatId: string, externalId: string, more: Partial<InboundMessage> = {}) =>
  arrive(
    node,
    { account, channelId },
    {
      chatType: "whatsapp",
      chatId,
      externalId,
      contact: { name: "Ann" },
      body: { type: "text", text: externalId },
      ...more,
    },
  );

const statusesOf = async (chatId: string) =>
  (await about(chatId)).map(({ text, status }) => `${text} ${status}`);

test("reading up to a message or a time includes earlier messages, and no later ones", async () => {
  const chatId = "79001110001";
  for (const text of ["one", "two", "three"]) {
    await send(chatId, text);
    await vi.waitUntil(async () => (await statusesOf(chatId)).includes(`${text} sent`));
  }
  const two = (await about(chatId)).find(({ text }) => text === "two")?.external_id ?? "";
  const read = (upTo: { externalId: string } | { sentAt: Date }) =>
    messenger.tell(channelId, { kind: "readUpTo", chatType: "whatsapp", chatId, upTo, at: new Date() });
  await read({ externalId: "nobody knows it" });
  await read({ sentAt: new Date(Date.now() - DAY_MS) });
  expect(await statusesOf(chatId)).toEqual(["one sent", "two sent", "three sent"]);
  await read({ externalId: two });
  expect(await statusesOf(chatId)).toEqual(["one read", "two read", "three sent"]);
  await read({ sentAt: new Date(Date.now() + 1_000) });
  expect(await statusesOf(chatId)).toEqual(["one read", "two read", "three read"]);
  await read({ externalId: two });
  expect(await statusesOf(chatId)).toEqual(["one read", "two read", "three read"]);
});

const POST = { id: "post-1", src: "https://example.com/p/1", author: "shop", description: "New!" };

test("a comment opens no window, and is answered by quoting it, with text only", async () => {
  const chatId = "79001110002";
  await write(chatId, "price?", { post: POST });
  const stored = await node.db.query<{ id: string }>("select id from messages where external_id = 'price?'");
  const quoted = { quoted_message_id: stored[0]?.id };
  await send(chatId, "in private");
  await send(chatId, "in public", quoted);
  await messenger.untilArrived("in private", "in public");
  const [first, second] = messenger.arrived.filter((each) => each.chatId === chatId);
  expect(first?.message).not.toHaveProperty("quietMs");
  expect(first?.message).not.toHaveProperty("quoted");
  expect(second?.message.quoted).toMatchObject({ externalId: "price?", postId: "post-1" });
  const keys = [{ accountId: account.id, id: second?.message.id ?? "" }];
  expect(await loadFacts(node.db, "https://gate.example", keys)).toMatchObject([
    {
      quoted: {
        text: "price?",
        isEcho: false,
        contact: { name: expect.any(String) },
        details: { extras: { post: POST } },
      },
    },
  ]);

  const url = "https://example.com/price.pdf";
  const body = {
    channel_id: channelId,
    recipient: { chat_type: "whatsapp", chat_id: chatId },
    attachment: { url },
  };
  await call(node, "POST", "/v2/messages", { token: account.access, body: { ...body, ...quoted } });
  const codes = async () => (await about(chatId)).flatMap(({ error }) => error?.code ?? []);
  await vi.waitUntil(async () => (await codes()).length > 0);
  expect(await codes()).toEqual(["COMMENT_CAN_BE_TEXT_ONLY"]);
});

test("a reply to a part of a message shows the part, although the whole is stored", async () => {
  const chatId = "79001110008";
  await write(chatId, "100, on Monday");
  await write(chatId, "which Monday?", { quoted: { externalId: "100, on Monday", part: "on Monday" } });
  const [reply] = await node.db.query<{ id: string }>(
    "select id from messages where external_id = 'which Monday?'",
  );
  const facts = await loadFacts(node.db, "https://gate.example", [
    { accountId: account.id, id: reply?.id ?? "" },
  ]);
  expect(facts).toMatchObject([{ quoted: { messageId: expect.any(String), text: "on Monday" } }]);
});

test("a deleted message cannot be quoted, and the messenger is not asked", async () => {
  const chatId = "79001110009";
  await write(chatId, "taken back");
  const stored = await node.db.query<{ id: string }>(
    "update messages set deleted_at = now() where external_id = 'taken back' returning id",
  );
  await send(chatId, "what was that?", { quoted_message_id: stored[0]?.id });
  const last = async () => (await about(chatId)).at(-1);
  await vi.waitUntil(async () => (await last())?.status === "error");
  expect((await last())?.error?.code).toBe("CANNOT_REPLY_TO_DELETED");
  expect(messenger.arrived.filter((each) => each.chatId === chatId)).toEqual([]);
});

test("after the window only replies to comments are sent", async () => {
  const chatId = "79001110003";
  await write(chatId, "hello");
  await send(chatId, "in time");
  await messenger.untilArrived("in time");
  const [sent] = messenger.arrived.filter(({ text }) => text === "in time");
  expect(sent?.message.quietMs).toBeLessThan(DAY_MS);

  await node.db.query("update chats set last_direct_at = now() - interval '8 days' where chat_id = $1", [
    chatId,
  ]);
  await write(chatId, "and this?", { post: POST });
  await send(chatId, "too late");
  const last = async () => (await about(chatId)).at(-1);
  await vi.waitUntil(async () => (await last())?.status === "error");
  expect((await last())?.error?.code).toBe("7_DAYS_EXCEEDED");
});
