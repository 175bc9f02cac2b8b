import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startSandbox } from "../../../sandbox/server.ts";
import { createTestLink } from "../../core/transport/conformance.ts";
import type { OutboundMessage, SignInVisit } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { InboundMessage, LinkState, TransportEvent } from "../../core/transport/events.ts";
import type { Keyboard } from "../../core/transport/keyboard.ts";
import type { Template } from "../../core/transport/template.ts";
import { receiveForApp } from "./inbound/callback.ts";
import { graphWith, type WapiCredentials } from "./linking/access.ts";
import { verify } from "./linking/account.ts";
import { followHistory } from "./linking/history.ts";
import { signIn } from "./linking/sign-in.ts";
import { templateMethods } from "./outbound/templates.ts";
import { openSession } from "./session.ts";
import { appOf, fileMessage, settingsFor, textMessage, type WapiTestLink } from "./testing.ts";

/** Tests the connector against the emulator of the platform. The two were written independently of each other. */

const never = new AbortController().signal;
const SECRET = "secretOfTheAppInThisTest";
let sandbox: Awaited<ReturnType<typeof startSandbox>>;
/** The server that Meta calls; every link of this file is one of its channels. */
let ours: Server;
let oursUrl: string;
let files: Server;
let filesUrl: string;
const links: WapiTestLink[] = [];

beforeAll(async () => {
  sandbox = await startSandbox({});
  ours = createServer(async (request, response) => {
    const url = new URL(request.url ?? "", "http://x");
    const { method = "", headers } = request;
    const call = { method, path: "", query: url.searchParams, headers, body: await buffer(request) };
    const answer = await receiveForApp(call, app()).catch(() => ({ status: 503 }));
    response.writeHead(answer.status).end("body" in answer ? answer.body : "");
  }).listen(0, "127.0.0.1");
  files = createServer((request, response) => serveFile(request, response)).listen(0, "127.0.0.1");
  await Promise.all([once(ours, "listening"), once(files, "listening")]);
  oursUrl = `http://127.0.0.1:${(ours.address() as AddressInfo).port}/in/wapi`;
  filesUrl = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
  await admin("POST /settings", { retry_scale: 0.001 });
});
afterAll(async () => {
  for (const server of [ours, files]) {
    server.close();
    server.closeAllConnections();
  }
  await sandbox.close();
});

function serveFile(request: IncomingMessage, response: import("node:http").ServerResponse): void {
  const types: Record<string, string> = {
    jpg: "image/jpeg",
    mp4: "video/mp4",
    mp3: "audio/mpeg",
    pdf: "application/pdf",
  };
  const ending = request.url?.split(".").at(-1) ?? "";
  if (request.url?.startsWith("/gone")) response.writeHead(404).end();
  else response.writeHead(200, { "content-type": types[ending] ?? "text/html" }).end(`bytes of ${ending}`);
}

const phones = new Map<string, string>();
const app = (): ReturnType<typeof appOf> => {
  const all = appOf(...links);
  return {
    ...all,
    settings: settingsFor(`${sandbox.url}/wapi`, { appSecret: SECRET, verifyToken: "dashboard" }),
    find: async (ids) =>
      (await all.find(ids)).map((each) => ({ ...each, phone: phones.get(each.messengerId) ?? "" })),
  };
};

