import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { FirstPictures } from "../../../src/core/chat/first-pictures.ts";
import {
  markFetchFailed,
  markStored,
  takeWaitingFiles,
  type WaitingFile,
} from "../../../src/core/file/files.ts";
import type { Report } from "../../../src/core/message/report.ts";
import { createReportQueue } from "../../../src/core/message/report-queue.ts";
import { newId } from "../../../src/platform/ids.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

let node: TestNode;
let account: TestAccount;
let channelId: string;

beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());
beforeEach(async () => {
  node.core.caches.avatars.clear();
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "telegram" });
});

function message(text: string, token: string | null, chatId = "1"): Report["event"] {
  const avatar = token === null ? {} : { avatar: { token } };
  return {
    kind: "message",
    message: {
      chatType: "telegram",
      chatId,
      externalId: text,
      direction: "in",
      sentAt: new Date(),
      contact: { name: "Ann", ...avatar },
      body: { type: "text", text },
    },
  };
}

/** A person writes, with a picture unless `token` is null. Resolves when it is stored. */
const write = (text: string, token: string | null = "avatar:1", chatId = "1"): Promise<void> =>
  node.core.reports.add({ accountId: account.id, channelId, event: message(text, token, chatId) });

const reportOf = (text: string, token: string): Report => ({
  accountId: account.id,
  channelId,
  event: message(text, token),
});

/** Messages wait for pictures as long as these take, until the returned function is called. */
function waitLong(): () => void {
  const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  onTestFinished(() => clock.mockRestore());
  return () => clock.mockRestore();
}

/** A queue that knows no chats, like that of a node an hour later. */
const newQueue = () =>
  createReportQueue(
    () => node.core,
    () => undefined,
  );

const pictures = () =>
  node.db.query<{ id: string; state: string }>(
    "select id, state from files where account_id = $1 order by created_at, id",
    [account.id],
  );

async function untilAsked(): Promise<WaitingFile> {
  return vi.waitUntil(async () => (await takeWaitingFiles(node.db, [channelId], 10))[0], { interval: 10 });
}

async function store(file: WaitingFile): Promise<void> {
  await node.core.files.put(file.id, Readable.from([Buffer.from("a face")]), { maxBytes: 100 });
  await markStored(node.db, file, { size: 6, mimeType: "image/jpeg", name: null });
}

async function chatOfAnn(): Promise<string> {
  const [row] = await node.db.query<{ id: string }>("select id from chats where account_id = $1", [
    account.id,
  ]);
  return row?.id ?? "";
}

async function avatarOfChat(): Promise<string | null> {
  const [row] = await node.db.query<{ avatar_file_id: string | null }>(
    "select avatar_file_id from chats where account_id = $1",
    [account.id],
  );
  return row?.avatar_file_id ?? null;
}

/** Texts with the contact, as reported by webhooks, in order. */
async function told(): Promise<(readonly [string, object])[]> {
  const rows = await node.db.query<{ body: string }>(
    "select body from events where account_id = $1 and kind = 'messages' order by id",
    [account.id],
  );
  return rows.map(({ body }) => {
    const { text, contact } = JSON.parse(body) as { text: string; contact: object };
    return [text, contact];
  });
}
const textsTold = async () => (await told()).map(([text]) => text);

async function takeMessages(): Promise<void> {
  await node.db.query(
    "insert into webhook_endpoints (account_id, id, version, url, kinds, secret) values ($1, $2, 'v3', '', $3, $4)",
    [account.id, newId(), ["messages"], randomBytes(32)],
  );
}

/** Named by the type of what was downloaded. */
const avatarUri = expect.stringMatching(/^http:\/\/127\.0\.0\.1\/files\/[\w-]{32}\/image\.jpg$/);

test("the first message of a chat has the picture if it arrives in time; it is downloaded once", async () => {
  waitLong();
  await takeMessages();
  const first = write("one");
  const file = await untilAsked();
  expect(file).toMatchObject({ channelId, source: { token: "avatar:1" }, isAvatar: true });
  await store(file);
  await first;
  await write("two");
  expect(await told()).toEqual([
    ["one", { name: "Ann", avatarUri }],
    ["two", { name: "Ann", avatarUri }],
  ]);
  expect(await avatarOfChat()).toBe(file.id);
  expect(await pictures()).toHaveLength(1);
});

test("it waits if we wrote first", async () => {
  waitLong();
  await takeMessages();
  await node.db.query(
    "insert into chats (account_id, id, channel_id, chat_type, chat_id, name) values ($1, $2, $3, 'telegram', '1', '')",
    [account.id, newId(), channelId],
  );
  const first = write("one");
  await store(await untilAsked());
  await first;
  expect(await told()).toEqual([["one", { name: "Ann", avatarUri }]]);
});

