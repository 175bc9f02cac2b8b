import { Readable } from "node:stream";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import {
  markFetchFailed,
  markStored,
  takeWaitingFiles,
  type WaitingFile,
} from "../../src/core/file/files.ts";
import { newId } from "../../src/platform/ids.ts";
import { call } from "./kit/call.ts";
import { startDelivery } from "./kit/delivery.ts";
import { arrive } from "./kit/inbound.ts";
import { startReceiver } from "./kit/receiver.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "./kit/service.ts";

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

/** A person writes, with a picture unless `token` is null. */
async function write(text: string, token: string | null = "avatar:1"): Promise<void> {
  const avatar = token === null ? {} : { avatar: { token } };
  const to = { account, channelId };
  await arrive(node, to, {
    chatType: "telegram",
    chatId: "1",
    externalId: text,
    contact: { name: "Ann", ...avatar },
    body: { type: "text", text },
  });
}

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

async function avatarOfChat(): Promise<string | null> {
  const [row] = await node.db.query<{ avatar_file_id: string | null }>(
    "select avatar_file_id from chats where account_id = $1",
    [account.id],
  );
  return row?.avatar_file_id ?? null;
}

test("a picture is fetched once, and then webhooks link to it", async () => {
  const receiver = await startReceiver(() => 200);
  const end = await startDelivery(node);
  await call(node, "PATCH", "/v3/webhooks", {
    token: account.api,
    body: { webhooksUri: receiver.url, subscriptions: { messagesAndStatuses: true } },
  });
  await write("one");
  const file = await untilAsked();
  expect(file).toMatchObject({ channelId, source: { token: "avatar:1" }, isAvatar: true });
  await write("two");
  await store(file);
  expect(await avatarOfChat()).toBe(file.id);
  await write("three");
  const contacts = () =>
    receiver.received
      .flatMap(
        ({ body }) => (JSON.parse(body) as { messages?: { text: string; contact: object }[] }).messages ?? [],
      )
      .map(({ text, contact }) => [text, contact]);
  await vi.waitUntil(() => contacts().length === 3);
  const avatarUri = expect.stringMatching(/^http:\/\/127\.0\.0\.1\/files\/[\w-]{32}$/);
  expect(contacts()).toEqual([
    ["one", { name: "Ann" }],
    ["two", { name: "Ann" }],
    ["three", { name: "Ann", avatarUri }],
  ]);
  expect(await pictures()).toHaveLength(1);
  await end();
  await receiver.stop();
});

test("who has no picture is asked again after a week, not before", async () => {
  await write("one");
  const file = await untilAsked();
  await markFetchFailed(node.db, file, "no picture", null);
  node.core.caches.avatars.clear();
  await write("two");
  await write("without", null);
  await node.db.query("update files set created_at = now() - interval '8 days' where id = $1", [file.id]);
  await write("three");
  expect((await pictures()).map(({ state }) => state)).toEqual(["failed"]);
  node.core.caches.avatars.clear();
  await write("four");
  const again = await untilAsked();
  expect(again.id).not.toBe(file.id);
  expect(await avatarOfChat()).toBeNull();
});

test("the old picture stays until the new one is there", async () => {
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