type Json = Record<string, unknown>;
async function admin<T = Json>(route: string, body?: object): Promise<T> {
  const [method = "", path = ""] = route.split(" ");
  const answer = await fetch(`${sandbox.url}/admin/wapi${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json: unknown = await answer.json();
  if (!answer.ok) throw new Error(`${route}: ${JSON.stringify(json)}`);
  return json as T;
}

interface World {
  readonly credentials: WapiCredentials;
  readonly phone: string;
  readonly user: string;
  readonly link: WapiTestLink;
  readonly session: Awaited<ReturnType<typeof openSession>>;
  /** Makes the person act. */
  person(action: string, body?: object): Promise<Json>;
}

let people = 16_505_550_000;
let appId = "";

/** Creates a business with a number and a token of the shared app, whose webhook URL is ours. */
async function newNumber(): Promise<{ credentials: WapiCredentials; phone: string }> {
  if (appId === "") {
    const made = await admin<{ id: string }>("POST /apps", { secret: SECRET, name: "Gate" });
    appId = made.id;
    const callback = { callback_url: oursUrl, verify_token: "dashboard" };
    await admin(`POST /apps/${appId}/subscriptions`, callback);
  }
  const { id: waba } = await admin<{ id: string }>("POST /wabas", { name: "Shop" });
  const number = await admin<{ id: string; phone: string }>("POST /numbers", {
    waba_id: waba,
    on_biz_app: true,
  });
  phones.set(number.id, number.phone);
  const { token } = await admin<{ token: string }>("POST /tokens", { app_id: appId, waba_ids: [waba] });
  return {
    credentials: { phone_number_id: number.id, waba_id: waba, access_token: token },
    phone: number.phone,
  };
}

function linkTo(credentials: WapiCredentials): WapiTestLink {
  const settings = settingsFor(`${sandbox.url}/wapi`, { appSecret: SECRET });
  const link = createTestLink({ credentials, settings, callbackUrl: oursUrl });
  links.push(link);
  return link;
}

/** Creates a number with an open session, and Ann, who has written to it. */
async function openWorld(options: { writes?: boolean } = {}): Promise<World> {
  const { credentials, phone } = await newNumber();
  const link = linkTo(credentials);
  const session = await openSession(link, {
    firstPauseMs: 20,
    maxPauseMs: 50,
    checkMs: 600_000,
    accessMs: 600_000,
  });
  onTestFinished(async () => {
    await session.close();
    links.splice(links.indexOf(link), 1);
    expect(JSON.stringify([link.events, link.logs])).not.toContain(credentials.access_token);
    await link.dispose();
  });
  await link.waitFor(({ kind }) => kind === "templates");
  const user = String(++people);
  await admin("POST /users", { id: user, phone: user, name: "Ann" });
  const person = (action: string, body: object = {}) =>
    admin(`POST /numbers/${credentials.phone_number_id}/users/${user}/${action}`, body);
  const world = { credentials, phone, user, link, session, person };
  if (options.writes !== false) {
    await person("messages", { text: "Hi" });
    await link.waitFor(isMessage);
  }
  return world;
}

const isMessage = (event: TransportEvent): boolean => event.kind === "message";
/** The nth message received, from 1. */
async function messageOf(
  link: WapiTestLink,
  matches: (message: InboundMessage) => boolean,
): Promise<InboundMessage> {
  const event = await link.waitFor((each) => each.kind === "message" && matches(each.message));
  if (event.kind !== "message") throw new Error("no message");
  return event.message;
}
const to = ({ user }: World, more: Partial<OutboundMessage> = {}): OutboundMessage => ({
  ...textMessage(more),
  to: { chatType: "whatsapp", chatId: user },
});
const receiptOf = (link: WapiTestLink, externalId: string, status: string) =>
  link.waitFor(
    (event) => event.kind === "receipt" && event.ref.externalId === externalId && event.status === status,
  );
const failureOf = async (link: WapiTestLink, externalId: string) => {
  const event = await link.waitFor((each) => each.kind === "failed" && each.ref.externalId === externalId);
  return event.kind === "failed" ? event.error : null;
};
const linkStates = (link: WapiTestLink): LinkState[] =>
  link.events.flatMap((event) => (event.kind === "link" ? [event.state] : []));
/** The messages that the person sees. */
async function seen(world: World): Promise<Json[]> {
  const path = `/numbers/${world.credentials.phone_number_id}/users/${world.user}/messages`;
  return (await admin<{ items: Json[] }>(`GET ${path}`)).items;
}
async function failure(work: Promise<unknown>): Promise<TransportError> {
  const error: unknown = await work.then(
    () => new Error("did not fail"),
    (reason: unknown) => reason,
  );
  if (error instanceof TransportError) return error;
  throw error;
}
const refusedCalls = async (): Promise<Json[]> =>
  (await admin<{ items: Json[] }>("GET /calls?unknown=true")).items;

describe("connecting", () => {
  it("returns the number's profile", async () => {
    const { credentials, phone } = await newNumber();
    expect(await verify(linkTo(credentials), never)).toMatchObject({
      messengerId: credentials.phone_number_id,
      businessId: credentials.waba_id,
      phone,
      url: `https://wa.me/${phone}`,
    });
  });

  it.each([
    ["another token", { access_token: "EAAunknownToken" }],
    ["a number of another business", { phone_number_id: "other" }],
    ["another business", { waba_id: "other" }],
  ])("rejects %s", async (_name, wrong) => {
    const [{ credentials }, other] = [await newNumber(), (await newNumber()).credentials];
    const changed = Object.fromEntries(
      Object.entries(wrong).map(([key, value]) => [
        key,
        value === "other" ? other[key as keyof typeof other] : value,
      ]),
    );
    const link = linkTo({ ...credentials, ...changed } as WapiCredentials);
    await expect(verify(link, never)).rejects.toThrow("rejected this token");
  });

  it("through Embedded Signup", async () => {
    const { credentials } = await newNumber();
    const settings = settingsFor(`${sandbox.url}/wapi`, { appSecret: SECRET, appId, configId: "1" });
    const link = createTestLink({ credentials: {} as WapiCredentials, settings });
    onTestFinished(() => link.dispose());
    const found: WapiCredentials[] = [];
    const visit: SignInVisit<WapiCredentials> = {
      returnUrl: "http://gate.example/connect/wapi",
      state: "the ticket",
      conceal: () => undefined,
      async connect(given) {
        found.push(given);
        return { profile: await verify({ ...link, credentials: given }, never) };
      },
    };
    const dialog = await signIn.start(visit, link);
    expect((await fetch(dialog)).status).toBe(200);
    const { items } = await admin<{ items: { id: string; state: string }[] }>("GET /signups");
    const signup = items.at(-1);
    expect(signup?.state).toBe("the ticket");
    const { redirect_url: back } = await admin<{ redirect_url: string }>(
      `POST /signups/${signup?.id}/completions`,
      {
        waba_ids: [credentials.waba_id],
      },
    );
    expect(back).toContain("http://gate.example/connect/wapi?");
    const returned = new URL(back).searchParams;
    const offer = await signIn.comeBack(visit, link, returned);
    expect([offer, found]).toMatchObject([
      { kind: "choice", items: [{ id: credentials.phone_number_id }] },
      [],
    ]);
    const chosen = credentials.phone_number_id;
    expect(await signIn.choose?.(visit, link, chosen)).toMatchObject({ kind: "connected" });
    const { phone_number_id, waba_id } = credentials;
    expect(found).toMatchObject([{ phone_number_id, waba_id }]);
    expect(await signIn.comeBack(visit, link, returned)).toMatchObject({ kind: "refused" });
  });

  it("registers the app's webhook URL, and reports number, tier and templates", async () => {
    const { link, credentials, phone } = await openWorld({ writes: false });
    expect(linkStates(link)).toMatchObject([{ status: "active", profile: { phone } }]);
    const { subscriptions } = await admin<{ subscriptions: Json[] }>(`GET /wabas/${credentials.waba_id}`);
    expect(subscriptions).toEqual([{ app_id: appId, override_callback_uri: oursUrl }]);
    expect(link.logs.filter(({ message }) => message.includes("webhook URL"))).toEqual([]);
    const { items } = await admin<{ items: Json[] }>(`GET /calls?node=${credentials.waba_id}&refused=true`);
    expect(items).toEqual([]);
  });
});