test("a late picture delays only its chat, for a limited time; the next message has it", async () => {
  const goOn = waitLong();
  await takeMessages();
  const chat = ["one", "two", "three"].map((text) => write(text));
  const edit = node.core.reports.add({
    accountId: account.id,
    channelId,
    event: {
      kind: "edited",
      ref: { chatType: "telegram", chatId: "1", externalId: "two" },
      body: { type: "text", text: "two, edited" },
      at: new Date(),
    },
  });
  expect(node.core.reports.waitingOf({ accountId: account.id, channelId })).toEqual({
    account: 4,
    channel: 4,
  });
  await write("elsewhere", null, "2");
  expect(await textsTold()).toEqual(["elsewhere"]);
  goOn();
  await Promise.all([...chat, edit]);
  expect(await textsTold()).toEqual(["elsewhere", "one", "two", "three", "two, edited"]);
  await store(await untilAsked());
  await write("four");
  expect((await told()).at(-1)).toEqual(["four", { name: "Ann", avatarUri }]);
});

test("of many first messages only some wait", async () => {
  const goOn = waitLong();
  await takeMessages();
  const people = Array.from({ length: 100 }, (_, index) => `${index}`);
  const stored = people.map((chatId) => write(`from ${chatId}`, "avatar:1", chatId));
  await Promise.all(stored.slice(64));
  expect(await textsTold()).toEqual(people.slice(64).map((chatId) => `from ${chatId}`));
  goOn();
  await Promise.all(stored);
  expect(await textsTold()).toHaveLength(100);
});

test("a picture that cannot be downloaded ends the wait", async () => {
  await takeMessages();
  const first = write("one");
  const file = await untilAsked();
  await markFetchFailed(node.db, file, { reason: "no picture", againMs: 60_000 });
  await first;
  expect(await told()).toEqual([["one", { name: "Ann" }]]);
});

test("a picture that arrives while the message is being stored is shown with the next one", async () => {
  await takeMessages();
  await write("one");
  const file = await untilAsked();
  await node.db.query("update files set state = 'stored', name = 'image.jpg' where id = $1", [file.id]);
  node.core.caches.avatars.clear();
  await new FirstPictures(() => node.core).adopt({
    accountId: account.id,
    channelId,
    chat: await chatOfAnn(),
    file: file.source,
  });
  await write("two");
  expect((await told()).at(-1)).toEqual(["two", { name: "Ann", avatarUri }]);
});

test("another node that receives a message of the chat meanwhile publishes it later", async () => {
  waitLong();
  await takeMessages();
  const other = createReportQueue(
    () => node.core,
    () => undefined,
  );
  const first = write("one");
  const file = await untilAsked();
  node.core.caches.avatars.clear();
  const later = other.add({ accountId: account.id, channelId, event: message("two", "avatar:1") });
  await store(file);
  await Promise.all([first, later]);
  expect(await textsTold()).toEqual(["one", "two"]);
});

test("a message that waits while the node stops is not acknowledged", async () => {
  waitLong();
  const queue = createReportQueue(
    () => node.core,
    () => undefined,
  );
  const waiting = queue.add({ accountId: account.id, channelId, event: message("one", "avatar:1") });
  waiting.catch(() => undefined);
  await untilAsked();
  await queue.close();
  await expect(waiting).rejects.toThrow("stopping");
});

test("a missing picture is requested again after six hours, not before; that message has it", async () => {
  waitLong();
  await takeMessages();
  const queue = newQueue();
  const first = queue.add(reportOf("one", "avatar:1"));
  const file = await untilAsked();
  await markFetchFailed(node.db, file, { reason: "no picture", againMs: null });
  await first;
  node.core.caches.avatars.clear();
  await newQueue().add(reportOf("two", "avatar:1"));
  expect((await pictures()).map(({ state }) => state)).toEqual(["failed"]);
  await node.db.query("update files set created_at = now() - interval '7 hours' where id = $1", [file.id]);
  node.core.caches.avatars.clear();
  const third = newQueue().add(reportOf("three", "avatar:1"));
  const again = await untilAsked();
  expect(again.id).not.toBe(file.id);
  await store(again);
  await third;
  expect(await told()).toEqual([
    ["one", { name: "Ann" }],
    ["two", { name: "Ann" }],
    ["three", { name: "Ann", avatarUri }],
  ]);
});

test("the first message that comes with a picture has it", async () => {
  waitLong();
  await takeMessages();
  await write("one", null);
  const second = write("two");
  await store(await untilAsked());
  await second;
  expect(await told()).toEqual([
    ["one", { name: "Ann" }],
    ["two", { name: "Ann", avatarUri }],
  ]);
});

test("the old picture stays until the new one is stored", async () => {
  await write("one");
  const first = await untilAsked();
  await store(first);
  await node.db.query("update files set created_at = now() - interval '8 days' where id = $1", [first.id]);
  node.core.caches.avatars.clear();
  await write("two", "avatar:2");
  const second = await untilAsked();
  expect(await avatarOfChat()).toBe(first.id);
  await store(second);
  expect(await avatarOfChat()).toBe(second.id);
});

test("files of messages are no pictures of chats", async () => {
  await write("one", null);
  const id = newId();
  await node.db.query(
    "insert into files (account_id, id, channel_id, key, state, source) values ($1, $2, $3, $4, 'waiting', '{}')",
    [account.id, id, channelId, id],
  );
  const file = await untilAsked();
  expect(file.isAvatar).toBe(false);
  await store(file);
  expect(await avatarOfChat()).toBeNull();
});
