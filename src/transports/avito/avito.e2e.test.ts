import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startSandbox } from "../../../sandbox/server.ts";
import { pngFile } from "../../../sandbox/test-kit.ts";
import { createTestLink, TEST_CALLBACK_SECRET } from "../../core/transport/conformance.ts";
import type { InboundMessage, TransportEvent } from "../../core/transport/events.ts";
import { receive } from "./inbound/callback.ts";
import { verify } from "./linking/account.ts";
import { openSession } from "./session.ts";
import { type AvitoTestLink, FAST, picture, settingsOf, textMessage } from "./testing.ts";

/** Tests the connector against the Avito emulator. The two were written independently of each other. */

const never = new AbortController().signal;
let sandbox: Awaited<ReturnType<typeof startSandbox>>;
let app: { readonly client_id: string; readonly client_secret: string };
beforeAll(async () => {
  sandbox = await startSandbox({});
  const { id } = await admin<{ id: number }>("/accounts", {});
  app = await admin("/apps", { owner_id: id });
});
afterAll(() => sandbox.close());

type Json = Record<string, unknown>;

async function admin<T = Json>(path: string, body?: object): Promise<T> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(`${sandbox.url}/admin/avito${path}`, init);
  const json: unknown = await answer.json();
  if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(json)}`);
  return json as T;
}

const access = (credentials: object) => {
  const settings = {
    ...settingsOf(`${sandbox.url}/avito`),
    clientId: app.client_id,
    clientSecret: app.client_secret,
  };
  return createTestLink({ credentials, settings });
};

interface World {
  readonly accountId: number;
  readonly chatId: string;
  readonly link: AvitoTestLink;
  readonly session: Awaited<ReturnType<typeof openSession>>;
  /** Makes the buyer act, e.g. `ann("messages", {…})`; `ann("echoes", {…})` is the seller writing on Avito. */
  readonly ann: <T = Json>(action: string, body?: object) => Promise<T>;
  readonly reopen: () => Promise<Awaited<ReturnType<typeof openSession>>>;
}

/** Creates an account with a listing and a chat with Ann, and an open channel linked with a one-time code. */
async function openWorld(
  callbackUrl: string | null = null,
  attach?: (link: AvitoTestLink) => void,
): Promise<World> {
  const { id: accountId } = await admin<{ id: number }>("/accounts", { name: "Shop" });
  const { id: itemId } = await admin<{ id: number }>("/items", { account_id: accountId, title: "Mazda 3" });
  const { id: userId } = await admin<{ id: number }>("/users", { name: "Ann" });
  const { id: chatId } = await admin<{ id: string }>("/chats", {
    account_id: accountId,
    user_id: userId,
    item_id: itemId,
  });
  const { code } = await admin<{ code: string }>("/codes", {
    account_id: accountId,
    client_id: app.client_id,
  });
  const given = access({ code });
  const { credentials, profile } = await verify(given, never);
  expect(profile).toMatchObject({ messengerId: String(accountId), name: "Shop" });
  await expect(verify(given, never)).rejects.toThrow("it can be used once");
  if (credentials === undefined) throw new Error("nothing to store");
  const link = createTestLink({ credentials, settings: given.settings, callbackUrl });
  attach?.(link);
  const open = async () => {
    const session = await openSession(link, FAST);
    onTestFinished(() => session.close());
    return session;
  };
  const session = await open();
  await link.waitFor((event) => event.kind === "link" && event.state.status === "active");
  const ann = <T>(action: string, body: object = {}) => admin<T>(`/chats/${chatId}/${action}`, body);
  return { accountId, chatId, link, session, ann, reopen: open };
}

async function message(
  link: AvitoTestLink,
  fits: (message: InboundMessage) => boolean,
): Promise<InboundMessage> {
  const event = await link.waitFor((each) => each.kind === "message" && fits(each.message));
  return (event as Extract<TransportEvent, { kind: "message" }>).message;
}

const says =
  (text: string) =>
  ({ body }: InboundMessage): boolean =>
    body.type === "text" && body.text === text;

const to = ({ chatId }: World) => ({ chatType: "avito", chatId }) as const;

describe("avito against the emulated Avito", () => {
  it("without webhooks: sends, receives with names and files, receives read receipts, deletes", async () => {
    const world = await openWorld();
    const { session, link, ann, chatId } = world;
    const sent = await session.send(textMessage({ to: to(world) }), never);
    expect(sent).toMatchObject({ chatId, externalId: expect.stringMatching(/^[0-9a-f]{32}$/) });
    const photo = picture(Buffer.from(await pngFile(8, 8).arrayBuffer()));
    await session.send(
      textMessage({ id: "photo", to: to(world), content: { type: "file", file: photo } }),
      never,
    );
    await ann("messages", { text: "Hello" });
    expect(await message(link, says("Hello"))).toMatchObject({
      chatId,
      direction: "in",
      advert: { id: expect.stringMatching(/^\d+$/), title: "Mazda 3", price: "300 000 ₽" },
      contact: {
        name: "Ann",
        profileId: expect.stringMatching(/^\d+$/),
        avatar: { token: expect.stringMatching(/^url:http:.+256x256/) },
      },
    });
    await ann("echoes", { text: "From the app" });
    expect(await message(link, says("From the app"))).toMatchObject({ direction: "echo" });
    const bytes = Buffer.from("what a buyer says");
    await ann("messages", { kind: "voice", file: { base64: bytes.toString("base64") } });
    const { body } = await message(link, (each) => each.body.type === "media");
    if (body.type !== "media") throw new Error("no file came");
    const { stream, mimeType } = await session.openFile(body.file, never);
    expect([await buffer(stream), mimeType]).toEqual([bytes, "audio/mp4"]);
    await ann("reads");
    await link.waitFor((event) => event.kind === "receipt" && event.ref.messageId === "photo");
    await session.remove({ chatType: "avito", chatId, externalId: sent.externalId }, never);
    await session.remove({ chatType: "avito", chatId, externalId: "00".repeat(16) }, never);
    const own = link.events.filter((each) => each.kind === "message" && says("hello")(each.message));
    expect(own).toEqual([]);
  });

  it("emits every message that the owner writes elsewhere during a send", async () => {
    const world = await openWorld();
    await admin("/faults", { method: "POST", call: "messages", hang_ms: 400 });
    const sending = world.session.send(textMessage({ to: to(world) }), never);
    await world.ann("echoes", { text: "First" });
    // Avito's timestamps are in seconds.
    await admin("/time", { advance_seconds: 5 });
    await world.ann("echoes", { text: "Second" });
    await sending;
    await message(world.link, says("Second"));
    expect(await message(world.link, says("First"))).toMatchObject({ direction: "echo" });
  });

  it("holds an earlier session's recent send and what follows it, then reports both once and in order", async () => {
    const world = await openWorld();
    const { link, session, ann } = world;
    const began = performance.now();
    await session.send(textMessage({ to: to(world) }), never);
    await session.close();
    await world.reopen();
    await ann("messages", { text: "Thanks" });
    // By now its outcome is stored, and the echo changes nothing; or nobody knows of it any more.
    expect(await message(link, says("hello"))).toMatchObject({ direction: "echo" });
    // Timers may fire a little early.
    expect(performance.now() - began).toBeGreaterThan(FAST.holdMs - 20);
    await message(link, says("Thanks"));
    const texts = link.events.flatMap((each) =>
      each.kind === "message" ? ["hello", "Thanks"].filter((text) => says(text)(each.message)) : [],
    );
    expect(texts).toEqual(["hello", "Thanks"]);
  });

  it("sends nothing while a send cannot be recorded, and can be retried", async () => {
    const world = await openWorld();
    const { link, session } = world;
    const { set } = link.state;
    Object.assign(link.state, { set: () => Promise.reject(new Error("the database is away")) });
    const sending = session.send(textMessage({ to: to(world) }), never);
    await expect(sending).rejects.toMatchObject({ name: "TransportError", retry: "later" });
    Object.assign(link.state, { set });
    const { items } = await admin<{ items: unknown[] }>(`/accounts/${world.accountId}/sent`);
    expect(items).toEqual([]);
  });

  it("emits messages that arrived while it was closed, once", async () => {
    const world = await openWorld();
    await world.session.close();
    await world.ann("messages", { text: "Anybody there?" });
    await world.ann("messages", { text: "Hello?" });
    await world.reopen();
    await message(world.link, says("Hello?"));
    const told = world.link.events.filter(
      (each) => each.kind === "message" && says("Anybody there?")(each.message),
    );
    expect(told).toHaveLength(1);
  });

  it.each([403, 404])("a chat that is refused with %i does not block the others", async (status) => {
    const world = await openWorld();
    const { link, session, accountId, ann } = world;
    const emittedUpTo = async () => Number(await link.state.get("told"));
    const { id: userId } = await admin<{ id: number }>("/users", { name: "Eve" });
    const chat = { account_id: accountId, user_id: userId };
    const { id: refused } = await admin<{ id: string }>("/chats", chat);
    await session.close();
    const before = await emittedUpTo();
    await ann("messages", { text: "Older" });
    await admin("/time", { advance_seconds: 5 });
    await admin(`/chats/${refused}/messages`, { text: "Newer" });
    await admin("/faults", { call: "messages", chat_id: refused, error_code: status, times: 1_000 });
    link.events.length = 0;
    await world.reopen();
    await link.waitFor((event) => event.kind === "link" && event.state.status === "active");
    const texts = link.events.flatMap((each) =>
      each.kind === "message" && each.message.isSystem !== true && each.message.body.type === "text"
        ? [each.message.body.text]
        : [],
    );
    expect(texts).toEqual(["Older"]);
    expect(await emittedUpTo()).toBeGreaterThan(before);
    expect(link.logs).toContainEqual(expect.objectContaining({ message: "Avito: a chat was refused" }));
  });

  it("renews a rejected access token, and stores the new refresh token before the next renewal", async () => {
    const world = await openWorld();
    const { link, session } = world;
    const first = link.credentials;
    let failures = 2;
    const store = link.renewCredentials.bind(link);
    Object.assign(link, {
      renewCredentials: async (next: typeof first) => {
        if (failures-- > 0) throw new Error("the database is away");
        await store(next);
        stored(next);
      },
    });
    const kept: (typeof first)[] = [];
    const stored = (next: typeof first): void => void kept.push(next);
    for (const form of ["401", "403"]) {
      await admin("/settings", { expired_tokens: form });
      const before = kept.length;
      await admin("/tokens/expirations", {});
      await session.send(textMessage({ to: to(world) }), never);
      await expect.poll(() => kept.length).toBe(before + 1);
    }
    expect(new Set([first, ...kept].map(({ refresh_token }) => refresh_token)).size).toBe(3);
    expect(link.credentials).toEqual(kept.at(-1));
  });

  it("receives webhooks, also for the owner's messages, at a URL that cannot be guessed", async () => {
    let attached: AvitoTestLink | undefined;
    const server = createServer(async (request, response) => {
      const { pathname } = new URL(request.url ?? "", "http://x");
      const reply = attached
        ? await receive(
            {
              method: request.method ?? "",
              path: pathname.replace(/^\/in/, ""),
              query: new URLSearchParams(),
              headers: request.headers,
              body: await buffer(request),
            },
            attached,
          )
        : { status: 503 };
      response.writeHead(reply.status).end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`;
    const world = await openWorld(url, (link) => {
      attached = link;
    });
    const { link, ann, accountId, session } = world;
    const webhooks = async () => (await admin<{ webhooks: string[] }>(`/accounts/${accountId}`)).webhooks;
    expect(await webhooks()).toEqual([`${url}/${TEST_CALLBACK_SECRET}`]);
    await ann("messages", { text: "pushed" });
    await message(link, says("pushed"));
    const { items } = await admin<{ items: { seq: number; status: number }[] }>(
      `/callbacks?owner=${accountId}`,
    );
    const seq = items.at(-1)?.seq;
    expect(await admin(`/callbacks/${seq}/repeats`, { times: 2 })).toMatchObject({ statuses: [200, 200] });
    expect((await fetch(`${url}/guessed`, { method: "POST", body: "{}" })).status).toBe(404);
    await ann("echoes", { text: "On the phone" });
    expect(await message(link, says("On the phone"))).toMatchObject({ direction: "echo" });
    await session.logout();
    expect(await webhooks()).toEqual([]);
  });

  it("reports revoked access once", async () => {
    const world = await openWorld();
    await admin("/tokens/revocations", { account_id: world.accountId });
    await expect(world.session.send(textMessage({ to: to(world) }), never)).rejects.toMatchObject({
      code: "CHANNEL_REJECTED",
    });
    await world.link.waitFor((event) => event.kind === "link" && event.state.status === "disabled");
    const disabled = world.link.events.filter(
      (each) => each.kind === "link" && each.state.status === "disabled",
    );
    expect(disabled).toHaveLength(1);
  });

  it("verifies an application's own account, and names what is wrong with credentials", async () => {
    const { credentials } = await verify(access(app), never);
    expect(credentials).toMatchObject({ ...app, access_token: expect.any(String) });
    expect(credentials).not.toHaveProperty("refresh_token");
    await expect(verify(access({}), never)).rejects.toThrow("Provide an authorization code");
    const wrong = { ...app, client_secret: "something-else" };
    await expect(verify(access(wrong), never)).rejects.toThrow("the application's client id and secret");
    await admin("/settings", { token_errors_as_200: true });
    onTestFinished(async () => void (await admin("/settings", { token_errors_as_200: false })));
    await expect(verify(access({ code: "never-given" }), never)).rejects.toThrow("authorization code");
  });
});
