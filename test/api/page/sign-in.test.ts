import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { firstLink } from "../../../src/core/operator/links.ts";
import { call, outcome } from "../kit/call.ts";
import { redeem, signedIn } from "../kit/console.ts";
import { depart, openPage } from "../kit/page.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

// Whoever sends a link to someone else must not get the account that the other person signs in to.

let node: TestNode;
let account: TestAccount;
let numbers = 0;

beforeAll(async () => {
  node = await startNode();
  account = await addAccount(node.db);
  await node.db.query("update accounts set name = 'Lamps and Sons' where id = $1", [account.id]);
});
afterAll(() => node.stop());

const newNumber = (): string => `7900222${++numbers}`;
const linkTo = (options: object) =>
  call(node, "POST", "/v2/iframe-links/channels", { token: account.access, body: { options } });
const connected = async (number: string) =>
  (await node.db.query("select 1 from channels where name = $1", [`Number ${number}`])).length;
const startsAt = (url: string, headers: Record<string, string> = {}) =>
  call(node, "GET", new URL(url).pathname, { headers });

describe("the redirect of a person who followed someone else's link to the messenger", () => {
  test.each<[string, (mine: string) => string | undefined]>([
    ["without any secret", () => undefined],
    ["with the secret of another sign-in", (mine) => mine],
    ["with a forged secret", (mine) => mine.replace(/=.*/, "=x")],
  ])("connects nothing, %s", async (_name, cookieOf) => {
    const attacker = await (await openPage(node, await linkTo({ transport: "wapi" }))).signIn("wapi");
    const victim = await (await openPage(node, await linkTo({ transport: "wapi" }))).signIn("wapi");
    const cookie = cookieOf(victim.cookie);
    const as = cookie === undefined ? {} : { cookie };
    const query = `code=good:${newNumber()}@shop`;
    // The first is what the page sends; the others are what a page that was tricked could.
    const { json } = await attacker.goOn({ query });
    const { agreement } = (json as { asked: { agreement: string } }).asked;
    for (const step of [{ query }, { query, agreement }, { choice: "1", agreement }, { refused: true }])
      expect(outcome(await attacker.goOn(step, as))).toBe("404 NOT_FOUND");
    expect(await connected(`7900222${numbers}`)).toBe(0);
    // The refusal above did not end the visit of the browser that began it.
    expect(await attacker.comeBack(query)).toMatchObject({ kind: "connected" });
  });

  test("of a channel that is linked again stays the channel's", async () => {
    const id = await addChannel(node, account, { transport: "wapi" });
    const before = await node.db.query("select credentials from channels where id = $1", [id]);
    const window = await (await openPage(node, await linkTo({ channel_id: id }))).signIn("wapi");
    expect(outcome(await window.goOn({ query: `code=good:${newNumber()}@shop` }, {}))).toBe("404 NOT_FOUND");
    expect(await node.db.query("select credentials from channels where id = $1", [id])).toEqual(before);
  });
});

describe("before anything is connected", () => {
  test("the page names the account, and asks", async () => {
    const window = await (await openPage(node, await linkTo({ transport: "wapi" }))).signIn("wapi");
    const number = newNumber();
    const query = `code=good:${number}@shop`;
    const { json } = await window.goOn({ query });
    expect(json).toEqual({
      kind: "question",
      asked: {
        account: { id: account.id, name: "Lamps and Sons" },
        channel: null,
        agreement: expect.stringMatching(/^[\w-]{43}$/),
      },
    });
    expect((await window.goOn({ query, agreement: "x" })).json).toMatchObject({ kind: "question" });
    expect(await connected(number)).toBe(0);
    expect(await window.comeBack(query)).toMatchObject({ kind: "connected" });
    expect(await connected(number)).toBe(1);
  });

  test("agreeing to another name is not enough", async () => {
    const id = await addChannel(node, account, { transport: "wapi" });
    await node.db.query("update channels set name = 'Shop A' where id = $1", [id]);
    const window = await (await openPage(node, await linkTo({ channel_id: id }))).signIn("wapi");
    const query = `code=good:${newNumber()}@shop`;
    const { asked } = (await window.goOn({ query })).json as {
      asked: { channel: string; agreement: string };
    };
    expect(asked.channel).toBe("Shop A");
    await node.db.query("update channels set name = 'Shop B' where id = $1", [id]);
    const again = await window.goOn({ query, agreement: asked.agreement });
    expect(again.json).toMatchObject({ kind: "question", asked: { channel: "Shop B" } });
  });

  test("a person who refuses ends the sign-in", async () => {
    const window = await (await openPage(node, await linkTo({ transport: "wapi" }))).signIn("wapi");
    const number = newNumber();
    await window.goOn({ query: `code=good:${number}@shop` });
    expect((await window.goOn({ refused: true })).json).toEqual({ kind: "closed" });
    expect(await window.comeBack(`code=good:${number}@shop`)).toMatchObject({ error: "NOT_FOUND" });
    expect(await connected(number)).toBe(0);
  });

  test("another site's page cannot agree", async () => {
    const window = await (await openPage(node, await linkTo({ transport: "wapi" }))).signIn("wapi");
    const request = {
      body: { state: window.state, query: "code=good:1@shop" },
      headers: { cookie: window.cookie, "sec-fetch-site": "cross-site" },
    };
    const answer = await call(node, "POST", "/app/api/sign-ins/wapi/continuations", request);
    expect(outcome(answer)).toBe("404 NOT_FOUND");
  });
});

