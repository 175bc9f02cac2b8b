import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { callbackLink } from "../../../src/core/inbound/callback/callback-link.ts";
import type { ContactName, InboundMessage, TransportEvent } from "../../../src/core/transport/events.ts";
import { startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { type Receiver, startReceiver } from "../../kit/receiver.ts";
import { call } from "../kit/call.ts";
import { startDelivery } from "../kit/delivery.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

/**
 * Phone numbers and usernames get new owners after a messenger has renamed the chat of the former one. Owners of channels
 * name people in their address books.
 */

const NUMBER = "79001110001";
const NEW_NUMBER = "79001110002";
const THIRD_NUMBER = "79001110003";

let database: TestDatabase;
let node: TestNode;
let other: TestNode;
let stopDelivery: () => Promise<void>;
let receiver: Receiver;
let account: TestAccount;
let channelId: string;

beforeAll(async () => {
  database = await startTestDatabase();
  [node, other] = await Promise.all([startNode({ database }), startNode({ database })]);
  stopDelivery = await startDelivery(node);
});
beforeEach(async () => {
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "whatsapp" });
  receiver = await startReceiver();
  const data = [{ url: receiver.url, event: "message.add" }];
  await call(node, "POST", "/v2/webhooks", { token: account.access, body: { data } });
  return () => receiver.stop();
});
afterAll(async () => {
  await stopDelivery();
  await Promise.all([node.stop(), other.stop()]);
  await database.stop();
});

type Reported = Parameters<TestNode["core"]["reports"]["add"]>[0]["event"];
const report = (event: Reported, to = node): Promise<void> =>
  to.core.reports.add({ accountId: account.id, channelId, event });

const messageOf = (chatId: string, text: string, more: Partial<InboundMessage> = {}): Reported => ({
  kind: "message",
  message: {
    chatType: "whatsapp",
    chatId,
    externalId: text,
    direction: "in",
    sentAt: new Date(),
    contact: { name: `author of ${text}` },
    body: { type: "text", text },
    ...more,
  },
});
const write = (chatId: string, text: string, more: Partial<InboundMessage> = {}, to = node): Promise<void> =>
  report(messageOf(chatId, text, more), to);
const movedOf = (chatId: string, newChatId: string): Extract<TransportEvent, { kind: "moved" }> => ({
  kind: "moved",
  chatType: "whatsapp",
  chatId,
  newChatId,
});

async function send(chatId: string, text: string, from = node): Promise<void> {
  const recipient = { chat_type: "whatsapp", chat_id: chatId };
  const body = { channel_id: channelId, recipient, text };
  expect((await call(from, "POST", "/v2/messages", { token: account.access, body })).status).toBe(200);
}

/** The texts of each chat, by its present name, and the name of its person. */
async function chats(): Promise<Record<string, string[]>> {
  const rows = await node.db.query<{ chat_id: string; name: string; texts: string[] }>(
    `select c.chat_id, c.name, array_agg(m.text order by m.created_at, m.id) as texts from chats c
     join messages m on m.account_id = c.account_id and m.chat = c.id where c.account_id = $1
     group by c.id, c.chat_id, c.name`,
    [account.id],
  );
  return Object.fromEntries(rows.map(({ chat_id, name, texts }) => [chat_id, [`(${name})`, ...texts]]));
}

interface Item {
  readonly recipient: { readonly chat_id: string };
  readonly text: string;
}

/** The chat id in the webhook of each message. */
async function published(count: number): Promise<string[]> {
  const items = () => receiver.posts.flatMap(({ body }) => (JSON.parse(body) as { data: Item[] }).data);
  await vi.waitUntil(() => items().length >= count);
  return items()
    .map(({ recipient, text }) => `${text}: ${recipient.chat_id}`)
    .toSorted();
}

test("the next owner of a phone number gets a chat of their own", async () => {
  await write(NUMBER, "from Ann");
  await report(movedOf(NUMBER, NEW_NUMBER));
  await write(NUMBER, "from Bob");
  await write(NEW_NUMBER, "Ann again");
  await write(NUMBER, "Bob again");
  expect(await published(4)).toEqual([
    `Ann again: ${NEW_NUMBER}`,
    `Bob again: ${NUMBER}`,
    `from Ann: ${NUMBER}`,
    `from Bob: ${NUMBER}`,
  ]);
  expect(await chats()).toEqual({
    [NEW_NUMBER]: ["(author of Ann again)", "from Ann", "Ann again"],
    [NUMBER]: ["(author of Bob again)", "from Bob", "Bob again"],
  });
});

