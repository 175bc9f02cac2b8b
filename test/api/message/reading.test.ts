import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { addReceiver } from "../../kit/cursors.ts";
import { call, outcome } from "../kit/call.ts";
import { arrive, write } from "../kit/inbound.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const CHAT = "79001112233";

let node: TestNode;
let account: TestAccount;
let channelId: string;

beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());
beforeEach(async () => {
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "whatsapp" });
});

interface Page {
  readonly data: readonly {
    readonly text: string;
    readonly chat_id: string;
    readonly message_id: string;
    readonly unanswered: number;
    readonly last_message: { readonly text: string };
  }[];
  readonly meta: { readonly next: string | null };
}

const get = (path: string, token = account.access) => call(node, "GET", `/v2/chats${path}`, { token });
const page = async (path: string): Promise<Page> => (await get(path)).json as Page;
const thread = `/whatsapp/${CHAT}/messages`;
const texts = ({ data }: Page) => data.map(({ text }) => text);

/** Every page from the first one, by their cursors. */
async function pages(path: string, extra = ""): Promise<Page[]> {
  const found: Page[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const next: Page = await page(`${path}?limit=2${extra}${cursor === "" ? "" : `&before=${cursor}`}`);
    found.push(next);
    cursor = next.meta.next;
  }
  return found;
}

/** One after the other, so that they are stored in this order. */
async function writeInOrder(to: string, messages: readonly (readonly [string, string])[]): Promise<void> {
  for (const message of messages) await write(node, { account, channelId: to }, [message]);
}
/** As if the chats had had their last messages hours apart, the first one longest ago. */
async function spread(chatIds: readonly string[]): Promise<void> {
  for (const [hour, chatId] of chatIds.entries())
    await node.db.query(
      `update chat_order o set at = '2030-01-01'::timestamptz + $3 * interval '1 hour',
         minute = extract(epoch from '2030-01-01'::timestamptz + $3 * interval '1 hour') / 60
       from chats c where c.id = o.chat and c.account_id = $1 and c.chat_id = $2`,
      [account.id, chatId, hour],
    );
}

test("a chat's messages are those of the webhooks, newest first; cursors lead to the oldest", async () => {
  await addReceiver(node.db, account.id, ["message.add"], "v2");
  const written = ["one", "two", "three", "four", "five"];
  await writeInOrder(
    channelId,
    written.map((text) => [CHAT, text]),
  );
  const events = await node.db.query<{ body: string }>(
    "select body from events where account_id = $1 and kind = 'message.add' order by id desc",
    [account.id],
  );
  expect((await page(thread)).data).toEqual(events.map(({ body }) => JSON.parse(body)));
  expect((await pages(thread)).map(texts)).toEqual([["five", "four"], ["three", "two"], ["one"]]);
});

test("with after alone the oldest come first, also from a time on; both limit a period", async () => {
  await writeInOrder(
    channelId,
    ["one", "two", "three"].map((text) => [CHAT, text]),
  );
  const first = await page(`${thread}?after=2020-01-01T00:00:00Z&limit=2`);
  expect(texts(first)).toEqual(["one", "two"]);
  const second = await page(`${thread}?after=${first.meta.next}&limit=2`);
  expect([texts(second), second.meta.next]).toEqual([["three"], null]);
  expect(texts(await page(`${thread}?after=2020-01-01&before=${first.meta.next}`))).toEqual(["one"]);
  expect(texts(await page(`${thread}?before=2020-01-01`))).toEqual([]);
  expect(texts(await page(`${thread}?after=2099-01-01`))).toEqual([]);
});

test("a page ends where its texts exceed a megabyte", async () => {
  const long = "x".repeat(400_000);
  await writeInOrder(channelId, [[CHAT, "hello"]]);
  await node.db.query("update messages set text = $2 where account_id = $1", [account.id, long]);
  for (const text of ["a", "b", "c", "d"]) {
    await write(node, { account, channelId }, [[CHAT, text]]);
    await node.db.query("update messages set text = $2 where account_id = $1 and text = $3", [
      account.id,
      long,
      text,
    ]);
  }
  const found: Page[] = [];
  for (let cursor: string | null = ""; cursor !== null; cursor = found.at(-1)?.meta.next ?? null)
    found.push(await page(`${thread}?limit=100${cursor === "" ? "" : `&before=${cursor}`}`));
  expect(found.map(({ data }) => data.length)).toEqual([3, 2]);
});

