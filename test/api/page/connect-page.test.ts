import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyTrigger } from "../../../src/core/channel/link/link-state.ts";
import { PAGE_TICKET_RETENTION } from "../../../src/core/page-ticket/retention.ts";
import { newId } from "../../../src/platform/ids.ts";
import { call, outcome } from "../kit/call.ts";
import { write as writeTo } from "../kit/inbound.ts";
import { type OpenPage, openPage, proofOf } from "../kit/page.ts";
import {
  addAccount,
  addChannel,
  startNode,
  type TestAccount,
  type TestNode,
  tokenHash,
} from "../kit/service.ts";

let node: TestNode;
let account: TestAccount;
let numbers = 0;

beforeAll(async () => {
  node = await startNode({ pageLimits: { ofOwner: 2, ofGroup: 3, ofNode: 6 } });
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
const opens = async (url = "") =>
  (await call(node, "POST", "/app/api/sessions", { body: proofOf(url) })).status;
const linkTo = (options: object, owner = account) =>
  call(node, "POST", "/v2/iframe-links/channels", { token: owner.access, body: { options } });

/** A channel that is not linked yet. */
async function waiting(): Promise<{ id: string; url: string }> {
  const { channel_id: id = "", url = "" } = firstOf(await create({}));
  return { id, url };
}

test("a channel without credentials is returned with the address of its page", async () => {
  const { id, url } = await waiting();
  expect(url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1/connect/wapi/${id}\\.[\\w-]{43}$`));
  expect(await channel(id)).toMatchObject({ status: "init", reason: null, url });
});

test("that address leads to the page, as does the redirect address", async () => {
  const { url } = await waiting();
  const { ticket } = proofOf(url);
  const own = await call(node, "GET", pathOf(url));
  expect([own.status, own.headers["location"]]).toEqual([
    303,
    `../../app/channels?${new URLSearchParams({ transport: "wapi", ticket })}`,
  ]);
  const back = await call(node, "GET", "/connect/wapi?state=s&code=a%26b");
  const query = new URL(String(back.headers["location"]), `${node.url}/connect/wapi`);
  expect([back.status, query.pathname, query.searchParams.get("state")]).toEqual([303, "/app/channels", "s"]);
  expect(new URLSearchParams(query.searchParams.get("back") ?? "").get("code")).toBe("a&b");
});

test("a page's waiting requests are limited: its oldest is answered, and those of its account are refused", async () => {
  const { id, url } = await waiting();
  const [page, other] = [await openPage(node, url), await openPage(node, url)];
  const { version } = (await page.get(`channels/${id}`)).json as { version: string };
  const waits = (from: typeof page) => from.get(`channels/${id}?known=${version}`);
  const [first, second, third] = [waits(page), waits(page), waits(page)];
  const oldest = await Promise.race([first, second, third]);
  expect(oldest.json).toMatchObject({ version });
  expect(oldest.headers["connection"]).toBe("close");
  // One of them takes the place that is left.
  const [fourth, fifth] = [waits(other), waits(other)];
  const refused = await Promise.race([fourth, fifth]);
  expect(outcome(refused)).toBe("429 TOO_MANY_REQUESTS");
  expect(refused.headers["connection"]).toBe("close");
  // Without waiting it is answered.
  expect((await other.get(`channels/${id}`)).status).toBe(200);
  await call(node, "DELETE", `/v2/channels/${id}`, { token: account.access });
  await Promise.all([first, second, third, fourth, fifth]);
});

test("restarting the channel gives it another address", async () => {
  const { id, url } = await waiting();
  const body = { credentials: {} };
  const restart = await call(node, "POST", `/v2/channels/${id}/reinit`, { token: account.access, body });
  expect(restart.status).toBe(200);
  const found = await channel(id);
  expect([found["status"], found["url"] === url]).toEqual(["init", false]);
  expect([await opens(url), await opens(found["url"])]).toEqual([404, 200]);
});

test.each<[string, (url: string, number: string) => Promise<unknown>]>([
  [
    "by a key",
    async (url, number) => {
      const page = await openPage(node, url);
      const id = proofOf(url).ticket.split(".")[0];
      const credentials = { key: `good:${number}@shop` };
      return (await page.post(`channels/${id}/restart`, { credentials })).json;
    },
  ],
  [
    "by signing in",
    async (url, number) => {
      return (await (await openPage(node, url)).signIn("wapi")).comeBack(`code=good:${number}@shop`);
    },
  ],
])("linking %s works once", async (_name, link) => {
  const { id, url } = await waiting();
  const number = newNumber();
  await link(url, number);
  expect(await channel(id)).toMatchObject({ status: "init", reason: null });
  const [row] = await node.db.query("select epoch, credentials from channels where id = $1", [id]);
  expect(row).toMatchObject({ epoch: 1 });
  expect(await opens(url)).toBe(404);
});

test("the redirect to the messenger", async () => {
  const { url } = await waiting();
  const { comeBack } = await (await openPage(node, url)).signIn("wapi");
  expect(await comeBack("code=elsewhere")).toEqual({
    kind: "elsewhere",
    url: "https://messenger.example/more",
  });
  expect(await comeBack("error=access_denied")).toMatchObject({ kind: "refused", reason: "denied" });
});

describe("a person sees the error", () => {
  const failing = async (url: string, key: string) => {
    const { comeBack } = await (await openPage(node, url)).signIn("wapi");
    return comeBack(String(new URLSearchParams({ code: key })));
  };

  test.each([
    ["refused credentials", "bad", "The messenger refuses these credentials"],
    ["a messenger that is away", "away", "The messenger cannot be reached"],
  ])("%s", async (_name, key, expected) => {
    const { id, url } = await waiting();
    expect(await failing(url, key)).toMatchObject({
      kind: "refused",
      description: expect.stringContaining(expected),
    });
    expect(await channel(id)).toMatchObject({ url });
  });

  test("a number that is a channel already", async () => {
    const taken = newNumber();
    const other = await addChannel(node, account, { transport: "wapi" });
    await node.db.query("update channels set messenger_id = $2 where id = $1", [other, taken]);
    const { url } = await waiting();
    expect(await failing(url, `good:${taken}@shop`)).toMatchObject({
      description: expect.stringContaining("already connected"),
    });
  });

  test("another number than before", async () => {
    const { id, url } = await waiting();
    await node.db.query("update channels set messenger_id = '1' where id = $1", [id]);
    expect(await failing(url, `good:${newNumber()}@shop`)).toMatchObject({
      description: expect.stringContaining("another messenger account"),
    });
  });
});

describe("nobody else gets access", () => {
  test.each(["another key", "another channel", "no channel", "a deleted channel"])("%s", async (what) => {
    const [{ id, url }, other] = [await waiting(), await waiting()];
    if (what === "a deleted channel")
      await call(node, "DELETE", `/v2/channels/${id}`, { token: account.access });
    const urls: Record<string, string> = {
      "another key": url.replace(/.$/, (last) => (last === "A" ? "B" : "A")),
      "another channel": url.replace(id, other.id),
      "no channel": "http://127.0.0.1/connect/wapi/x",
      "a deleted channel": url,
    };
    expect(await opens(urls[what])).toBe(404);
    for (const proof of ["questions", "departures"])
      expect(
        outcome(
          await call(node, "POST", `/app/api/sign-ins/wapi/${proof}`, {
            body: { start: proofOf(urls[what] ?? "").ticket },
          }),
        ),
      ).toBe("404 NOT_FOUND");
  });
});

describe("a session", () => {
  test("opens once by a ticket, and expires", async () => {
    const answer = await linkTo({});
    const page = await openPage(node, answer);
    expect((await page.get("transports")).status).toBe(200);
    await expect(openPage(node, answer)).rejects.toThrow("404");
    await node.db.query("update page_tickets set expires_at = now() where session_hash = $1", [
      tokenHash(page.token),
    ]);
    expect(outcome(await page.get("transports"))).toBe("401 INVALID_APIKEY");
  });

  test("is required, and is not a token of the interface, nor vice versa", async () => {
    const { token } = await openPage(node, await linkTo({}));
    for (const path of ["/v2/channels", "/v3/channels"])
      expect((await call(node, "GET", path, { token })).status).toBe(401);
    for (const given of [undefined, account.access, account.api])
      expect(
        (await call(node, "GET", "/app/api/transports", given === undefined ? {} : { token: given })).status,
      ).toBe(401);
  });

  test("reaches its own channels, and no other by any id", async () => {
    const stranger = await addAccount(node.db);
    const foreign = await addChannel(node, stranger, { transport: "wapi", status: "init" });
    const own = await addChannel(node, account, { transport: "wapi", status: "init" });
    const opened = await addChannel(node, account, { transport: "wapi", status: "init" });
    const page = await openPage(node, await linkTo({ channel_id: opened }));
    const free = await openPage(node, await linkTo({}));
    const routes = ["restart", "pairing-code", "phone", "secret", "share"];
    const bodies = { credentials: {}, phone: "79990001122", secret: "x" };
    for (const id of [foreign, own, "x", `${own}%2F..%2F${opened}`]) {
      expect((await page.get(`channels/${id}`)).status).toBe(404);
      expect((await free.get(`channels/${id}`)).status).toBe(404);
      for (const route of routes)
        expect((await page.post(`channels/${id}/${route}`, bodies)).status).toBe(404);
    }
    expect((await page.get(`channels/${opened}`)).status).toBe(200);
    const created = await free.post("channels", {
      transport: "wapi",
      credentials: { key: `good:${newNumber()}@shop` },
    });
    const { channel_id: id } = created.json as { channel_id: string };
    expect((await free.get(`channels/${id}`)).status).toBe(200);
    expect((await page.get(`channels/${id}`)).status).toBe(404);
    // The link was for one channel: it makes no other.
    const more = { transport: "wapi", credentials: { key: "good:5@shop" } };
    expect(outcome(await page.post("channels", more))).toBe("400 TRANSPORT_NOT_AVAILABLE");
  });

  test("gets no pairing code once its channel is connected, as in another window", async () => {
    const id = await addChannel(node, account, { transport: "whatsapp", status: "init" });
    const page = await openPage(node, await linkTo({ channel_id: id }));
    await node.db.query("update channels set status = 'active' where id = $1", [id]);
    const answer = await page.post(`channels/${id}/pairing-code`, { phone: "79990001122" });
    expect(outcome(answer)).toBe("400 PAIRING_NOT_EXPECTED");
  });

  test("waits for changes of its channel", async () => {
    const id = await addChannel(node, account, { transport: "wapi", status: "init" });
    const page = await openPage(node, await linkTo({ channel_id: id }));
    const { version } = (await page.get(`channels/${id}`)).json as { version: string };
    const waits = page.get(`channels/${id}?known=${version}`);
    await node.db.query(
      "update channels set status = 'init', reason = 'qr', qr = 'data:,x', qr_expires_at = now() + interval '20 seconds' where id = $1",
      [id],
    );
    node.core.signals.notify("channels", id);
    const { json } = await waits;
    expect(json).toMatchObject({ reason: "qr", qr: "data:,x" });
    expect((json as { qr_seconds: number }).qr_seconds).toBeGreaterThan(10);
    await node.db.query("update channels set reason = 'sync' where id = $1", [id]);
    expect((await page.get(`channels/${id}`)).json).toMatchObject({ reason: "sync", qr: null });
  });
});

describe("access does not renew itself", () => {
  const channelOf = async (id: string, page: OpenPage) => outcome(await page.get(`channels/${id}`));
  const share = async (id: string, page: OpenPage) =>
    ((await page.post(`channels/${id}/share`)).json as { link: string }).link;
  const endOf = async ({ token }: OpenPage) => {
    const [row] = await node.db.query<{ expires_at: Date }>(
      "select expires_at from page_tickets where session_hash = $1",
      [tokenHash(token)],
    );
    return row?.expires_at;
  };

  test("a page does not learn the address of our own page", async () => {
    const { id } = await waiting();
    const page = await openPage(node, await linkTo({ channel_id: id }));
    expect((await page.get(`channels/${id}`)).json).toMatchObject({ url: null });
    expect((await page.post(`channels/${id}/restart`, { credentials: {} })).json).toMatchObject({
      url: null,
    });
  });

  test("what a session shares ends with the session", async () => {
    const { id } = await waiting();
    const page = await openPage(node, await linkTo({ channel_id: id }));
    await node.db.query(
      "update page_tickets set expires_at = now() + interval '1 hour' where session_hash = $1",
      [tokenHash(page.token)],
    );
    const link = await share(id, page);
    const opened = await call(node, "POST", "/app/api/sessions", { body: proofOf(link) });
    expect((opened.json as { expires_in: number }).expires_in).toBeLessThanOrEqual(3600);
    const successor = await openPage(node, await share(id, page));
    const next = await openPage(node, await share(id, successor));
    expect([await endOf(successor), await endOf(next)]).toEqual([await endOf(page), await endOf(page)]);
  });

  test("a restart by the client ends the sessions of the channel's own link, and what they have shared", async () => {
    const { id, url } = await waiting();
    const page = await openPage(node, url);
    const [sharedPage, unused] = [await openPage(node, await share(id, page)), await share(id, page)];
    const requested = await openPage(node, await linkTo({ channel_id: id }));
    const body = { credentials: {} };
    await call(node, "POST", `/v2/channels/${id}/reinit`, { token: account.access, body });
    expect(await channelOf(id, page)).toBe("401 INVALID_APIKEY");
    expect(await channelOf(id, sharedPage)).toBe("401 INVALID_APIKEY");
    expect(await opens(unused)).toBe(404);
    expect(await channelOf(id, requested)).toBe("200");
  });

  test("a person who restarts the channel on its page stays there", async () => {
    const { id, url } = await waiting();
    const page = await openPage(node, url);
    const phone = await openPage(node, await share(id, page));
    expect((await phone.post(`channels/${id}/restart`, { credentials: {} })).status).toBe(200);
    expect([await channelOf(id, page), await channelOf(id, phone)]).toEqual(["200", "200"]);
  });
});

test("a person chooses how much of the earlier messages is imported, as long as it has not begun", async () => {
  const body = { transport: "whatsapp", credentials: {}, history: { days: 45 } };
  const created = await call(node, "POST", "/v2/channels", { token: account.access, body });
  const { channel_id: id = "" } = firstOf(created);
  const page = await openPage(node, await linkTo({ channel_id: id }));
  const offers = (await page.get("transports")).json as { transport: string; history: boolean }[];
  const giving = offers.filter(({ history }) => history).map(({ transport }) => transport);
  expect(giving).toContain("whatsapp");
  expect(giving).not.toContain("telegram");
  const restart = (history?: object) =>
    page.post(`channels/${id}/restart`, { credentials: {}, ...(history === undefined ? {} : { history }) });
  const shown = async () => (await page.get(`channels/${id}`)).json;
  expect(await shown()).toMatchObject({ history: { days: 45, status: "waiting" } });
  for (const [chosen, history] of [
    [{ days: 90 }, { days: 90, status: "waiting" }],
    [undefined, { days: 90 }],
    [{ days: 0 }, null],
    [{ days: 30 }, { days: 30 }],
  ] as const) {
    expect((await restart(chosen)).status).toBe(200);
    expect(await shown()).toMatchObject({ history });
  }
  for (const days of [-1, 3_651, 1.5])
    expect(outcome(await restart({ days }))).toBe("400 VALIDATION_ERROR history.days");
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

  test("stay when a channel is started again without any, and its link serves once more", async () => {
    const created = firstOf(await create({ key: `good:${newNumber()}@shop` }));
    const id = created["channel_id"] ?? "";
    const restart = await call(node, "POST", `/v2/channels/${id}/reinit`, {
      token: account.access,
      body: { credentials: {} },
    });
    expect(restart.status).toBe(200);
    const { url = "" } = await channel(id);
    const page = await openPage(node, url);
    expect((await page.get(`channels/${id}`)).json).toMatchObject({ channel_id: id, transport: "wapi" });
  });
});

describe("a link that no longer works", () => {
  const refresh_url = "https://crm.example/connect?of=5";
  const originOf = async (link: string) =>
    call(node, "POST", "/app/api/link-origins", { body: { ticket: proofOf(link).ticket } });
  const requested = async (options: object): Promise<string> => {
    const { json } = await linkTo(options);
    return (json as { data: { link: string } }).data.link;
  };
  const end = (link: string, ago: string) =>
    node.db.query("update page_tickets set expires_at = now() - $2::interval where hash = $1", [
      tokenHash(proofOf(link).ticket),
      ago,
    ]);
  const forget = () => node.db.query(PAGE_TICKET_RETENTION["page_tickets"] ?? "");

  test("tells who has requested it, and where a new one is given, for 30 days", async () => {
    const link = await requested({ refresh_url });
    await openPage(node, link);
    expect(outcome(await call(node, "POST", "/app/api/sessions", { body: proofOf(link) }))).toBe(
      "404 NOT_FOUND",
    );
    const known = { account: "Test", refresh_url };
    expect((await originOf(link)).json).toEqual(known);
    await end(link, "29 days");
    await forget();
    expect((await originOf(link)).json).toEqual(known);
    expect(await opens(link)).toBe(404);
    await end(link, "31 days");
    await forget();
    expect(outcome(await originOf(link))).toBe("404 NOT_FOUND");
  });

  test("tells only who, if no address was given", async () => {
    expect((await originOf(await requested({}))).json).toEqual({ account: "Test", refresh_url: null });
    expect(outcome(await originOf("https://service.example/app/channels?ticket=guess"))).toBe(
      "404 NOT_FOUND",
    );
  });

  test("of the chat page is forgotten after a day", async () => {
    const body = { user: { id: "1", name: "Ann" }, scope: "global" };
    const { json } = await call(node, "POST", "/v3/iframe", { token: account.api, body });
    const { url } = json as { url: string };
    await end(url, "2 days");
    await forget();
    const hash = tokenHash(proofOf(url).ticket);
    expect(await node.db.query("select 1 from page_tickets where hash = $1", [hash])).toEqual([]);
  });
});

describe("a channel that works", () => {
  const given = async (channelId: string) => {
    const rows = await node.db.query("select name, given_name from channels where id = $1", [channelId]);
    return rows[0];
  };

  test("gets a name, which its messenger account does not change", async () => {
    const channelId = await addChannel(node, account, { transport: "telegram" });
    const page = await openPage(node, await linkTo({ channel_id: channelId }));
    const rename = (name: unknown) => page.post(`channels/${channelId}/name`, { name });
    expect((await rename("  Shop in Lisbon ")).json).toMatchObject({ name: "Shop in Lisbon" });
    expect((await channel(channelId))["name"]).toBe("Shop in Lisbon");
    const { epoch } = (
      await node.db.query<{ epoch: string }>("select epoch from channels where id = $1", [channelId])
    )[0] ?? { epoch: "" };
    const key = { accountId: account.id, channelId, epoch: Number(epoch) };
    const linked = { kind: "linked", messengerId: channelId, linkedElsewhere: false } as const;
    const profile = { messengerId: channelId, name: "Bot of Ann" };
    expect(await applyTrigger(node.core, key, linked, { profile })).toMatchObject({ status: "active" });
    expect(await given(channelId)).toEqual({ name: "Shop in Lisbon", given_name: "Shop in Lisbon" });
    const audited = await node.db.query(
      "select actor_kind, details from audit_log where action = 'channel.rename' and subject = $1",
      [channelId],
    );
    expect(audited).toEqual([{ actor_kind: "page", details: { name: "Shop in Lisbon" } }]);
    for (const name of ["", " ", "x".repeat(101), 5])
      expect(outcome(await rename(name)), String(name)).toBe("400 VALIDATION_ERROR name");
    const other = await addChannel(node, account, { transport: "telegram" });
    expect(outcome(await page.post(`channels/${other}/name`, { name: "x" }))).toBe("404 CHANNEL_NOT_FOUND");
  });

  test("reports the first message since the page was opened, and its answer, without their texts", async () => {
    const channelId = await addChannel(node, account, { transport: "whatsapp" });
    const write = (chatId: string, text: string) => writeTo(node, { account, channelId }, [[chatId, text]]);
    await write("79990000001", "Before");
    const page = await openPage(node, await linkTo({ channel_id: channelId }));
    const view = async () => (await page.get(`channels/${channelId}`)).json as Record<string, string>;
    const before = await view();
    expect(before).toMatchObject({ received_at: null, answered_at: null });
    const next = page.get(`channels/${channelId}?known=${before["version"]}`);
    await write("79990000002", "Secret test");
    const { json, text } = await next;
    expect(json).toMatchObject({ received_at: expect.any(String), answered_at: null });
    expect(text).not.toContain("Secret");
    const first = json as Record<string, string>;
    // Neither an answer that failed, nor a message to somebody else.
    const answer = (chatId: string, status: string) =>
      node.db.query(
        `insert into messages (account_id, id, channel_id, chat, direction, type, status, sent_at)
         select account_id, $3, channel_id, id, 'out', 'text', $4, now() from chats where channel_id = $1 and chat_id = $2`,
        [channelId, chatId, newId(), status],
      );
    await answer("79990000002", "error");
    await answer("79990000001", "sent");
    expect(await view()).toMatchObject({ received_at: first["received_at"], answered_at: null });
    await answer("79990000002", "sent");
    expect(await view()).toMatchObject({ answered_at: expect.any(String) });
  });
});