test("every further owner gets one too", async () => {
  await write(NUMBER, "from Ann");
  await report(movedOf(NUMBER, NEW_NUMBER));
  await write(NUMBER, "from Bob");
  await report(movedOf(NUMBER, THIRD_NUMBER));
  await write(NUMBER, "from Carol");
  expect(await chats()).toEqual({
    [NEW_NUMBER]: ["(author of from Ann)", "from Ann"],
    [THIRD_NUMBER]: ["(author of from Bob)", "from Bob"],
    [NUMBER]: ["(author of from Carol)", "from Carol"],
  });
});

test("a repeated message of the former owner is not stored again", async () => {
  await write(NUMBER, "from Ann");
  await report(movedOf(NUMBER, NEW_NUMBER));
  await write(NUMBER, "from Ann");
  expect(await chats()).toEqual({ [NEW_NUMBER]: ["(author of from Ann)", "from Ann"] });
});

test("reports that are stored together are told apart", async () => {
  await write(NUMBER, "from Ann");
  const ref = { chatType: "whatsapp", chatId: NUMBER, externalId: "from Bob" } as const;
  const body = { type: "text", text: "from Bob, edited" } as const;
  await Promise.all([
    write(NUMBER, "last of Ann"),
    report(movedOf(NUMBER, NEW_NUMBER)),
    write(NUMBER, "from Bob"),
    report({ kind: "edited", ref, body, at: new Date() }),
    write(NEW_NUMBER, "Ann again"),
  ]);
  expect(await chats()).toEqual({
    [NEW_NUMBER]: ["(author of Ann again)", "from Ann", "last of Ann", "Ann again"],
    [NUMBER]: ["(author of from Bob)", "from Bob, edited"],
  });
});

/** The other node has been notified that the number has another chat, or none. */
function notified(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const off = other.core.signals.on("chats", (key) => {
    if (key !== `${channelId} whatsapp ${NUMBER}`) return;
    off();
    resolve();
  });
  return promise;
}

test("other nodes learn who has a number", async () => {
  await write(NUMBER, "from Ann", {}, other);
  const isMoved = notified();
  await report(movedOf(NUMBER, NEW_NUMBER));
  await isMoved;
  await write(NUMBER, "from Ann", {}, other);
  await send(NUMBER, "to Ann", other);
  const isTaken = notified();
  await write(NUMBER, "from Bob");
  await isTaken;
  await send(NUMBER, "to Bob", other);
  expect(await chats()).toEqual({
    [NEW_NUMBER]: ["(author of from Ann)", "from Ann", "to Ann"],
    [NUMBER]: ["(author of from Bob)", "from Bob", "to Bob"],
  });
});

test("two nodes that meet the next owner at the same time agree on the chat", async () => {
  await Promise.all([write(NUMBER, "from Ann"), write(NUMBER, "more from Ann", {}, other)]);
  await report(movedOf(NUMBER, NEW_NUMBER));
  await Promise.all([write(NUMBER, "from Bob"), write(NUMBER, "more from Bob", {}, other)]);
  const found = Object.entries(await chats()).map(([name, [, ...texts]]) => [name, texts.toSorted()]);
  expect(Object.fromEntries(found)).toEqual({
    [NEW_NUMBER]: ["from Ann", "more from Ann"],
    [NUMBER]: ["from Bob", "more from Bob"],
  });
});

test("a message to a former number reaches its owner until the next owner writes", async () => {
  await write(NUMBER, "from Ann");
  await report(movedOf(NUMBER, NEW_NUMBER));
  await send(NUMBER, "to Ann");
  await send(NUMBER, "to Ann again");
  await write(NUMBER, "from Bob");
  await send(NUMBER, "to Bob");
  expect(await chats()).toEqual({
    [NEW_NUMBER]: ["(author of from Ann)", "from Ann", "to Ann", "to Ann again"],
    [NUMBER]: ["(author of from Bob)", "from Bob", "to Bob"],
  });
});

test("the picture of the next owner is not shown in the chat of the former one", async () => {
  await write(NUMBER, "from Ann");
  await report(movedOf(NUMBER, NEW_NUMBER));
  const contact = { name: "Bob", avatar: { token: "picture of Bob" } };
  await write(NUMBER, "from Bob", { contact });
  const pictures = () =>
    node.db.query<{ chat_id: string }>(
      "select c.chat_id from files f join chats c on c.id = f.avatar_of where f.account_id = $1",
      [account.id],
    );
  await expect.poll(pictures).toEqual([{ chat_id: NUMBER }]);
});