describe("the address where a sign-in starts", () => {
  test("leads our own page to the messenger, with a secret that only this host reads", async () => {
    const { url, state } = await (await openPage(node, await linkTo({ transport: "wapi" }))).signIn("wapi");
    const answer = await startsAt(url, { "sec-fetch-site": "same-origin" });
    expect([answer.status, new URL(String(answer.headers["location"])).host]).toEqual([
      303,
      "messenger.example",
    ]);
    expect(String(answer.headers["set-cookie"])).toMatch(
      /^trunkline-sign-in-80=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=3600$/,
    );
    // The state is another one in each browser.
    expect(new URL(String(answer.headers["location"])).searchParams.get("state")).not.toBe(state);
  });

  test.each(["cross-site", "none", ""])("asks first, if it was opened from elsewhere (%j)", async (site) => {
    const { url } = await (await openPage(node, await linkTo({ transport: "wapi" }))).signIn("wapi");
    const answer = await startsAt(url, { "sec-fetch-site": site });
    const page = new URL(String(answer.headers["location"]), new URL(new URL(url).pathname, node.url));
    expect([answer.status, page.pathname, answer.headers["set-cookie"]]).toEqual([
      303,
      "/app/channels",
      undefined,
    ]);
    const body = { start: page.searchParams.get("start") };
    const asked = await call(node, "POST", "/app/api/sign-ins/wapi/questions", { body });
    expect(asked.json).toEqual({ account: { id: account.id, name: "Lamps and Sons" }, channel: null });
  });

  test("may be opened twice by one browser, and ends with the link of its channel", async () => {
    const created = await call(node, "POST", "/v2/channels", {
      token: account.access,
      body: { transport: "wapi", credentials: {} },
    });
    const [{ channel_id: id = "", url = "" } = {}] = (created.json as { data: Record<string, string>[] })
      .data;
    const window = await (await openPage(node, url)).signIn("wapi");
    const again = await startsAt(window.url, { "sec-fetch-site": "same-origin", cookie: window.cookie });
    expect(new URL(String(again.headers["location"])).searchParams.get("state")).toBe(window.state);
    // It opens no page, and contains nothing that does.
    const ticket = new URL(window.url).pathname.split("/").at(-2);
    for (const proof of [ticket, window.state]) {
      const body = { transport: "wapi", ticket: proof };
      expect((await call(node, "POST", "/app/api/sessions", { body })).status).toBe(404);
    }
    const body = { credentials: {} };
    await call(node, "POST", `/v2/channels/${id}/reinit`, { token: account.access, body });
    await expect(depart(node, "wapi", window.url)).rejects.toThrow("404");
    expect(await window.comeBack(`code=good:${newNumber()}@shop`)).toMatchObject({ error: "NOT_FOUND" });
  });
});

test("a page's session has a limit of its own, which the account's requests do not use up", async () => {
  const limited = await startNode({ rateLimitPerMinute: 4 });
  try {
    const owner = await addAccount(limited.db);
    const link = () =>
      call(limited, "POST", "/v2/iframe-links/channels", { token: owner.access, body: { options: {} } });
    const [page, other] = [await openPage(limited, await link()), await openPage(limited, await link())];
    // Two windows of the limit at most.
    const statuses = [];
    for (let asked = 0; asked < 10; asked++) statuses.push((await page.get("transports")).status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect((await other.get("transports")).status).toBe(200);
  } finally {
    await limited.stop();
  }
});

describe("in a cell with a name", () => {
  let cell: TestNode;
  let owner: TestAccount;
  beforeAll(async () => {
    cell = await startNode({ cell: "b" });
    owner = await addAccount(cell.db);
  });
  afterAll(() => cell.stop());

  test("a sign-in goes over the address of all cells, and comes back to this one", async () => {
    const link = await call(cell, "POST", "/v2/iframe-links/channels", {
      token: owner.access,
      body: { options: { transport: "wapi" } },
    });
    const window = await (await openPage(cell, link)).signIn("wapi");
    expect(window.url).toMatch(/^http:\/\/127\.0\.0\.1\/c\/b\/connect\/wapi\/[^/]+\/start$/);
    expect(window.messengerUrl).not.toContain(encodeURIComponent("/c/b/"));
    expect(window.state).toMatch(/\.b$/);
    // Whichever cell gets the redirect.
    const back = `/connect/wapi?${new URLSearchParams({ code: "1", state: window.state })}`;
    for (const each of [node, cell]) {
      const { headers } = await call(each, "GET", back);
      expect(String(headers["location"])).toMatch(/^\/c\/b\/app\/channels\?/);
    }
    const query = `code=good:${newNumber()}@shop`;
    expect(await window.comeBack(query)).toMatchObject({ kind: "connected" });
  });

  test("a state with the name of another cell is no valid one", async () => {
    const link = await call(cell, "POST", "/v2/iframe-links/channels", {
      token: owner.access,
      body: { options: { transport: "wapi" } },
    });
    const { state, cookie } = await (await openPage(cell, link)).signIn("wapi");
    const answer = await call(cell, "POST", "/app/api/sign-ins/wapi/continuations", {
      body: { state: state.replace(/\.b$/, ".a"), query: "code=good:1@shop" },
      headers: { cookie },
    });
    expect(outcome(answer)).toBe("404 NOT_FOUND");
  });

  test("its console has a cookie of its own", async () => {
    await redeem(cell, await firstLink(cell.core), { login: "root" });
    const { cookie } = await signedIn(cell, "root");
    expect(cookie).toMatch(/^trunkline-console-80-b=tl_cs_b\./);
  });
});
