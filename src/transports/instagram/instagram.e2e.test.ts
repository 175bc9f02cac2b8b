import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startSandbox } from "../../../sandbox/server.ts";
import { createTestLink } from "../../core/transport/conformance.ts";
import type { InboundMessage } from "../../core/transport/events.ts";
import type { InstagramCredentials } from "./access.ts";
import { receiveForApp } from "./inbound/callback.ts";
import { verify } from "./linking/account.ts";
import { exchangeCode, SCOPES } from "./linking/tokens.ts";
import { openSession } from "./session.ts";
import { appOf, FAST, fileMessage, type InstagramTestLink, settingsFor, textMessage } from "./testing.ts";

/** Tests the connector against the Instagram emulator. The two were written independently of each other. */

const never = new AbortController().signal;
const SECRET = "secretOfTheAppInThisTest";
const APP = "900000000000555";
const DAY_S = 86_400;
let sandbox: Awaited<ReturnType<typeof startSandbox>>;
let ours: Server;
const links: InstagramTestLink[] = [];

beforeAll(async () => {
  sandbox = await startSandbox({});
  ours = createServer(async (request, response) => {
    if (request.url?.endsWith(".jpg")) {
      response
        .writeHead(200, { "content-type": "image/jpeg" })
        .end(Buffer.from("ffd8ffe000104a464946", "hex"));
      return;
    }
    const { method = "", headers } = request;
    const query = new URL(request.url ?? "", "http://x").searchParams;
    const call = { method, path: "", query, headers, body: await buffer(request) };
    const answer = await receiveForApp(call, appOf(settings(), ...links)).catch(() => ({ status: 503 }));
    response.writeHead(answer.status).end("body" in answer ? answer.body : "");
  }).listen(0, "127.0.0.1");
  await once(ours, "listening");
  await admin("POST /settings", { retry_scale: 0.001 });
  await admin("POST /apps", { id: APP, secret: SECRET });
  await admin(`POST /apps/${APP}/subscriptions`, { callback_url: oursUrl(), verify_token: "dashboard" });
});
afterAll(async () => {
  ours.close();
  ours.closeAllConnections();
  await sandbox.close();
});

const oursUrl = (): string => `http://127.0.0.1:${(ours.address() as AddressInfo).port}/in/instagram`;
const settings = () => {
  const url = `${sandbox.url}/instagram`;
  return settingsFor(url, {
    graphUrl: `${url}/graph.instagram.com`,
    dialogUrl: `${url}/www.instagram.com`,
    codeUrl: `${url}/api.instagram.com`,
    appId: APP,
    appSecret: SECRET,
    verifyToken: "dashboard",
  });
};

type Json = Record<string, unknown>;
async function admin<T = Json>(route: string, body?: object): Promise<T> {
  const [method = "", path = ""] = route.split(" ");
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const answer = await fetch(`${sandbox.url}/admin/instagram${path}`, init);
  const json: unknown = await answer.json();
  if (!answer.ok) throw new Error(`${route}: ${JSON.stringify(json)}`);
  return json as T;
}

let last = 0;

/** Creates an account with a post, an open channel, and a person who has done nothing yet. */
async function openWorld(kind: "instagram" | "page" = "instagram") {
  const number = ++last;
  const account = await admin<{ id: string; page_id: string }>("POST /accounts", {
    username: `shop${number}`,
  });
  await admin(`POST /accounts/${account.id}/media`, { caption: "New!" });
  const user = `47${number}`;
  await admin("POST /users", { id: user, username: `ann${number}`, name: "Ann" });
  const { token } = await admin<{ token: string }>("POST /tokens", {
    kind: kind === "page" ? "user" : "instagram",
    app_id: APP,
    account_ids: [account.id],
  });
  const given = createTestLink({ credentials: {}, settings: settings() });
  const credentials =
    kind === "page" ? { user_token: token, page_id: account.page_id } : { user_token: token };
  const found = await verify({ ...given, credentials }, never);
  expect(found.profile).toMatchObject({ messengerId: account.id, username: `shop${number}` });
  const link = createTestLink<InstagramCredentials, ReturnType<typeof settings>>({
    credentials: found.credentials,
    settings: settings(),
    callbackUrl: oursUrl(),
  });
  links.push(link);
  const session = await openSession(link, FAST);
  onTestFinished(async () => {
    await session.close();
    links.splice(links.indexOf(link), 1);
    await link.dispose();
  });
  await link.waitFor((event) => event.kind === "link" && event.state.status === "active");
  const person = (action: string, body: object = {}) =>
    admin(`POST /accounts/${account.id}/users/${user}/${action}`, body);
  const to = { chatType: "instagram", chatId: `ann${number}` } as const;
  return { account: account.id, user, link, session, person, to };
}

