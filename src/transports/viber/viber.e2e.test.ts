import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startSandbox } from "../../../sandbox/server.ts";
import { createTestAppLink, type TestAppLink } from "../../core/transport/conformance.ts";
import type { InboundReply, InboundRequest } from "../../core/transport/connector.ts";
import type { InboundMessage } from "../../core/transport/events.ts";
import { invite, type ViberLink, verify } from "./account.ts";
import { receive } from "./callback.ts";
import { openSession } from "./session.ts";
import { receiveForApp } from "./shared-bot.ts";
import { FAST, linkTo, outboundFile, SHARED_TOKEN, textMessage, type ViberTestLink } from "./testing.ts";

/** Tests the connector against the Viber emulator. The two were written independently of each other. */

const never = new AbortController().signal;
let sandbox: Awaited<ReturnType<typeof startSandbox>>;
beforeAll(async () => {
  sandbox = await startSandbox({});
  await admin("/settings", { retry_scale: 0.001 });
  await admin("/users", { id: "ann", name: "Ann" });
  await admin("/users", { id: "bob", name: "Bob" });
});
afterAll(() => sandbox.close());

type Json = Record<string, unknown>;

async function admin<T = Json>(path: string, body?: object): Promise<T> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(`${sandbox.url}/admin/viber${path}`, init);
  const json: unknown = await answer.json();
  if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(json)}`);
  return json as T;
}

/** Serves the callbacks of a bot, and pictures under `/files/`. */
async function serve(take: (request: InboundRequest) => Promise<InboundReply>): Promise<string> {
  const server = createServer(async (request, response) => {
    if (request.url?.startsWith("/files/")) {
      response.writeHead(200, { "content-type": "image/png" }).end(PNG);
      return;
    }
    const { method = "", headers } = request;
    const body = await buffer(request);
    const reply = await take({ method, path: "", query: new URLSearchParams(), headers, body });
    response.writeHead(reply.status).end(reply.body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const apiUrl = (): string => `${sandbox.url}/viber/pa`;

/** Creates a bot with an open channel, and Ann, who has written to it. */
async function openWorld() {
  const { id, token } = await admin<{ id: string; token: string }>("/bots", { name: "Shop" });
  let link: ViberTestLink | undefined;
  const url = await serve(async (request) => (link ? receive(request, link) : { status: 503 }));
  const given = {
    credentials: { viber_token: token, welcome: "Good day" },
    settings: { apiUrl: apiUrl(), botToken: "" },
  };
  const { request } = linkTo(apiUrl());
  const verified = await verify({ ...given, request }, never);
  expect(verified.profile).toMatchObject({ messengerId: id, name: "Shop" });
  link = linkTo(apiUrl(), { credentials: verified.credentials ?? {}, callbackUrl: `${url}/in` });
  const opened = link;
  const session = await openSession(link, FAST);
  onTestFinished(() => session.close());
  await link.waitFor((event) => event.kind === "link" && event.state.status === "active");
  const ann = <T = Json>(action: string, body: object = {}) =>
    admin<T>(`/bots/${id}/users/ann/${action}`, body);
  await ann("messages", { text: "Hello" });
  const { chatId } = await message(opened, ({ body }) => body.type === "text" && body.text === "Hello");
  return { id, token, url, link: opened, session, ann, to: { chatType: "viber", chatId } as const };
}

function message(link: ViberTestLink, fits: (message: InboundMessage) => boolean): Promise<InboundMessage> {
  return link
    .waitFor((event) => event.kind === "message" && fits(event.message))
    .then((event) => (event as { message: InboundMessage }).message);
}

describe("viber against the emulated Viber", () => {
  it("preserves all digits of message tokens, receives delivery and read receipts, and welcomes people", async () => {
    const { id, link, session, ann, to } = await openWorld();
    const sent = await session.send(textMessage({ to }), never);
    expect(BigInt(sent.externalId)).toBeGreaterThan(2n ** 53n);
    await link.waitFor((event) => event.kind === "receipt" && event.ref.externalId === sent.externalId);
    await ann("reads");
    const read = await link.waitFor((event) => event.kind === "readUpTo");
    expect(read).toMatchObject({ chatId: to.chatId, upTo: { externalId: sent.externalId } });
    await ann("opens", { context: "promo7" });
    await message(link, ({ body }) => body.type === "text" && body.text === "/start promo7");
    const welcome = await admin<{ items: Json[] }>(`/bots/${id}/sent?method=welcome&count=1`);
    expect(welcome.items).toMatchObject([{ message: { type: "text", text: "Good day" } }]);
  });

  it("sends a picture by URL, and opens inbound files", async () => {
    const { id, url, link, session, ann, to } = await openWorld();
    const picture = { kind: "image", mimeType: "image/png", urlMimeType: "image/png" } as const;
    const file = outboundFile({ ...picture, url: `${url}/files/a.png`, name: "a.png", size: PNG.length });
    const sent = await session.send(textMessage({ to, content: { type: "file", file } }), never);
    await link.waitFor((event) => event.kind === "receipt" && event.ref.externalId === sent.externalId);
    const { items } = await admin<{ items: Json[] }>(`/bots/${id}/sent`);
    expect(items.at(-1)).toMatchObject({ message: { type: "picture", media: file.url } });
    const bytes = Buffer.from("what a person sends");
    await ann("messages", { kind: "file", file: { base64: bytes.toString("base64"), name: "a.bin" } });
    const { body } = await message(link, (each) => each.body.type === "media");
    if (body.type !== "media") throw new Error("no file came");
    expect(await buffer((await session.openFile(body.file, never)).stream)).toEqual(bytes);
    const offered = `${url}/files/offered.png`;
    const hidden = { ...file, url: "http://10.0.0.1/a.png", urlIsPublic: false };
    const copied = { ...hidden, offer: async () => offered };
    await session.send(textMessage({ to, content: { type: "file", file: copied } }), never);
    const { items: after } = await admin<{ items: Json[] }>(`/bots/${id}/sent`);
    expect(after.at(-1)).toMatchObject({ message: { type: "picture", media: offered } });
    await expect(
      session.send(textMessage({ to, content: { type: "file", file: hidden } }), never),
    ).rejects.toMatchObject({ code: "BAD_LINK" });
    const inside = session.openFile({ token: `${url}/files/secret` }, never);
    await expect(inside).rejects.toThrow("does not have the file");
  });

  it("accepts only signed calls, and restores its webhook", async () => {
    const { id, token, url, link, session, ann } = await openWorld();
    const { items } = await admin<{ items: { seq: number }[] }>(`/callbacks?owner=${id}&event=message`);
    const seq = items.at(-1)?.seq;
    expect(await admin(`/callbacks/${seq}/repeats`, { times: 2 })).toMatchObject({ statuses: [200, 200] });
    expect(await admin(`/callbacks/${seq}/forgeries`, {})).toMatchObject({ status: 401 });
    await fetch(`${apiUrl()}/set_webhook`, {
      method: "POST",
      headers: { "x-viber-auth-token": token },
      body: JSON.stringify({ url: "" }),
    });
    await link.waitForLog((line) => line.message.includes("replaced the webhook"));
    await expect.poll(() => admin(`/bots/${id}`)).toMatchObject({ webhook: `${url}/in` });
    await ann("unsubscriptions");
    await link.waitForLog((line) => line.message.includes("unsubscribed from the bot"));
    await session.close();
    await session.logout();
    expect((await admin(`/bots/${id}`))["webhook"] || null).toBeNull();
  });

  it("reports a revoked token once, and describes its refusals", async () => {
    const { id, link, session, to } = await openWorld();
    await admin(`/bots/${id}/revocations`, {});
    await expect(session.send(textMessage({ to }), never)).rejects.toMatchObject({
      code: "CHANNEL_REJECTED",
    });
    const told = await link.waitFor((event) => event.kind === "link" && event.state.status === "disabled");
    expect(told).toMatchObject({ state: { reason: "unauthorized" } });
  });

  it("links a channel to the shared bot by its code, and separates its customers from others", async () => {
    const { id } = await admin<{ id: string }>("/bots", { token: SHARED_TOKEN, name: "All" });
    let app: TestAppLink<ViberLink> | undefined;
    const url = await serve(async (request) => (app ? receiveForApp(request, app) : { status: 503 }));
    const link = linkTo(apiUrl(), { credentials: {}, botToken: SHARED_TOKEN, callbackUrl: `${url}/in` });
    const channel = { messengerId: "", businessId: null, phone: "", link };
    app = createTestAppLink<ViberLink>({
      settings: link.settings,
      request: link.request,
      channels: [channel],
    });
    const waiting = await openSession(link, FAST);
    await link.waitFor((event) => event.kind === "link" && event.state.status === "init");
    await waiting.close();

    const claim = await invite(link, link.codes.claim, never);
    await admin(`/bots/${id}/users/bob/scans`, { url: claim.url });
    await admin(`/bots/${id}/sent?method=welcome&user=bob&count=1`);
    const stored = app.claimed.get(link.codes.claim) as ViberLink["credentials"];
    expect(stored).toMatchObject({ name: "Bob", owner: expect.any(String) });
    await link.renewCredentials(stored);

    const session = await openSession(link, FAST);
    onTestFinished(() => session.close());
    const active = await link.waitFor((event) => event.kind === "link" && event.state.status === "active");
    const { state } = active as { state: { profile: { messengerId: string; url: string } } };
    expect(state.profile.messengerId).toBe(`${id}/${stored.owner}`);
    await admin(`/bots/${id}/users/ann/messages`, { text: "to nobody" });
    await admin(`/bots/${id}/users/ann/scans`, { url: state.profile.url });
    await admin(`/bots/${id}/sent?method=welcome&user=ann&count=1`);
    await admin(`/bots/${id}/users/ann/messages`, { text: "to Bob" });
    const received = await message(link, ({ body }) => body.type === "text");
    expect(received).toMatchObject({ body: { text: "to Bob" }, contact: { name: "Ann" } });
    await session.send(textMessage({ to: { chatType: "viber", chatId: received.chatId } }), never);
    const { items } = await admin<{ items: Json[] }>(`/bots/${id}/sent?method=send_message&count=1`);
    expect(items).toMatchObject([{ user: "ann", message: { text: "hello" } }]);
    await expect(session.send(textMessage(), never)).rejects.toThrow("not used the channel's invitation");
  });

  it("requires a token without a shared bot, and rejects the shared bot's token", async () => {
    const link = linkTo(apiUrl());
    await expect(invite(link, link.codes.claim, never)).rejects.toThrow("viber_token is required");
    const settings = { apiUrl: apiUrl(), botToken: SHARED_TOKEN };
    const own = { credentials: { viber_token: SHARED_TOKEN }, settings, request: link.request };
    await expect(verify(own, never)).rejects.toThrow("shared by the installation");
  });
});
