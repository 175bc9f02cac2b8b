import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, outcome } from "./kit/call.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "./kit/service.ts";

let node: TestNode;
let account: TestAccount;
let numbers = 0;

beforeAll(async () => {
  node = await startNode();
  account = await addAccount(node.db);
});
afterAll(() => node.stop());

const create = (credentials: object, owner = account) =>
  call(node, "POST", "/v2/channels", { token: owner.access, body: { transport: "wapi", credentials } });
const firstOf = (answer: { json: unknown }) => {
  const [first] = (answer.json as { data: Record<string, string>[] }).data;
  return first ?? {};
};
const newNumber = (): string => `7900111${++numbers}`;
const pathOf = (url = ""): string => new URL(url).pathname;
const channel = async (id = "") =>
  firstOf(await call(node, "GET", `/v2/channels/${id}`, { token: account.access }));
const fill = (url: string | undefined, fields: Record<string, string>) =>
  call(node, "POST", pathOf(url), {
    raw: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
/** A channel that waits for somebody to link it. */
async function waiting(): Promise<{ id: string; url: string }> {
  const { channel_id: id = "", url = "" } = firstOf(await create({}));
  return { id, url };
}

test("a channel without credentials comes with the address of its page", async () => {
  const { id, url } = await waiting();
  expect(url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1/connect/wapi/${id}\\.[\\w-]{43}$`));
  expect(await channel(id)).toMatchObject({ status: "init", reason: null, url });
});

test("starting the channel again gives it another address", async () => {
  const { id, url } = await waiting();
  const body = { credentials: {} };
  const restart = await call(node, "POST", `/v2/channels/${id}/reinit`, { token: account.access, body });
  expect(restart.status).toBe(200);
  const found = await channel(id);
  expect([found["status"], found["url"] === url]).toEqual(["init", false]);
  expect((await call(node, "GET", pathOf(url))).status).toBe(404);
  expect((await call(node, "GET", pathOf(found["url"]))).status).toBe(200);
});

test("the page knows its channel", async () => {
  const { url } = await waiting();
  const answer = await call(node, "GET", pathOf(url));
  expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
  const [, style = ""] = /<style>(.*?)<\/style>/s.exec(answer.text) ?? [];
  const hash = createHash("sha256").update(style).digest("base64");
  // A messenger may be where the answer to the form leads.
  expect(answer.headers["content-security-policy"]).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self' *; base-uri 'none'; frame-ancestors *`,
  );
  const ticket = url.split("/").at(-1);
  const shown = JSON.stringify({
    url,
    returnUrl: "http://127.0.0.1/connect/wapi",
    state: ticket,
    isLinked: false,
  });
  expect(answer.text).toContain(shown);
});

test.each<[string, (url: string, number: string) => ReturnType<typeof call>]>([
  ["by a form", (url, number) => fill(url, { key: `good:${number}@shop` })],
  [
    "by coming back from the messenger",
    (url, number) =>
      call(node, "GET", `/connect/wapi?state=${url.split("/").at(-1)}&code=good:${number}@shop`),
  ],
])("linking %s works once", async (_name, link) => {
  const { id, url } = await waiting();
  const number = newNumber();
  const answer = await link(url, number);
  expect([answer.status, answer.text.includes(`Connected as Number ${number}`)]).toEqual([200, true]);
  expect(await channel(id)).toMatchObject({ status: "init", reason: null });
  const [row] = await node.db.query("select epoch, credentials from channels where id = $1", [id]);
  expect(row).toMatchObject({ epoch: 1 });
  for (const again of [await link(url, number), await call(node, "GET", pathOf(url))]) {
    expect([again.status, again.text.includes("This link has served")]).toEqual([404, true]);
  }
});

test("the way to the messenger", async () => {
  const { url } = await waiting();
  const answer = await fill(url, { key: "elsewhere" });
  expect([answer.status, answer.headers["location"]]).toEqual([303, "https://messenger.example/login"]);
});

describe("a person is told what is wrong", () => {
  test.each([
    ["refused credentials", "bad", "The messenger refuses these credentials"],
    ["a messenger that is away", "away", "The messenger cannot be reached"],
  ])("%s", async (_name, key, expected) => {
    const { id, url } = await waiting();
    const answer = await fill(url, { key });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(expected);
    expect(await channel(id)).toMatchObject({ url });
  });

  test("a number that is a channel already", async () => {
    const taken = newNumber();
    const other = await addChannel(node, account, { transport: "wapi" });
    await node.db.query("update channels set messenger_id = $2 where id = $1", [other, taken]);
    const { url } = await waiting();
    expect((await fill(url, { key: `good:${taken}@shop` })).text).toContain("already connected");
  });

  test("another number than before", async () => {
    const { id, url } = await waiting();
    await node.db.query("update channels set messenger_id = '1' where id = $1", [id]);
    expect((await fill(url, { key: `good:${newNumber()}@shop` })).text).toContain(
      "another messenger account",
    );
  });
});

describe("nobody else comes in", () => {
  test.each(["another key", "another channel", "no channel", "a deleted channel"])("%s", async (what) => {
    const [{ id, url }, other] = [await waiting(), await waiting()];
    if (what === "a deleted channel")
      await call(node, "DELETE", `/v2/channels/${id}`, { token: account.access });
    const paths: Record<string, string> = {
      "another key": pathOf(url).replace(/.$/, (last) => (last === "A" ? "B" : "A")),
      "another channel": pathOf(url).replace(id, other.id),
      "no channel": "/connect/wapi/x",
      "a deleted channel": pathOf(url),
    };
    expect((await call(node, "GET", paths[what] ?? "")).status).toBe(404);
    expect((await fill(`http://x${paths[what]}`, { key: "good:1@shop" })).status).toBe(404);
  });

  test("a transport without a page", async () => {
    expect(outcome(await call(node, "GET", "/connect/telegram/x"))).toBe("404 NOT_FOUND");
  });
});

describe("credentials that are known already", () => {
  test("need no page", async () => {
    const number = newNumber();
    const created = firstOf(await create({ key: `good:${number}@shop` }));
    expect(created).toEqual({ channel_id: expect.any(String), transport: "wapi" });
    expect(await channel(created["channel_id"])).toMatchObject({ phone: number });
  });

  test("are verified", async () => {
    expect(outcome(await create({ key: "bad" }))).toBe("400 WRONG_CREDENTIALS");
    expect(outcome(await create({ other: "x" }))).toBe(
      "400 VALIDATION_ERROR credentials.key credentials.other",
    );
  });

  test("stay when a channel is started again without any, and the page is there once more", async () => {
    const created = firstOf(await create({ key: `good:${newNumber()}@shop` }));
    const id = created["channel_id"] ?? "";
    const restart = await call(node, "POST", `/v2/channels/${id}/reinit`, {
      token: account.access,
      body: { credentials: {} },
    });
    expect(restart.status).toBe(200);
    const { url } = await channel(id);
    const page = await call(node, "GET", pathOf(url));
    expect(page.text).toContain("&quot;isLinked&quot;:true".replaceAll("&quot;", '"'));
  });
});
