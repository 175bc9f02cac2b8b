import { afterAll, beforeAll, expect, test } from "vitest";
import { indexForSearch } from "../../../src/core/message/search-index.ts";
import { call, outcome } from "../kit/call.ts";
import { write } from "../kit/inbound.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

let node: TestNode;
let account: TestAccount;
let channelId: string;

beforeAll(async () => {
  node = await startNode();
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "whatsapp" });
});
afterAll(() => node.stop());

interface Page {
  readonly data: readonly { readonly text: string; readonly recipient: { readonly chat_id: string } }[];
  readonly meta: { readonly next: string | null };
}

const search = (query: Record<string, string>, token = account.access) =>
  call(node, "GET", `/v2/messages/search?${new URLSearchParams(query)}`, { token });
const found = async (query: Record<string, string>, token?: string) =>
  (await search(query, token)).json as Page;
async function arrive(...messages: [string, string][]): Promise<void> {
  for (const message of messages) await write(node, { account, channelId }, [message]);
  await indexForSearch(node.core.db, 1_000);
}

test("GET /v2/messages/search finds words in all chats, newest first, page by page", async () => {
  await arrive(
    ["79990000001", "One blue lamp"],
    ["79990000002", "Two lamps, please"],
    ["79990000001", "A chair"],
  );
  const texts = ({ data }: Page) => data.map(({ text }) => text);
  expect(texts(await found({ text: "lamp" }))).toEqual(["Two lamps, please", "One blue lamp"]);
  expect(texts(await found({ text: "lamp blue" }))).toEqual(["One blue lamp"]);
  expect(texts(await found({ text: "table" }))).toEqual([]);
  const first = await found({ text: "lamp", limit: "1" });
  expect([texts(first), first.data[0]?.recipient.chat_id]).toEqual([["Two lamps, please"], "79990000002"]);
  const second = await found({ text: "lamp", limit: "1", before: first.meta.next ?? "" });
  expect(texts(second)).toEqual(["One blue lamp"]);
  expect(texts(await found({ text: "lamp", before: "2020-01-01T00:00:00Z" }))).toEqual([]);
});

test("a page of long texts is shorter, and the next one continues it", async () => {
  const long = (name: string) => `marmalade ${name} ${"x".repeat(60_000)}`;
  const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
  await arrive(...names.map((name): [string, string] => ["79990000003", long(name)]));
  const seen: string[] = [];
  for (let before = {}, pages = 0; ; pages++) {
    const { data, meta } = await found({ text: "marmalade", limit: "100", ...before });
    seen.push(...data.map(({ text }) => text.split(" ")[1] ?? ""));
    if (meta.next === null) {
      expect(pages).toBeGreaterThan(0);
      break;
    }
    before = { before: meta.next };
  }
  expect(seen).toEqual(names.toReversed());
});

test.each([
  [{}, "400 VALIDATION_ERROR text"],
  [{ text: " " }, "400 VALIDATION_ERROR text"],
  [{ text: "x".repeat(201) }, "400 VALIDATION_ERROR text"],
  [{ text: "x", limit: "101" }, "400 VALIDATION_ERROR limit"],
  [{ text: "x", before: "soon" }, "400 VALIDATION_ERROR before"],
])("%j: %s", async (query, expected) => {
  expect(outcome(await search(query as Record<string, string>))).toBe(expected);
});

test("another account finds nothing", async () => {
  const { access } = await addAccount(node.db);
  expect((await found({ text: "lamp" }, access)).data).toEqual([]);
});
