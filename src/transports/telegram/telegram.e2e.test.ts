import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startSandbox } from "../../../sandbox/server.ts";
import { createTestLink } from "../../core/transport/conformance.ts";
import type { OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";
import type { InboundMessage, MessageRef, TransportEvent } from "../../core/transport/events.ts";
import { receive } from "./callback.ts";
import { openSession } from "./session.ts";
import { FAST, fileMessage, outboundFile, type TelegramTestLink, textMessage } from "./testing.ts";

/** Tests the connector against the Telegram emulator. The two were written independently of each other. */

const never = new AbortController().signal;
let sandbox: Awaited<ReturnType<typeof startSandbox>>;
let files: Server;
let filesUrl: string;

beforeAll(async () => {
  sandbox = await startSandbox({});
  files = createServer((request, response) => {
    if (request.url === "/page.jpg") response.writeHead(200, { "content-type": "text/html" }).end("<html>");
    else response.writeHead(200, { "content-type": "application/pdf" }).end("%PDF-1.4 by link");
  }).listen(0, "127.0.0.1");
  await once(files, "listening");
  filesUrl = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
  await admin("/settings", { retry_scale: 0.01, wait_scale: 0 });
});
afterAll(async () => {
  files.close();
  await sandbox.close();
});

type Json = Record<string, unknown>;

async function admin<T = Json>(path: string, body?: object): Promise<T> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(`${sandbox.url}/admin/telegram${path}`, init);
  const json: unknown = await answer.json();
  if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(json)}`);
  return json as T;
}

interface World {
  readonly botId: number;
  readonly token: string;
  readonly link: TelegramTestLink;
  readonly session: Awaited<ReturnType<typeof openSession>>;
}

let users = 500;

/** Creates a bot with a channel, and Ann, who has pressed Start. */
async function openWorld(callback?: {
  url: string;
  attach(link: TelegramTestLink): void;
}): Promise<World & { userId: number }> {
  const { id, token } = await admin<{ id: number; token: string }>("/bots", {
    can_read_all_group_messages: true,
  });
  const user = { id: ++users, first_name: "Ann", last_name: "B", username: `ann${users}` };
  await admin("/users", user);
  await admin(`/bots/${id}/users/${user.id}/start`, {});
  const link = createTestLink({
    credentials: { telegram_token: token },
    settings: { apiUrl: `${sandbox.url}/telegram` },
    callbackUrl: callback?.url ?? null,
  });
  callback?.attach(link);
  const session = await openSession(link, { ...FAST, firstPauseMs: 20, maxPauseMs: 50, checkMs: 50 });
  onTestFinished(async () => {
    await session.close();
    expect(JSON.stringify([link.events, link.logs])).not.toContain(token.split(":")[1]);
    await link.dispose();
  });
  await link.waitFor((event) => event.kind === "message");
  if (callback === undefined) await called(id, "getUpdates", 2);
  return { botId: id, token, link, session, userId: user.id };
}

/** Waits until the bot has made `count` calls of a method; a poll counts once it is pending. */
async function called(botId: number, method: string, count: number): Promise<void> {
  await admin(`/bots/${botId}/calls?method=${method}&count=${count}&timeout_ms=30000`);
}

/** Another program sets its own webhook for the bot. */
async function setForeignWebhook({ token }: World): Promise<void> {
  const answer = await fetch(`${sandbox.url}/telegram/bot${token}/setWebhook?url=${filesUrl}/other`);
  expect(answer.status).toBe(200);
}

const person = ({ botId }: World, userId: number): string => `/bots/${botId}/users/${userId}`;

/** Makes Ann act, and waits for the resulting message. */
async function hear(
  { link }: World,
  write: () => Promise<{ message: { message_id: number; chat: { id: number } } }>,
): Promise<InboundMessage> {
  const { message } = await write();
  const event = await link.waitFor(
    (each) =>
      each.kind === "message" &&
      each.message.externalId === String(message.message_id) &&
      each.message.chatId === String(message.chat.id),
  );
  if (event.kind !== "message") throw new Error("unreachable");
  return event.message;
}

function isLink(status: string): (event: TransportEvent) => boolean {
  return (event) => event.kind === "link" && event.state.status === status;
}

function to(userId: number, message: OutboundMessage = textMessage()): OutboundMessage {
  return { ...message, to: { chatType: "telegram", chatId: String(userId) } };
}

async function sent({ botId }: World, method: string): Promise<readonly Json[]> {
  return (await admin<{ items: Json[] }>(`/bots/${botId}/sent?method=${method}`)).items;
}

describe("inbound", () => {
  const kinds: readonly (readonly [string, Json, object])[] = [
    ["text", { text: "hi" }, { type: "text", text: "hi" }],
    ["photo", { kind: "photo", caption: "c" }, { type: "media", media: "image", text: "c" }],
    ["video", { kind: "video" }, { type: "media", media: "video" }],
    ["audio", { kind: "audio" }, { type: "media", media: "audio" }],
    ["voice", { kind: "voice" }, { type: "media", media: "audio" }],
    ["video note", { kind: "video_note" }, { type: "media", media: "video" }],
    ["animation", { kind: "animation" }, { type: "media", media: "video" }],
    [
      "document",
      { kind: "document", file: { name: "offer.pdf" } },
      { type: "media", media: "document", file: { name: "offer.pdf" } },
    ],
    [
      "sticker",
      { kind: "sticker", format: "webp" },
      { type: "media", media: "image", file: { mimeType: "image/webp" } },
    ],
    ["webm sticker", { kind: "sticker", format: "webm" }, { type: "media", media: "video" }],
    ["tgs sticker", { kind: "sticker", format: "tgs" }, { type: "media", media: "document" }],
    [
      "contact",
      { kind: "contact", phone_number: "79001112233" },
      { type: "vcard", vcard: expect.stringContaining("79001112233") },
    ],
    [
      "location",
      { kind: "location", latitude: 55.7, longitude: 37.6 },
      { type: "geo", latitude: 55.7, longitude: 37.6 },
    ],
    ["venue", { kind: "venue", title: "Cafe", address: "Main St" }, { type: "geo", text: "Cafe, Main St" }],
    ["poll", { kind: "poll" }, { type: "unsupported", what: "poll" }],
    ["dice", { kind: "dice" }, { type: "unsupported", what: "dice" }],
  ];
  it("receives every kind of message", async () => {
    const world = await openWorld();
    for (const [label, request, body] of kinds) {
      const message = await hear(world, () => admin(`${person(world, world.userId)}/messages`, request));
      expect(message.body, label).toMatchObject(body);
      expect(message, label).toMatchObject({
        direction: "in",
        chatType: "telegram",
        contact: { name: "Ann B" },
      });
    }
  });

  it("receives an album as single messages, a shared contact with its number, a quote, and an edit", async () => {
    const world = await openWorld();
    const { link } = world;
    const at = `${person(world, world.userId)}/messages`;
    const { messages } = await admin<{ messages: { message: { message_id: number } }[] }>(at, {
      kind: "album",
      items: [{ kind: "photo" }, { kind: "video" }],
    });
    const ids = messages.map(({ message }) => String(message.message_id));
    for (const id of ids) {
      await link.waitFor((event) => event.kind === "message" && event.message.externalId === id);
    }
    const own = await hear(world, () =>
      admin(at, { kind: "contact", own: true, phone_number: "79005550000" }),
    );
    expect(own.contact.phone).toBe("79005550000");
    const reply = await hear(world, () => admin(at, { text: "yes", reply_to: Number(ids[0]) }));
    expect(reply.quoted).toMatchObject({
      externalId: ids[0],
      body: { media: "image" },
    });
    await admin(`${person(world, world.userId)}/edits`, { message_id: Number(reply.externalId), text: "no" });
    const edited = await link.waitFor(({ kind }) => kind === "edited");
    expect(edited).toMatchObject({
      ref: { externalId: reply.externalId },
      body: { type: "text", text: "no" },
    });
  });

  it("opens files and pictures of people", async () => {
    const world = await openWorld();
    const bytes = Buffer.from("%PDF-1.4 exactly these bytes");
    const file = { base64: bytes.toString("base64"), name: "a.pdf", mime_type: "application/pdf" };
    const message = await hear(world, () =>
      admin(`${person(world, world.userId)}/messages`, { kind: "document", file }),
    );
    if (message.body.type !== "media") throw new Error("no file");
    const opened = await world.session.openFile(message.body.file, never);
    expect(await buffer(opened.stream)).toEqual(bytes);
    expect(opened).toMatchObject({ name: "a.pdf", mimeType: "application/pdf", size: bytes.length });
    const avatar = message.contact.avatar ?? { token: "" };
    await expect(world.session.openFile(avatar, never)).rejects.toMatchObject({ retry: "never" });
    await admin(`/users/${world.userId}/photos`, {});
    const picture = await world.session.openFile(avatar, never);
    expect((await buffer(picture.stream)).length).toBeGreaterThan(0);
  });

  it("rejects files that are too large for bots", async () => {
    const world = await openWorld();
    const file = { name: "big.zip", size: 20 * 1024 * 1024 + 1 };
    const message = await hear(world, () =>
      admin(`${person(world, world.userId)}/messages`, { kind: "document", file }),
    );
    if (message.body.type !== "media") throw new Error("no file");
    const opening = world.session.openFile(message.body.file, never);
    await expect(opening).rejects.toMatchObject({ code: "TOO_BIG_CONTENT", retry: "never" });
  });
});

describe("outbound", () => {
  it("sends text, quotes, edits and removes", async () => {
    const world = await openWorld();
    const { session, userId } = world;
    const first = await session.send(to(userId), never);
    const ref: MessageRef = { chatType: "telegram", chatId: first.chatId, externalId: first.externalId };
    const second = await session.send({ ...to(userId), quoted: ref }, never);
    const [, quoting] = await sent(world, "sendMessage");
    expect(quoting).toMatchObject({
      message: { reply_to_message: { message_id: Number(first.externalId) } },
    });
    await session.edit(ref, { text: "changed" }, never);
    await session.edit(ref, { text: "changed" }, never);
    await session.remove(ref, never);
    await session.remove(ref, never);
    await expect(session.edit(ref, { text: "x" }, never)).rejects.toMatchObject({ code: "MESSAGE_DELETED" });
    const late = { ...ref, externalId: second.externalId };
    await admin(`/bots/${world.botId}/time`, { advance_seconds: 49 * 3600 });
    await expect(session.remove(late, never)).rejects.toMatchObject({
      code: "GENERAL_ERROR",
      data: expect.stringContaining("can't be deleted"),
    });
  });

  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const uploads: readonly (readonly [string, string, Partial<OutboundFile>])[] = [
    ["photo", "sendPhoto", { mimeType: "image/png", name: "dot.png" }],
    ["webp", "sendDocument", { mimeType: "image/webp", name: "a.webp" }],
    ["gif", "sendAnimation", { mimeType: "image/gif", name: "a.gif" }],
    ["video", "sendVideo", { kind: "video", mimeType: "video/mp4", name: "a.mp4" }],
    ["audio", "sendAudio", { kind: "audio", mimeType: "audio/mpeg", name: "a.mp3" }],
    ["voice", "sendVoice", { kind: "audio", mimeType: "audio/ogg; codecs=opus", name: "a.ogg" }],
    ["document", "sendDocument", { kind: "document", mimeType: "text/plain", name: "счёт «1».txt" }],
  ];
  it("uploads files of every kind", async () => {
    const world = await openWorld();
    for (const [label, method, more] of uploads) {
      const isPicture = label === "photo";
      const file = isPicture ? { ...more, size: png.length, open: () => streamOf(png) } : more;
      const { externalId } = await world.session.send(to(world.userId, fileMessage(file)), never);
      const last = (await sent(world, method)).at(-1);
      expect(last, label).toMatchObject({ message_id: Number(externalId) });
      if (label === "document")
        expect(last).toMatchObject({ message: { document: { file_name: more.name } } });
    }
  });

  it("passes a link, and uploads what Telegram cannot fetch", async () => {
    const world = await openWorld();
    const pdf = { kind: "document", mimeType: "application/pdf", name: "a.pdf", urlIsPublic: true } as const;
    await world.session.send(to(world.userId, fileMessage({ ...pdf, url: `${filesUrl}/a.pdf` })), never);
    const picture = {
      mimeType: "image/png",
      urlIsPublic: true,
      url: `${filesUrl}/page.jpg`,
      size: png.length,
      open: () => streamOf(png),
    };
    await world.session.send(to(world.userId, fileMessage(picture)), never);
    const calls = await admin<{ items: Json[] }>(`/bots/${world.botId}/calls?method=sendPhoto`);
    expect(calls.items).toMatchObject([{ error_code: 400 }, { method: "sendPhoto" }]);
    expect(await sent(world, "sendDocument")).toHaveLength(1);
  });

  it("replaces a file, and edits the caption of one", async () => {
    const world = await openWorld();
    const { chatId, externalId } = await world.session.send(
      to(world.userId, fileMessage({ kind: "document", name: "a.txt" })),
      never,
    );
    const ref: MessageRef = { chatType: "telegram", chatId, externalId };
    await world.session.edit(ref, { file: outboundFile({ kind: "document", name: "b.txt" }) }, never);
    expect(await sent(world, "editMessageMedia")).toMatchObject([
      { message: { document: { file_name: "b.txt" } } },
    ]);
    await world.session.edit(ref, { text: "see this" }, never);
    expect(await sent(world, "editMessageCaption")).toMatchObject([{ message: { caption: "see this" } }]);
  });

  it("receives a button press, and answers it", async () => {
    const world = await openWorld();
    const keyboard = {
      kind: "inline",
      rows: [[{ text: "Site", url: "https://example.com/" }], [{ text: "Yes", payload: "y1" }]],
    } as const;
    const { externalId } = await world.session.send({ ...to(world.userId), keyboard }, never);
    const press = await admin<{ answer: unknown }>(`${person(world, world.userId)}/presses`, {
      data: "y1",
      timeout_ms: 30_000,
    });
    expect(press.answer).not.toBeNull();
    const event = await world.link.waitFor(
      (each) => each.kind === "message" && each.message.pressed !== undefined,
    );
    expect(event).toMatchObject({
      message: { body: { text: "Yes" }, pressed: { text: "Yes", payload: "y1" }, quoted: { externalId } },
    });
  });

  it("shows and removes a reply keyboard", async () => {
    const world = await openWorld();
    const keyboard = {
      kind: "reply",
      rows: [[{ text: "Tea" }]],
      oneTime: true,
      resize: true,
      selective: false,
    } as const;
    await world.session.send({ ...to(world.userId), keyboard }, never);
    const { message } = await admin<{ message: { message_id: number; chat: { id: number } } }>(
      `${person(world, world.userId)}/presses`,
      { text: "Tea" },
    );
    expect((await hear(world, async () => ({ message }))).body).toEqual({ type: "text", text: "Tea" });
    await world.session.send({ ...to(world.userId), keyboard: { kind: "remove", selective: false } }, never);
  });
});

function streamOf(bytes: Buffer): Readable {
  return Readable.from([bytes]);
}

describe("failures", () => {
  it("distinguishes a blocked bot from an unknown chat", async () => {
    const world = await openWorld();
    await admin(`${person(world, world.userId)}/blocks`, {});
    await world.link.waitForLog(({ details }) => details?.["status"] === "kicked");
    for (const userId of [world.userId, 999_999]) {
      await expect(world.session.send(to(userId), never)).rejects.toMatchObject({
        code: "BAD_CONTACT",
        retry: "never",
      });
    }
  });

  it("waits after flood errors, and marks unknown outcomes", async () => {
    const { session, userId, botId } = await openWorld();
    const faults: readonly (readonly [Json, object])[] = [
      [{ retry_after: 5 }, { code: "TOO_MANY_EXT_REQS", retry: { afterMs: 5_000, scope: "chat" } }],
      [{ drop: "before" }, { code: "UNKNOWN_ERROR", retry: "unknown" }],
      [{ drop: "after" }, { code: "UNKNOWN_ERROR", retry: "unknown" }],
      [{ error_code: 500 }, { code: "UNKNOWN_ERROR", retry: "unknown" }],
      [
        { http_status: 502, http_body: "<html>" },
        { code: "UNKNOWN_ERROR", retry: "unknown" },
      ],
      [
        { http_status: 413, http_body: "<html>" },
        { code: "TOO_BIG_CONTENT", retry: "never" },
      ],
    ];
    for (const [fault, expected] of faults) {
      await admin("/faults", { bot_id: botId, method: "sendMessage", ...fault });
      await expect(session.send(to(userId), never), JSON.stringify(fault)).rejects.toMatchObject(expected);
    }
    await session.send(to(userId), never);
  });

  it("reconnects after an outage, with every message once", async () => {
    const world = await openWorld();
    await admin("/faults", { bot_id: world.botId, method: "getUpdates", times: 3, drop: "after" });
    for (const text of ["one", "two", "three", "four"]) {
      await hear(world, () => admin(`${person(world, world.userId)}/messages`, { text }));
    }
    await world.link.waitFor(isLink("lost"));
    const texts = world.link.events.flatMap((event) =>
      event.kind === "message" ? [event.message.externalId] : [],
    );
    expect(new Set(texts).size).toBe(5);
    expect(world.link.events.filter(isLink("active")).length).toBeGreaterThan(1);
  });

  it("is disabled when the token is revoked", async () => {
    const world = await openWorld();
    await admin(`/bots/${world.botId}/revocations`, {});
    const rejected = expect(world.session.send(to(world.userId), never)).rejects.toMatchObject({
      code: "CHANNEL_REJECTED",
    });
    await Promise.all([rejected, world.link.waitFor(isLink("disabled"))]);
    expect(world.link.events.filter(isLink("disabled"))).toHaveLength(1);
  });

  it("deletes another program's webhook", async () => {
    const world = await openWorld();
    await setForeignWebhook(world);
    await world.link.waitForLog(({ details }) => String(details?.["detail"]).includes("webhook is active"));
    await called(world.botId, "deleteWebhook", 2);
    await hear(world, () => admin(`${person(world, world.userId)}/messages`, { text: "still there?" }));
  });

  it("waits while another program polls the bot", async () => {
    const world = await openWorld();
    const other = fetch(`${sandbox.url}/telegram/bot${world.token}/getUpdates?timeout=50`);
    await world.link.waitForLog(({ details }) => String(details?.["detail"]).includes("terminated by other"));
    expect((await other).status).toBe(409);
    await hear(world, () => admin(`${person(world, world.userId)}/messages`, { text: "hello again" }));
  });

  it("follows a group's migration to a supergroup", async () => {
    const world = await openWorld();
    const group = await admin<{ id: number }>("/groups", { title: "Team", user_ids: [world.userId] });
    await admin(`/groups/${group.id}/bots`, { bot_id: world.botId });
    const written = { user_id: world.userId, text: "hello all" };
    const message = await hear(world, () => admin(`/groups/${group.id}/messages`, written));
    const ann = { id: String(world.userId), name: "Ann B" };
    expect(message).toMatchObject({ chatType: "telegroup", contact: { name: "Team" }, sender: ann });
    const upgraded = await admin<{ id: number }>(`/groups/${group.id}/upgrades`, {});
    const moved = {
      kind: "moved",
      chatType: "telegroup",
      chatId: String(group.id),
      newChatId: String(upgraded.id),
    };
    expect(await world.link.waitFor(({ kind }) => kind === "moved")).toEqual(moved);
    const old = { chatType: "telegroup", chatId: String(group.id) } as const;
    expect(await world.session.send({ ...textMessage(), to: old }, never)).toMatchObject({
      chatId: String(upgraded.id),
    });
    for (const event of world.link.events) if (event.kind === "moved") expect(event).toEqual(moved);
  });

  it("replies in the topic of a forum, and says that a topic is closed", async () => {
    const world = await openWorld();
    const made = { title: "Forum", type: "supergroup", user_ids: [world.userId] };
    const { id } = await admin<{ id: number }>("/groups", made);
    await admin(`/groups/${id}/bots`, { bot_id: world.botId });
    const topicIn = async (name: string): Promise<number> =>
      (await admin<{ message: { message_id: number } }>(`/groups/${id}/topics`, { name })).message.message_id;
    const [first, second] = [await topicIn("Prices"), await topicIn("Deliveries")];
    const ask = (text: string, topic_id: number): Promise<InboundMessage> =>
      hear(world, () => admin(`/groups/${id}/messages`, { user_id: world.userId, text, topic_id }));
    const question = await ask("How much?", first);
    await ask("Where is it?", second);
    const to = { chatType: "telegroup", chatId: String(id) } as const;
    const quoted = { ...to, externalId: question.externalId };
    await world.session.send(textMessage({ id: "newest", to }), never);
    await world.session.send(textMessage({ id: "quoting", to, quoted }), never);
    const { items } = await admin<{ items: { message: Json }[] }>(`/bots/${world.botId}/sent?chat_id=${id}`);
    expect(items.map(({ message }) => message["message_thread_id"])).toEqual([second, first]);
    await admin(`/groups/${id}/topics/${first}/closings`, {});
    const late = world.session.send(textMessage({ id: "late", to, quoted }), never);
    await expect(late).rejects.toMatchObject({ code: "BAD_CONTACT" });
  });

  it("reports group updates", async () => {
    const world = await openWorld();
    const bob = { id: ++users, first_name: "Bob" };
    await admin("/users", bob);
    const group = await admin<{ id: number }>("/groups", {
      title: "Team",
      type: "supergroup",
      user_ids: [world.userId],
    });
    const at = `/groups/${group.id}`;
    await admin(`${at}/bots`, { bot_id: world.botId, administrator: true });
    await admin(`${at}/titles`, { title: "Crew" });
    await admin(`${at}/photos`, {});
    await admin(`${at}/users`, { user_id: bob.id });
    await admin(`${at}/promotions`, { user_id: bob.id });
    await admin(`${at}/removals`, { user_id: bob.id, by: world.userId });
    await hear(world, () => admin(`${at}/messages`, { user_id: world.userId, text: "the end" }));
    const ann = { id: String(world.userId), name: "Ann B", username: `ann${world.userId}` };
    const ref = { chatType: "telegroup", chatId: String(group.id), externalId: expect.any(String) };
    const about = { ref, at: expect.any(Date), by: ann };
    const { events } = world.link;
    expect(events.filter(({ kind }) => kind === "group")).toEqual([
      { kind: "group", ...about, title: "Crew" },
      { kind: "group", ...about, picture: { token: expect.any(String), mimeType: "image/jpeg" } },
    ]);
    const changes = events.flatMap((event) =>
      event.kind === "members"
        ? event.members.map(({ change, person: { name } }) => `${change} ${name}, by ${event.by?.name}`)
        : [],
    );
    // Some changes arrive twice: as a service message and as a membership update.
    expect(new Set(changes)).toEqual(
      new Set([
        `added Bot ${world.botId}, by Ann B`,
        `promoted Bot ${world.botId}, by Ann B`,
        "added Bob, by Bob",
        "promoted Bob, by Ann B",
        "removed Bob, by Ann B",
      ]),
    );
    const pictured = events.find((event) => event.kind === "group" && event.picture != null);
    if (pictured?.kind !== "group" || pictured.picture == null) throw new Error("no picture");
    const { stream } = await world.session.openFile(pictured.picture, never);
    expect((await buffer(stream)).subarray(0, 2).toString("hex")).toBe("ffd8");
  });
});

describe("webhook mode", () => {
  interface Gateway {
    readonly url: string;
    /** The status of each response to Telegram. */
    readonly answers: number[];
    attach(link: TelegramTestLink): void;
  }

  /** Passes webhook calls to the connector, as the service does. */
  async function startGateway(): Promise<Gateway> {
    const answers: number[] = [];
    let link: TelegramTestLink | undefined;
    const server = createServer(async (request, response) => {
      const call = {
        method: request.method ?? "",
        path: "",
        query: new URLSearchParams(),
        headers: request.headers,
      };
      const body = await buffer(request);
      const status =
        link === undefined
          ? 503
          : await receive({ ...call, body }, link).then(
              (reply) => reply.status,
              () => 500,
            );
      answers.push(status);
      response.writeHead(status).end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in/telegram`;
    const attach = (attached: TelegramTestLink): void => {
      link = attached;
    };
    return { url, answers, attach };
  }

  it("receives webhooks, rejects calls without the secret, and gets unstored updates again", async () => {
    const gateway = await startGateway();
    const world = await openWorld(gateway);
    expect(world.link.events.filter(isLink("active"))).toHaveLength(1);
    expect((await fetch(gateway.url, { method: "POST", body: '{"update_id":1}' })).status).toBe(401);
    let failures = 1;
    world.link.onEmit(async () => {
      if (failures-- > 0) throw new Error("database is away");
    });
    await hear(world, () => admin(`${person(world, world.userId)}/messages`, { text: "hi" }));
    expect(gateway.answers).toContain(500);
    expect(world.link.events.filter(({ kind }) => kind === "message")).toHaveLength(2);
  });

  it("answers button presses, and restores its webhook", async () => {
    const gateway = await startGateway();
    const world = await openWorld(gateway);
    const keyboard = { kind: "inline", rows: [[{ text: "Yes", payload: "y1" }]] } as const;
    await world.session.send({ ...to(world.userId), keyboard }, never);
    const press = { data: "y1", timeout_ms: 30_000 };
    const { answer } = await admin<Json>(`${person(world, world.userId)}/presses`, press);
    expect(answer).not.toBeNull();
    await setForeignWebhook(world);
    await world.link.waitForLog(({ message }) => message.includes("another program replaced the webhook"));
    await called(world.botId, "setWebhook", 3);
    await hear(world, () => admin(`${person(world, world.userId)}/messages`, { text: "back?" }));
    await world.session.logout();
    expect(await admin(`/bots/${world.botId}`)).toMatchObject({ webhook_url: null });
  });
});
