import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { call, outcome } from "../kit/call.ts";
import { openInbox } from "../kit/inbox.ts";
import { addAccount, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

let node: TestNode;
let account: TestAccount;

beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());
beforeEach(async () => {
  account = await addAccount(node.db);
});

interface Answer {
  readonly template_id: string;
  readonly name: string;
}

const send = (
  method: "GET" | "POST" | "PATCH" | "DELETE",
  id: string,
  body?: object,
  token = account.access,
) => call(node, method, `/v2/templates/wz${id}`, { token, ...(body === undefined ? {} : { body }) });
const dataOf = <T>({ json }: { readonly json: unknown }) => (json as { data: T }).data;
const add = async (name: string, more: object = {}) =>
  dataOf<Answer>(await send("POST", "", { name, text: `The ${name}`, ...more }));
const names = async () => dataOf<Answer[]>(await send("GET", "")).map(({ name }) => name);

test("answers are created, listed by order and name, found, changed and deleted", async () => {
  const price = await add("price", { order: 2, files: [] });
  expect(price).toEqual({
    template_id: price.template_id,
    name: "price",
    text: "The price",
    order: 2,
    files: [],
  });
  await add("hours");
  await add("address");
  expect(await names()).toEqual(["address", "hours", "price"]);
  const changed = await send("PATCH", `/${price.template_id}`, { order: -1, text: "It is free" });
  expect(dataOf(changed)).toEqual({ ...price, order: -1, text: "It is free" });
  expect(dataOf(await send("GET", `/${price.template_id}`))).toEqual(dataOf(changed));
  expect(await names()).toEqual(["price", "address", "hours"]);
  expect(dataOf(await send("DELETE", `/${price.template_id}`))).toBeNull();
  expect(outcome(await send("GET", `/${price.template_id}`))).toBe("404 CANNED_ANSWER_NOT_FOUND");
  expect(await names()).toEqual(["address", "hours"]);
});

test("they are those of the chat page, whose changes keep the order", async () => {
  const { template_id: id } = await add("price", { order: 3 });
  const page = await openInbox(node, account.api);
  expect((await page.get("canned-answers")).json).toEqual([
    { id, name: "price", text: "The price", order: 3, version: 1 },
  ]);
  await page.send("PATCH", `canned-answers/${id}`, { version: 1, name: "price", text: "New" });
  expect(dataOf(await send("GET", `/${id}`))).toMatchObject({ text: "New", order: 3 });
});

test("a repeated request with an Idempotency-Key adds one", async () => {
  const headers = { "idempotency-key": "once" };
  const body = { name: "price", text: "Free" };
  const both = await Promise.all(
    [1, 2].map(() => call(node, "POST", "/v2/templates/wz", { token: account.access, headers, body })),
  );
  expect(both.some(({ status }) => status === 200)).toBe(true);
  expect(await names()).toEqual(["price"]);
});

test.each([
  ["without a text", { name: "price" }, "400 VALIDATION_ERROR text"],
  ["of two words", { name: "two words", text: "x" }, "400 VALIDATION_ERROR name"],
  [
    "with a file",
    { name: "price", text: "x", files: [{ link: "https://example.com/a" }] },
    "400 VALIDATION_ERROR files",
  ],
  ["with a fraction", { name: "price", text: "x", order: 1.5 }, "400 VALIDATION_ERROR order"],
  ["with a huge order", { name: "price", text: "x", order: 2 ** 40 }, "400 VALIDATION_ERROR order"],
  ["with a name that is taken", { name: "HOURS", text: "x" }, "400 CANNED_ANSWER_NAME_TAKEN"],
])("an answer %s is refused", async (_what, body, expected) => {
  await add("hours");
  expect(outcome(await send("POST", "", body))).toBe(expected);
});

test("another account's answer is missing", async () => {
  const { template_id: id } = await add("price");
  const stranger = await addAccount(node.db);
  for (const [method, body] of [["GET"], ["PATCH", { text: "x" }], ["DELETE"]] as const)
    expect(outcome(await send(method, `/${id}`, body, stranger.access))).toBe("404 CANNED_ANSWER_NOT_FOUND");
  expect(dataOf(await send("GET", "", undefined, stranger.access))).toEqual([]);
  expect(await names()).toEqual(["price"]);
});