describe("inbound messages", () => {
  it.each<[string, object, object]>([
    ["text", { text: "Hello" }, { type: "text", text: "Hello" }],
    ["image", { kind: "image", caption: "Look" }, { type: "media", media: "image", text: "Look" }],
    ["video", { kind: "video" }, { type: "media", media: "video" }],
    ["audio", { kind: "audio" }, { type: "media", media: "audio" }],
    ["voice", { kind: "voice" }, { type: "media", media: "audio" }],
    ["document", { kind: "document" }, { type: "media", media: "document", file: { name: "document.pdf" } }],
    ["sticker", { kind: "sticker" }, { type: "media", media: "image", file: { mimeType: "image/webp" } }],
    ["location", { kind: "location", name: "Philz" }, { type: "geo", text: "Philz" }],
    ["contacts", { kind: "contacts" }, { type: "vcard", vcard: expect.stringContaining("BEGIN:VCARD") }],
    ["unsupported", { kind: "unsupported" }, { type: "unsupported" }],
  ])("%s", async (_name, words, body) => {
    const world = await openWorld({ writes: false });
    await world.person("messages", words);
    const message = await messageOf(world.link, () => true);
    expect(message).toMatchObject({ chatId: world.user, direction: "in", contact: { name: "Ann" }, body });
    if (message.body.type !== "media") return;
    const opened = await world.session.openFile?.(message.body.file, never);
    expect((await buffer(opened?.stream ?? Readable.from([]))).length).toBe(opened?.size);
    expect(opened?.mimeType).toBe(message.body.file.mimeType);
  });

  it("a reply names the quoted message", async () => {
    const world = await openWorld();
    const { externalId } = await world.session.send(to(world), never);
    await receiptOf(world.link, externalId, "delivered");
    await world.person("messages", { text: "Yes", reply_to: externalId });
    const { quoted } = await messageOf(world.link, ({ body }) => body.type === "text" && body.text === "Yes");
    expect(quoted).toEqual({ externalId });
  });

  it("edits and deletions", async () => {
    const world = await openWorld();
    const { externalId } = await messageOf(world.link, () => true);
    await world.person("edits", { message_id: externalId, text: "Hello" });
    expect(await world.link.waitFor(({ kind }) => kind === "edited")).toMatchObject({
      ref: { chatId: world.user, externalId },
      body: { type: "text", text: "Hello" },
    });
    await world.person("deletions", { message_id: externalId });
    expect(await world.link.waitFor(({ kind }) => kind === "deleted")).toMatchObject({ ref: { externalId } });
  });

  it("reactions, in both directions", async () => {
    const world = await openWorld();
    const { externalId } = await world.session.send(to(world), never);
    await receiptOf(world.link, externalId, "delivered");
    for (const emoji of ["👍", null]) {
      await world.person("reactions", { message_id: externalId, ...(emoji !== null && { emoji }) });
      const reacted = await world.link.waitFor((event) => event.kind === "reaction" && event.emoji === emoji);
      expect(reacted).toMatchObject({ ref: { chatId: world.user, externalId }, by: { id: world.user } });
    }
    const theirs = await messageOf(world.link, () => true);
    const target = { chatType: "whatsapp", chatId: world.user, externalId: theirs.externalId } as const;
    await world.session.react?.({ ...target, isOwn: false, changeId: "1" }, "🔥", never);
    expect((await seen(world)).at(-1)).toMatchObject({
      type: "reaction",
      content: { message_id: theirs.externalId, emoji: "🔥" },
    });
  });

  it("a message written on the phone is an echo", async () => {
    const world = await openWorld();
    await admin(`POST /numbers/${world.credentials.phone_number_id}/echoes`, {
      user_id: world.user,
      text: "From me",
    });
    expect(await messageOf(world.link, ({ direction }) => direction === "echo")).toMatchObject({
      chatId: world.user,
      body: { type: "text", text: "From me" },
    });
  });

  it("a person with a hidden number can be answered, and keeps the chat when the number becomes known", async () => {
    const world = await openWorld({ writes: false });
    await admin("POST /users", { id: world.user, username: "ann", hides_number: true });
    await world.person("messages", { text: "Guess" });
    const hidden = await messageOf(world.link, () => true);
    expect(hidden).toMatchObject({
      chatId: expect.stringMatching(/^[A-Z]{2}\./),
      contact: { name: "Ann", username: "ann" },
    });
    const answered = await world.session.send(
      textMessage({ to: { chatType: "whatsapp", chatId: hidden.chatId } }),
      never,
    );
    expect(answered.chatId).toBe(hidden.chatId);
    expect(await receiptOf(world.link, answered.externalId, "delivered")).toMatchObject({
      ref: { messageId: textMessage().id },
    });
    await admin("POST /users", { id: world.user, hides_number: false });
    await world.person("messages", { text: "Me" });
    expect(await messageOf(world.link, ({ chatId }) => chatId === world.user)).toMatchObject({
      formerChatId: hidden.chatId,
    });
  });

  it("a changed number", async () => {
    const world = await openWorld();
    const phone = String(++people);
    await world.person("number_changes", { phone });
    expect(await world.link.waitFor(({ kind }) => kind === "moved")).toMatchObject({
      chatId: world.user,
      newChatId: phone,
    });
  });
});