async function message(
  link: InstagramTestLink,
  fits: (each: InboundMessage) => boolean,
): Promise<InboundMessage> {
  const event = await link.waitFor((each) => each.kind === "message" && fits(each.message));
  if (event.kind !== "message") throw new Error("no message");
  return event.message;
}
const says = (text: string) => (each: InboundMessage) => each.body.type === "text" && each.body.text === text;

describe("instagram against the emulated Instagram", () => {
  it.each(["instagram", "page"] as const)("sends and receives with the %s login", async (kind) => {
    const { link, session, person, to, account, user } = await openWorld(kind);
    await person("messages", { text: "Hi" });
    expect(await message(link, says("Hi"))).toMatchObject({
      ...to,
      direction: "in",
      contact: { name: "Ann" },
    });
    await person("messages", { kind: "ig_story" });
    await message(link, (each) => each.body.type === "media" && each.body.media === "image");
    // Instagram announces each message by an edit without words.
    expect(link.events.filter((event) => event.kind === "edited")).toEqual([]);
    const sent = await session.send(textMessage({ to }), never);
    const url = `${oursUrl()}/photo.jpg`;
    await session.send(fileMessage({ url }, { to }), never);
    await person("reads", { message_id: sent.externalId });
    await link.waitFor((event) => event.kind === "readUpTo");
    await admin(`POST /accounts/${account}/echoes`, { user_id: user, text: "By hand" });
    await message(link, says("By hand"));
    const echoes = link.events.filter(
      (event) => event.kind === "message" && event.message.direction === "echo",
    );
    expect(echoes).toHaveLength(1);
    await person("messages", { kind: "image" });
    const { body } = await message(link, (each) => each.body.type === "media");
    if (body.type !== "media") throw new Error("no file came");
    expect((await buffer((await session.openFile(body.file, never)).stream)).length).toBeGreaterThan(0);
  });

  it("reacts, with the one reaction that Instagram accepts, and removes it", async () => {
    const { link, session, person, to, account, user } = await openWorld();
    await person("messages", { text: "Hi" });
    const { externalId } = await message(link, says("Hi"));
    const react = (emoji: string | null, id = externalId) => {
      const target = { ...to, externalId: id, isOwn: false, changeId: String(emoji) };
      return session.react(target, emoji, never);
    };
    const stored = async () =>
      (await admin<{ items: Json[] }>(`GET /accounts/${account}/users/${user}/messages`)).items[0];
    await react("❤️");
    await react("❤️");
    await person("reactions", { emoji: "🔥", message_id: externalId });
    expect(await stored()).toMatchObject({ reaction: "other", own_reaction: "love" });
    await expect(react("🔥")).rejects.toMatchObject({ code: "GENERAL_ERROR", retry: "never" });
    await expect(react("❤️", "postback:1")).rejects.toMatchObject({ code: "GENERAL_ERROR" });
    await react(null);
    expect(await stored()).toMatchObject({ reaction: "other", own_reaction: null });
    const reactions = link.events.filter((event) => event.kind === "reaction");
    expect(reactions).toMatchObject([{ emoji: "🔥", ref: { externalId }, by: { name: "Ann" } }]);
  });

  it("sends nothing while a send cannot be recorded, and can be retried", async () => {
    const { link, session, person, to, account } = await openWorld();
    await person("messages", { text: "Hi" });
    await message(link, says("Hi"));
    const { set } = link.state;
    Object.assign(link.state, { set: () => Promise.reject(new Error("the database is away")) });
    const sending = session.send(textMessage({ to }), never);
    await expect(sending).rejects.toMatchObject({ name: "TransportError", retry: "later" });
    Object.assign(link.state, { set });
    const { items } = await admin<{ items: unknown[] }>(`GET /accounts/${account}/sent`);
    expect(items).toEqual([]);
  });

  it("keeps a person's identity after a rename", async () => {
    const { link, session, person, to, user } = await openWorld();
    await person("messages", { text: "before" });
    await message(link, says("before"));
    await admin("POST /users", { id: user, username: `new${user}` });
    // A comment carries the username; a profile is fetched again only after some hours.
    await person("comments", { text: "renamed" });
    expect(await message(link, says("renamed"))).toMatchObject({ chatId: `new${user}` });
    expect(link.events).toContainEqual({ kind: "moved", ...to, newChatId: `new${user}` });
    for (const chatId of [to.chatId, `new${user}`])
      await session.send(textMessage({ to: { chatType: "instagram", chatId } }), never);
  });

  it("tells the next owner of a username from the former one", async () => {
    const { link, session, person, to, account, user } = await openWorld();
    await person("messages", { text: "from Ann" });
    await message(link, says("from Ann"));
    await admin("POST /users", { id: user, username: `new${user}` });
    const bob = `${user}9`;
    await admin("POST /users", { id: bob, username: to.chatId, name: "Bob" });
    await admin(`POST /accounts/${account}/users/${bob}/messages`, { text: "from Bob" });
    expect(await message(link, says("from Bob"))).toMatchObject({ ...to, contact: { name: "Bob" } });
    const { users } = await admin<{ users: { user_id: string; igsid: string }[] }>(
      `GET /accounts/${account}`,
    );
    const igsid = users.find(({ user_id }) => user_id === user)?.igsid ?? "";
    expect(link.events.at(-2)).toEqual({ kind: "moved", ...to, newChatId: igsid });

    for (const chatId of [to.chatId, igsid])
      await session.send(textMessage({ id: chatId, to: { ...to, chatId } }), never);
    const { items } = await admin<{ items: { user: string }[] }>(`GET /accounts/${account}/sent`);
    expect(items.map((sent) => sent.user)).toEqual([bob, user]);
    await person("messages", { text: "Ann again" });
    expect(await message(link, says("Ann again"))).toMatchObject({ chatId: `new${user}` });
    expect(link.events).toContainEqual({ kind: "moved", ...to, chatId: igsid, newChatId: `new${user}` });
  });

  it("answers comments publicly, and once privately", async () => {
    const { link, session, person, to } = await openWorld();
    await person("comments", { text: "price?" });
    const comment = await message(link, says("price?"));
    expect(comment.post).toMatchObject({ description: "New!", comments: 1 });
    const quoted = { ...to, externalId: comment.externalId, postId: comment.post?.id ?? "" };
    const { quietMs: _, ...fresh } = textMessage({ to });
    expect(await session.send({ ...fresh, quoted }, never)).toMatchObject(
      to.chatId ? { chatId: to.chatId } : {},
    );
    await session.send(fresh, never);
    const code = (error: unknown) => (error as { code?: string }).code;
    expect(await session.send(fresh, never).catch(code)).toBe("COMMENT_ALREADY_PRIVATE_REPLIED");
    await admin(`POST /comments/${comment.externalId}/deletions`, {});
    expect(await session.send({ ...fresh, quoted }, never).catch(code)).toBe("COMMENT_DELETED");
    const stranger = { chatType: "instagram", chatId: "nobody" } as const;
    expect(await session.send({ ...fresh, to: stranger }, never).catch(code)).toBe("CHATID_IGSID_MISMATCH");
  });

  it("signs in with a code, renews the token, and reports a dead token", async () => {
    const { link, account, session, to } = await openWorld();
    const query = new URLSearchParams({
      client_id: APP,
      redirect_uri: "https://gate.example/connect/instagram",
      response_type: "code",
      scope: SCOPES.join(","),
      state: "s",
    });
    await fetch(`${settings().dialogUrl}/oauth/authorize?${query}`);
    const { items } = await admin<{ items: { id: string }[] }>("GET /authorizations");
    const { redirect_url } = await admin<{ redirect_url: string }>(
      `POST /authorizations/${items.at(-1)?.id}/completions`,
      { account_id: account },
    );
    const code = new URL(redirect_url).searchParams.get("code") ?? "";
    const user_token = await exchangeCode(link, {
      code,
      returnUrl: "https://gate.example/connect/instagram",
    });
    const { credentials } = await verify({ ...link, credentials: { user_token } }, never);
    expect(Date.parse(credentials.expires_at ?? "") - Date.now()).toBeGreaterThan(59 * DAY_S * 1000);
    await session.close();
    await link.renewCredentials({ ...credentials, expires_at: new Date().toISOString() });
    await admin("POST /time", { advance_seconds: 2 * DAY_S });
    const renewing = await openSession(link, FAST);
    onTestFinished(() => renewing.close());
    await link.waitForLog((line) => line.message === "Instagram: the token was renewed");
    expect(link.credentials.access_token).not.toBe(credentials.access_token);
    await admin("POST /tokens/expirations", { token: link.credentials.access_token });
    await expect(
      renewing.send(textMessage({ to: { ...to, chatId: "1000000000000999" } }), never),
    ).rejects.toThrow();
    await link.waitFor((event) => event.kind === "link" && event.state.status === "disabled");
  });
});