test.each(["123456789@lid", "US.13491208655302741918"])(
  "the id %s has no next owner, so its messages stay in the renamed chat",
  async (hidden) => {
    await write(hidden, "from Ann");
    await report(movedOf(hidden, NEW_NUMBER));
    await write(hidden, "Ann again");
    await Promise.all([write(NEW_NUMBER, "by number"), write(hidden, "by id")]);
    expect(await chats()).toEqual({
      [NEW_NUMBER]: [expect.any(String), "from Ann", "Ann again", "by number", "by id"],
    });
  },
);

test("a message without a name keeps the name of the chat", async () => {
  await write(NUMBER, "first", { contact: { name: "Ann Bell" } });
  await write(NUMBER, "second", { contact: { name: "" } });
  expect(await chats()).toEqual({ [NUMBER]: ["(Ann Bell)", "first", "second"] });
});

/** The names that the address book of a channel's owner has, through the channel's link. */
async function nameInBook(
  names: readonly (readonly [chatId: string, name: string | null, minute: number])[],
  channel = { accountId: account.id, channelId },
): Promise<void> {
  const transport = node.core.transports.get("whatsapp");
  if (transport === undefined) throw new Error("there is no such transport");
  const credentials = node.core.seal.seal("{}", `credentials ${channel.channelId}`);
  const row = { account_id: channel.accountId, id: channel.channelId, epoch: 0, credentials };
  const named = names.map(
    ([chatId, name, minute]): ContactName => ({
      chatType: "whatsapp",
      chatId,
      name,
      at: new Date(Date.UTC(2026, 0, 1, 0, minute)),
    }),
  );
  await callbackLink(node.core, transport, row).emit({ kind: "contactNames", names: named });
}
async function nameOf(chatId: string, channel = channelId): Promise<string | undefined> {
  const text = "select name from chats where channel_id = $1 and chat_id = $2";
  return (await node.db.query<{ name: string }>(text, [channel, chatId]))[0]?.name;
}

test("the address book of the channel's owner names chats, whatever people call themselves", async () => {
  await write(NUMBER, "first");
  await nameInBook([
    [NUMBER, "Ann the florist", 5],
    [NEW_NUMBER, "Nobody yet", 5],
  ]);
  expect(await nameOf(NUMBER)).toBe("Ann the florist");
  expect(await nameOf(NEW_NUMBER)).toBeUndefined();
  await write(NUMBER, "second", {}, other);
  expect(await nameOf(NUMBER)).toBe("Ann the florist");
  expect(await published(2)).toEqual([`first: ${NUMBER}`, `second: ${NUMBER}`]);
});

test.each<[string, Parameters<typeof nameInBook>[0][], string]>([
  ["a repeated name", [[[NUMBER, "Ann", 5]], [[NUMBER, "Ann", 5]]], "Ann"],
  ["a later name", [[[NUMBER, "Ann", 5]], [[NUMBER, "Bob", 6]]], "Bob"],
  ["an earlier name that arrives later", [[[NUMBER, "Ann", 5]], [[NUMBER, "Bob", 4]]], "Ann"],
  [
    "several names at once",
    [
      [
        [NUMBER, "Bob", 6],
        [NUMBER, "Ann", 5],
      ],
    ],
    "Bob",
  ],
  [
    "several names of one moment",
    [
      [
        [NUMBER, "Ann", 5],
        [NUMBER, "Bob", 5],
      ],
    ],
    "Bob",
  ],
  ["an earlier removal that arrives later", [[[NUMBER, "Ann", 5]], [[NUMBER, null, 4]]], "Ann"],
  ["an earlier name after a removal", [[[NUMBER, null, 5]], [[NUMBER, "Ann", 4]]], "author of first"],
  ["text that a database refuses", [[[NUMBER, "An\0n\ud800", 5]]], "Ann\ufffd"],
])("the address book: %s", async (_what, calls, expected) => {
  await write(NUMBER, "first");
  for (const names of calls) await nameInBook(names);
  expect(await nameOf(NUMBER)).toBe(expected);
});

test("a person who was removed from the address book keeps the name until they write again", async () => {
  await write(NUMBER, "first");
  await nameInBook([[NUMBER, "Ann", 5]]);
  await nameInBook([[NUMBER, null, 6]]);
  expect(await nameOf(NUMBER)).toBe("Ann");
  await write(NUMBER, "second");
  expect(await nameOf(NUMBER)).toBe("author of second");
});

test("an address book names the people of its own channel only", async () => {
  const stranger = await addAccount(node.db);
  const sibling = await addChannel(node, account, { transport: "whatsapp" });
  await write(NUMBER, "first");
  await nameInBook([[NUMBER, "Sibling's", 5]], { accountId: account.id, channelId: sibling });
  await nameInBook([[NUMBER, "Stranger's", 5]], { accountId: stranger.id, channelId });
  expect(await nameOf(NUMBER)).toBe("author of first");
});