describe("outbound messages", () => {
  it("text with its receipts, each with our id", async () => {
    const world = await openWorld();
    const message = to(world);
    const { chatId, externalId } = await world.session.send(message, never);
    expect(chatId).toBe(world.user);
    await receiptOf(world.link, externalId, "delivered");
    await world.person("reads");
    expect(await receiptOf(world.link, externalId, "read")).toMatchObject({
      ref: { chatId: world.user, messageId: message.id },
    });
    expect((await seen(world)).at(-1)).toMatchObject({ type: "text", content: { body: "hello" } });
  });

  it("a quote", async () => {
    const world = await openWorld();
    const { externalId, chatId } = await messageOf(world.link, () => true);
    await world.session.send(to(world, { quoted: { chatType: "whatsapp", chatId, externalId } }), never);
    const { items } = await admin<{ items: { request: Json }[] }>(
      `GET /numbers/${world.credentials.phone_number_id}/sent`,
    );
    expect(items.at(-1)?.request).toMatchObject({ context: { message_id: externalId } });
  });

  it.each([
    ["image", "image/jpeg", "a.jpg"],
    ["video", "video/mp4", "a.mp4"],
    ["audio", "audio/mpeg", "a.mp3"],
    ["document", "application/pdf", "a.pdf"],
  ] as const)("%s by link and by upload", async (kind, mimeType, name) => {
    const world = await openWorld();
    const url = `${filesUrl}/${name}`;
    for (const urlIsPublic of [true, false]) {
      const { content } = fileMessage({ kind, mimeType, name, url, urlIsPublic });
      const { externalId } = await world.session.send(to(world, { content }), never);
      await receiptOf(world.link, externalId, "delivered");
      const source = urlIsPublic ? { link: url } : { id: expect.any(String) };
      const { items } = await admin<{ items: { request: Json }[] }>(
        `GET /numbers/${world.credentials.phone_number_id}/sent`,
      );
      expect(items.at(-1)?.request).toMatchObject({ type: kind, [kind]: source });
    }
  });

  it.each([
    ["image/webp", false],
    ["image/gif", true],
    ["application/zip", true],
  ])("a file of type %s as a document", async (mimeType, urlIsPublic) => {
    const world = await openWorld();
    const { content } = fileMessage({
      kind: "image",
      mimeType,
      name: "a.bin",
      url: `${filesUrl}/a.bin`,
      urlIsPublic,
    });
    const { externalId } = await world.session.send(to(world, { content }), never);
    await receiptOf(world.link, externalId, "delivered");
    expect((await seen(world)).at(-1)).toMatchObject({ type: "document", content: { filename: "a.bin" } });
  });

  it("a private file that cannot be uploaded", async () => {
    const world = await openWorld();
    const { content } = fileMessage({ kind: "document", mimeType: "application/zip" });
    expect(await failure(world.session.send(to(world, { content }), never))).toMatchObject({
      code: "WRONG_CONTENT",
      retry: "never",
    });
  });

  it("a broken link fails afterwards", async () => {
    const world = await openWorld();
    const { content } = fileMessage({ url: `${filesUrl}/gone.jpg`, urlIsPublic: true });
    const { externalId } = await world.session.send(to(world, { content }), never);
    expect(await failureOf(world.link, externalId)).toMatchObject({ code: "CONTENT_CONVERSION_ERROR" });
  });

  const keyboard = (count: number): Keyboard => ({
    kind: "interactive",
    buttons: Array.from({ length: count }, (_, index) => ({
      text: `Choice ${index}`,
      payload: `payload-${index}`,
    })),
  });
  it.each([1, 3, 4, 10])("%i buttons, and a button press", async (count) => {
    const world = await openWorld();
    const { externalId } = await world.session.send(to(world, { keyboard: keyboard(count) }), never);
    await receiptOf(world.link, externalId, "delivered");
    const title = `Choice ${count - 1}`;
    await world.person("presses", { title });
    const pressed = await messageOf(world.link, (message) => message.pressed !== undefined);
    expect(pressed).toMatchObject({
      body: { type: "text", text: title },
      pressed: { text: title, payload: `payload-${count - 1}` },
      quoted: { externalId },
    });
  });

  it("a picture with buttons", async () => {
    const world = await openWorld();
    const { content } = fileMessage();
    const { externalId } = await world.session.send(to(world, { content, keyboard: keyboard(2) }), never);
    await receiptOf(world.link, externalId, "delivered");
  });

  it("outside of 24 hours, rejected later or immediately", async () => {
    const world = await openWorld({ writes: false });
    const { externalId } = await world.session.send(to(world), never);
    expect(await failureOf(world.link, externalId)).toMatchObject({ code: "24_HOURS_EXCEEDED" });
    await admin("POST /settings", { window_errors: "at_once" });
    onTestFinished(() => void admin("POST /settings", { window_errors: "later" }));
    expect(await failure(world.session.send(to(world), never))).toMatchObject({
      code: "24_HOURS_EXCEEDED",
      retry: "never",
    });
  });

  it("to an unknown number", async () => {
    const world = await openWorld();
    const stranger = textMessage({ to: { chatType: "whatsapp", chatId: "4915100000000" } });
    const { externalId } = await world.session.send(stranger, never);
    expect(await failureOf(world.link, externalId)).toMatchObject({ code: "BAD_CONTACT" });
  });

  it.each<[string, object, object]>([
    ["too many to one person", { error_code: 131056 }, { retry: { afterMs: 6_000, scope: "chat" } }],
    ["too many", { error_code: 130429 }, { retry: { afterMs: 2_000, scope: "channel" } }],
    ["too many calls", { error_code: 80007 }, { retry: { scope: "channel" } }],
    ["spam", { error_code: 131048 }, { code: "SPAM", retry: "never" }],
    ["not paid", { error_code: 131042 }, { code: "CHANNEL_REJECTED", retry: "never" }],
    ["a temporary error at Meta", { error_code: 131016 }, { code: "UNKNOWN_ERROR", retry: "later" }],
    ["a proxy's page", { http_status: 502 }, { retry: "unknown" }],
    ["a connection closed after the request", { drop: "after" }, { retry: "unknown" }],
  ])("%s", async (_name, effect, expected) => {
    const world = await openWorld();
    await admin("POST /faults", { node: world.credentials.phone_number_id, edge: "messages", ...effect });
    expect(await failure(world.session.send(to(world), never))).toMatchObject(expected);
    expect(linkStates(world.link).at(-1)?.status).toBe("active");
  });

  it.each([
    [131049, "SPAM"],
    [131050, "SPAM"],
    [131031, "CHANNEL_REJECTED"],
    [131053, "CONTENT_CONVERSION_ERROR"],
    [131000, "UNKNOWN_ERROR"],
  ])("%i afterwards is %s", async (code, expected) => {
    const world = await openWorld();
    await admin("POST /faults", { edge: "messages", status_error_code: code });
    const { externalId } = await world.session.send(to(world), never);
    expect(await failureOf(world.link, externalId)).toMatchObject({ code: expected });
  });
});