test("chats are listed by their last message, with it; a channel's alone, and in pages", async () => {
  const other = await addChannel(node, account, { transport: "whatsapp" });
  await writeInOrder(channelId, [
    ["79001", "first"],
    ["79001", "hello"],
    ["79002", "hi"],
    ["79003", "hey"],
  ]);
  await writeInOrder(other, [["79004", "you"]]);
  await spread(["79001", "79004", "79002", "79003"]);
  const all = (await pages("")).map(({ data }) => data.map((each) => each.chat_id));
  expect(all).toEqual([["79003", "79002"], ["79004", "79001"], []]);
  const own = await pages("", `&channel_id=${channelId}`);
  expect(own.map(({ data }) => data.map((each) => each.chat_id))).toEqual([["79003", "79002"], ["79001"]]);
  const oldest = (await page("?after=2020-01-01")).data;
  expect(
    oldest.map(({ chat_id, unanswered, last_message }) => [chat_id, unanswered, last_message.text]),
  ).toEqual([
    ["79001", 2, "hello"],
    ["79004", 1, "you"],
    ["79002", 1, "hi"],
    ["79003", 1, "hey"],
  ]);
  expect((await page("?after=2030-01-01T01:30:00Z")).data.map((each) => each.chat_id)).toEqual([
    "79002",
    "79003",
  ]);
});

test("one chat in two channels is read as one, or one channel's part", async () => {
  const other = await addChannel(node, account, { transport: "whatsapp" });
  await writeInOrder(channelId, [[CHAT, "here"]]);
  await writeInOrder(other, [[CHAT, "there"]]);
  expect(texts(await page(thread))).toEqual(["there", "here"]);
  expect(texts(await page(`${thread}?channel_id=${other.toUpperCase()}`))).toEqual(["there"]);
  const spelled = await page(`/whatsapp/${encodeURIComponent("+7 (900) 111-22-33")}/messages`);
  expect(texts(spelled)).toEqual(["there", "here"]);
});

test("a chat that is known by its username only is read by it", async () => {
  const bot = await addChannel(node, account, { transport: "tgapi" });
  await arrive(
    node,
    { account, channelId: bot },
    {
      chatType: "telegram",
      chatId: "@maria_k",
      externalId: "1",
      contact: { name: "Maria" },
      body: { type: "text", text: "by name" },
    },
  );
  expect(texts(await page("/telegram/maria_k/messages"))).toEqual(["by name"]);
  expect((await page("")).data.map((each) => each.chat_id)).toEqual(["maria_k"]);
});

test.each([
  ["/whatsapp/79009998877/messages", "404 CHAT_NOT_FOUND"],
  ["/telegram/79001112233/messages", "404 CHAT_NOT_FOUND"],
  ["/nothing/1/messages", "400 VALIDATION_ERROR chat_type"],
  ["/whatsapp/%00/messages", "400 VALIDATION_ERROR chat_id"],
  [`${thread}?limit=101`, "400 VALIDATION_ERROR limit"],
  [`${thread}?before=x`, "400 VALIDATION_ERROR before"],
  ["?after=1969-01-01", "400 VALIDATION_ERROR after"],
  ["?after=9999-01-01", "400 VALIDATION_ERROR after"],
  ["?channel_id=x", "400 VALIDATION_ERROR channel_id"],
  ["?channel_id=00000000-0000-4000-8000-000000000001", "404 CHANNEL_NOT_FOUND"],
])("refuses %s: %s", async (path, expected) => {
  await writeInOrder(channelId, [[CHAT, "hello"]]);
  expect(outcome(await get(path))).toBe(expected);
});

test("another account reads nothing of it", async () => {
  await writeInOrder(channelId, [[CHAT, "hello"]]);
  const stranger = await addAccount(node.db);
  const answers = await Promise.all(
    ["", `?channel_id=${channelId}`, thread, `${thread}?channel_id=${channelId}`].map((path) =>
      get(path, stranger.access),
    ),
  );
  expect(answers.map(outcome)).toEqual([
    "200",
    "404 CHANNEL_NOT_FOUND",
    "404 CHAT_NOT_FOUND",
    "404 CHANNEL_NOT_FOUND",
  ]);
  expect(answers[0]?.json).toMatchObject({ data: [] });
});