describe("templates", () => {
  const components = [
    { type: "HEADER", format: "TEXT", text: "Order {{1}} is ready", example: { header_text: ["7"] } },
    { type: "BODY", text: "Hi {{1}}, it costs {{2}}.", example: { body_text: [["Ann", "5"]] } },
    {
      type: "BUTTONS",
      buttons: [
        { type: "QUICK_REPLY", text: "Yes" },
        { type: "QUICK_REPLY", text: "No" },
        {
          type: "URL",
          text: "Track",
          url: "https://shop.example/{{1}}",
          example: ["https://shop.example/7"],
        },
      ],
    },
  ];
  const draft = (name: string) => ({ name, language: "en_US", category: "UTILITY", components });
  const only = async (link: WapiTestLink, matches: (template: Template) => boolean): Promise<Template> => {
    const list = await link.waitFor((event) => event.kind === "templates" && event.templates.some(matches));
    const found = list.kind === "templates" ? list.templates.find(matches) : undefined;
    if (found === undefined) throw new Error("no template");
    return found;
  };

  it("pass through moderation", async () => {
    const { link } = await openWorld({ writes: false });
    const created = await templateMethods.create(link, draft("order_ready"), never);
    expect(created).toMatchObject({ name: "order_ready", status: "PENDING" });
    const moderated = (status: string) =>
      link.waitFor((event) => event.kind === "template" && event.template.status === status);
    for (const event of ["APPROVED", "PAUSED", "REINSTATED", "REJECTED", "DISABLED", "PENDING"]) {
      await admin(`POST /templates/${created.externalId}/moderations`, { event });
      const status = event === "REINSTATED" ? "APPROVED" : event;
      expect(await moderated(status)).toMatchObject({
        template: { externalId: created.externalId, name: "order_ready" },
      });
    }
    expect(await only(link, ({ externalId }) => externalId === created.externalId)).toMatchObject({
      components: expect.arrayContaining([expect.objectContaining({ type: "BODY" })]),
    });
  });

  it("are filled in, sent outside of 24 hours, and have working buttons", async () => {
    const world = await openWorld({ writes: false });
    const { waba_id: waba } = world.credentials;
    const made = await admin<{ id: string }>(`POST /wabas/${waba}/templates`, draft("order_ready"));
    await admin(`POST /templates/${made.id}/moderations`, { event: "APPROVED" });
    const template = await only(world.link, ({ externalId }) => externalId === made.id);
    const content = {
      type: "template",
      template,
      values: ["7", "Ann", "5 €", "track/7"],
      payloads: ["p-yes", "p-no"],
    } as const;
    const { externalId } = await world.session.send(to(world, { content }), never);
    await receiptOf(world.link, externalId, "delivered");
    expect((await seen(world)).at(-1)).toMatchObject({
      type: "template",
      content: {
        header: "Order 7 is ready",
        body: "Hi Ann, it costs 5 €.",
        buttons: [{ payload: "p-yes" }, { payload: "p-no" }, { url: "https://shop.example/track/7" }],
      },
    });
    await world.person("presses", { title: "No" });
    expect(await messageOf(world.link, ({ pressed }) => pressed !== undefined)).toMatchObject({
      pressed: { text: "No", payload: "p-no" },
      quoted: { externalId },
    });
  });

  it("may have named variables", async () => {
    const world = await openWorld();
    const example = { body_text_named_params: [{ param_name: "first_name", example: "Ann" }] };
    const named = [{ type: "BODY", text: "Hi {{first_name}}, welcome", example }];
    const made = await templateMethods.create(world.link, { ...draft("welcome"), components: named }, never);
    await admin(`POST /templates/${made.externalId}/moderations`, { event: "APPROVED" });
    const content = { type: "template", template: made, values: ["Ann"], payloads: [] } as const;
    const { externalId } = await world.session.send(to(world, { content }), never);
    await receiptOf(world.link, externalId, "delivered");
    expect((await seen(world)).at(-1)).toMatchObject({ content: { body: "Hi Ann, welcome" } });
  });

  it("a paused template is refused with Meta's text", async () => {
    const world = await openWorld();
    const made = await admin<{ id: string }>(`POST /wabas/${world.credentials.waba_id}/templates`, {
      ...draft("hello"),
      components: [{ type: "BODY", text: "Hello" }],
    });
    await admin(`POST /templates/${made.id}/moderations`, { event: "PAUSED" });
    const template = await only(world.link, ({ externalId }) => externalId === made.id);
    const content = { type: "template", template, values: [], payloads: [] } as const;
    expect(await failure(world.session.send(to(world, { content }), never))).toMatchObject({
      code: "GENERAL_ERROR",
      data: expect.stringContaining("132015"),
    });
  });

  it("are changed and deleted", async () => {
    const { link, credentials } = await openWorld({ writes: false });
    const made = await admin<{ id: string }>(`POST /wabas/${credentials.waba_id}/templates`, draft("bye"));
    await admin(`POST /templates/${made.id}/moderations`, { event: "APPROVED" });
    const template = await only(link, ({ externalId }) => externalId === made.id);
    await templateMethods.change(link, template, { components: [{ type: "BODY", text: "Bye now" }] }, never);
    await templateMethods.remove(link, template, never);
    await templateMethods.remove(link, template, never);
    const { items } = await admin<{ items: Json[] }>(`GET /wabas/${credentials.waba_id}/templates`);
    expect(items).toEqual([]);
  });

  it("a refused draft carries Meta's text", async () => {
    const { link } = await openWorld({ writes: false });
    const bad = { ...draft("bad"), components: [{ type: "FOOTER", text: "no body" }] };
    const error = await failure(templateMethods.create(link, bad, never));
    expect(error).toMatchObject({ retry: "never", data: expect.stringMatching(/\(#\d+\)/) });
  });
});

describe("platform events", () => {
  it.each([
    ["name", "TIER_10K", {}],
    ["number", "TIER_2K", { form: "number" }],
    ["name", "TIER_UNLIMITED", {}],
  ])("tier as a %s: %s", async (_form, tier, more) => {
    const { link, credentials } = await openWorld({ writes: false });
    await admin(`POST /wabas/${credentials.waba_id}/limits`, { tier, ...more });
    await link.waitFor((event) => event.kind === "tier" && event.tier === tier);
  });

  it("a tier of the number, in both forms", async () => {
    const { link, credentials } = await openWorld({ writes: false });
    for (const [tier, legacy] of [
      ["TIER_10K", true],
      ["TIER_100K", false],
    ] as const) {
      await admin(`POST /numbers/${credentials.phone_number_id}/qualities`, {
        event: "UPGRADE",
        tier,
        legacy,
      });
      await link.waitFor((event) => event.kind === "tier" && event.tier === tier);
    }
  });

  it("a restriction with its end, and a flag without one", async () => {
    const { link, credentials } = await openWorld({ writes: false });
    const restricted = (of: string, isOver = false) =>
      link.waitFor(
        (event) => event.kind === "restriction" && event.of === of && (event.restriction === null) === isOver,
      );
    link.events.length = 0;
    await admin(`POST /wabas/${credentials.waba_id}/restrictions`, { seconds: 3_600 });
    expect(await restricted("new_chats")).toMatchObject({ restriction: { until: expect.any(Date) } });
    const qualities = (event: string) =>
      admin(`POST /numbers/${credentials.phone_number_id}/qualities`, { event });
    await qualities("FLAGGED");
    expect(await restricted("quality")).toMatchObject({ restriction: { until: null } });
    await qualities("UNFLAGGED");
    await restricted("quality", true);
    await admin(`POST /wabas/${credentials.waba_id}/bans`, { state: "SCHEDULE_FOR_DISABLE" });
    await restricted("block_announced");
  });

  it("a ban, and its end", async () => {
    const world = await openWorld();
    const ban = (state: string) => admin(`POST /wabas/${world.credentials.waba_id}/bans`, { state });
    await ban("DISABLE");
    await world.link.waitFor(
      (event) =>
        event.kind === "link" && event.state.status === "disabled" && event.state.reason === "blocked",
    );
    expect(await failure(world.session.send(to(world), never))).toMatchObject({ code: "CHANNEL_REJECTED" });
    world.link.events.length = 0;
    await ban("REINSTATE");
    await world.link.waitFor((event) => event.kind === "link" && event.state.status === "active");
  });

  it("a number of the phone's own app that leaves, and comes back", async () => {
    const { link, credentials } = await openWorld({ writes: false });
    await admin(`POST /numbers/${credentials.phone_number_id}/offboardings`);
    await link.waitFor((event) => event.kind === "link" && event.state.status === "disabled");
    expect(linkStates(link).at(-1)).toEqual({ status: "disabled", reason: "unauthorized" });
    link.events.length = 0;
    await admin(`POST /numbers/${credentials.phone_number_id}/offboardings`, { back: true });
    await link.waitFor((event) => event.kind === "link" && event.state.status === "active");
  });

  it("a rejected account", async () => {
    const { link, credentials } = await openWorld({ writes: false });
    await admin(`POST /wabas/${credentials.waba_id}/reviews`, { decision: "REJECTED" });
    await link.waitFor((event) => event.kind === "link" && event.state.status === "disabled");
    expect(linkStates(link).at(-1)).toEqual({ status: "disabled", reason: "rejected" });
    await admin(`POST /wabas/${credentials.waba_id}/reviews`, { decision: "APPROVED" });
    await link.waitFor(
      (event) => event.kind === "link" && event.state.status === "active" && linkStates(link).length === 3,
    );
  });

  it.each(["expired", "session", "app"])("a token that ends: %s", async (reason) => {
    const world = await openWorld();
    await admin("POST /tokens/expirations", { token: world.credentials.access_token, reason });
    expect((await failure(world.session.send(to(world), never))).retry).toBe("never");
    expect(linkStates(world.link).at(-1)).toEqual({ status: "disabled", reason: "unauthorized" });
  });

  it("the owner revokes the app's access", async () => {
    const { link, credentials } = await openWorld({ writes: false });
    await admin(`POST /wabas/${credentials.waba_id}/uninstalls`, { app_id: appId });
    await link.waitFor((event) => event.kind === "link" && event.state.status === "disabled");
    expect(linkStates(link).at(-1)).toEqual({ status: "disabled", reason: "unauthorized" });
  });
});

describe("webhook calls", () => {
  it("many messages in one, twice, in order", async () => {
    const [a, b] = [await openWorld({ writes: false }), await openWorld({ writes: false })];
    await admin("POST /settings", { deliveries: 2 });
    onTestFinished(() => void admin("POST /settings", { deliveries: 1 }));
    await admin("POST /callbacks/holds");
    for (const text of ["one", "two"]) for (const world of [a, b]) await world.person("messages", { text });
    await admin("POST /callbacks/releases", { batch: true });
    const texts = (link: WapiTestLink): string[] =>
      link.events.flatMap((event) =>
        event.kind === "message" && event.message.body.type === "text" ? [event.message.body.text] : [],
      );
    for (const { link } of [a, b]) {
      await link.waitFor((event) => isMessage(event) && texts(link).length === 4);
      expect(texts(link)).toEqual(["one", "two", "one", "two"]);
    }
  });

  it("Meta retries what could not be stored", async () => {
    const world = await openWorld({ writes: false });
    let refusals = 2;
    world.link.onEmit(({ kind }) =>
      kind === "message" && refusals-- > 0 ? Promise.reject(new Error("no database")) : Promise.resolve(),
    );
    await world.person("messages", { text: "Again" });
    expect(await messageOf(world.link, () => true)).toMatchObject({ body: { text: "Again" } });
  });
});

it("the connector made no unsupported calls", async () => {
  expect(await refusedCalls()).toEqual([]);
});

describe("the history of a number that is also in the app", () => {
  const batchesOf = ({ events }: WapiTestLink) => events.filter((event) => event.kind === "history");

  it("is requested once, and imported with its files; then the owner's contacts are requested", async () => {
    const { credentials } = await newNumber();
    const contact = { phone: "79001110009", full_name: "Zoe the florist" };
    await admin(`POST /numbers/${credentials.phone_number_id}/contacts`, contact);
    const user = String(++people);
    await admin("POST /users", { id: user, phone: user, name: "Ann" });
    const act = (action: string, body: object) =>
      admin(`POST /numbers/${credentials.phone_number_id}/users/${user}/${action}`, body);
    for (let n = 1; n <= 60; n++) await act("messages", { text: `n${n}` });
    await admin(`POST /numbers/${credentials.phone_number_id}/echoes`, { user_id: user, text: "answer" });
    const link = linkTo(credentials);
    Object.assign(link, { history: async () => ({ since: new Date(0) }) });
    const timing = { firstPauseMs: 20, maxPauseMs: 50, checkMs: 600_000, accessMs: 600_000 };
    const session = await openSession(link, timing);
    onTestFinished(async () => {
      await session.close();
      links.splice(links.indexOf(link), 1);
      await link.dispose();
    });
    await link.waitFor((event) => event.kind === "history" && event.progress === 99);
    await expect.poll(() => link.state.get("historyEndsAt")).not.toBeNull();
    const found = batchesOf(link).flatMap(({ messages }) => messages);
    expect(found).toHaveLength(61);
    expect(found.find(({ direction }) => direction === "echo")).toMatchObject({
      chatId: user,
      body: { type: "text", text: "answer" },
    });
    expect(link.events.filter(isMessage)).toEqual([]);
    expect(link.events.filter(({ kind }) => kind === "contactNames")).toEqual([]);
    const graph = graphWith(link, credentials.access_token);
    await followHistory(graph, link, never, Date.now() + 21 * 3_600_000);
    const named = await link.waitFor(({ kind }) => kind === "contactNames");
    expect(named).toMatchObject({ names: [{ chatId: contact.phone, name: contact.full_name }] });
  });

  it("what the owner changes in the address book is reported", async () => {
    const { credentials, link } = await openWorld({ writes: false });
    const contacts = `POST /numbers/${credentials.phone_number_id}/contacts`;
    await admin(contacts, { phone: "79001110001", full_name: "Ann Lee" });
    const named = async (name: string | null): Promise<void> =>
      void (await link.waitFor(
        (event) =>
          event.kind === "contactNames" &&
          event.names.some((each) => each.chatId === "79001110001" && each.name === name),
      ));
    await named("Ann Lee");
    await admin(contacts, { phone: "79001110001", full_name: "Ann Smith" });
    await named("Ann Smith");
    await admin(contacts, { phone: "79001110001" });
    await named(null);
  });
});
