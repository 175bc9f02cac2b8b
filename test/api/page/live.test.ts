import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { tellTyping } from "../../../src/core/chat/typing.ts";
import { type LogPart, readLog } from "../../../src/core/event/live-log.ts";
import { appendEvents } from "../../../src/core/event/log.ts";
import { fileNotFetched, fileStored } from "../../../src/core/file/fetched.ts";
import { takeWaitingFiles } from "../../../src/core/file/files.ts";
import { Feed, type Follower, NOTHING } from "../../../src/core/live/feed.ts";
import { addReceiver } from "../../kit/cursors.ts";
import { holdTx, startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { call } from "../kit/call.ts";
import { arrive as arriveOne, write } from "../kit/inbound.ts";
import { type OpenInbox, openInbox } from "../kit/inbox.ts";
import { openStream, type StreamEvent, type TestStream } from "../kit/live.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

let database: TestDatabase;
let nodes: [TestNode, TestNode];
let first: TestNode;
let second: TestNode;
let account: TestAccount;
let channel: string;

beforeAll(async () => {
  database = await startTestDatabase();
  const pageLimits = { ofOwner: 3, ofGroup: 30, ofNode: 60 };
  nodes = [await startNode({ database, streamBeatMs: 1_000, pageLimits }), await startNode({ database })];
  [first, second] = nodes;
  account = await addAccount(first.db);
  channel = await addChannel(first, account, { transport: "whatsapp" });
});
afterAll(async () => {
  for (const node of nodes ?? []) await node.stop();
  await database?.stop();
});

const arrive = (node: TestNode, ...messages: [string, string][]) =>
  write(node, { account, channelId: channel }, messages);
const open = async (page: OpenInbox, at: TestNode = first, after?: string): Promise<TestStream> => {
  const stream = await openStream(at, page.token, after);
  onTestFinished(() => stream.close());
  return stream;
};
const textOf = ({ data }: StreamEvent): string | undefined => (data["message"] as { text?: string })?.text;
const says = (text: string) => (event: StreamEvent) => event.type === "message" && textOf(event) === text;
const partAfter = async (position: number): Promise<LogPart> =>
  (await readLog(first.db, new Map([[account.id, position]]), 200)).get(account.id) ?? NOTHING;
/** Resolves once a statement waits for a lock of the table. */
const untilWaitedFor = (table: string): Promise<unknown> =>
  vi.waitUntil(async () => {
    const waiting = await second.db.query(
      `select 1 from pg_locks l join pg_database d on d.oid = l.database
       where d.datname = current_database() and l.relation = $1::regclass and not l.granted`,
      [table],
    );
    return waiting.length > 0;
  });

test("two agents on two nodes see a client's message, each other's replies and their statuses", async () => {
  const [alice, bob] = [
    await openInbox(first, account.api),
    await openInbox(second, account.api, { user: { id: "agent-2", name: "Bob" } }),
  ];
  const [hers, his] = [await open(alice, first), await open(bob, second)];
  await arrive(first, ["79200000001", "Good morning"]);
  const [one, other] = await Promise.all([hers.next(says("Good morning")), his.next(says("Good morning"))]);
  expect(one.id).toBe(other.id);
  expect(one.data).toMatchObject({
    message: { direction: "in", status: "inbound" },
    chat: { name: "Customer 79200000001", unread: 1, last_message: { text: "Good morning" } },
  });
  const { id } = one.data["chat"] as { id: string };

  // Alice has seen it, Bob has not.
  await alice.send("POST", `chats/${id}/read`);
  await hers.next(({ type, data }) => type === "chat" && (data["chat"] as { unread: number }).unread === 0);
  const seen = await his.next(({ type }) => type === "chat");
  expect(seen.data).toMatchObject({ chat: { id, unread: 1, unanswered: 1 } });

  const clientId = randomUUID();
  await alice.send("POST", "messages", { id: clientId, chat_id: id, text: "Hello!" });
  const told = await his.next(says("Hello!"));
  expect(told.data).toMatchObject({
    message: { client_id: clientId, status: "queued", author: { name: "Alice" } },
    chat: { unanswered: 0, unread: 0 },
  });
  const { id: messageId } = told.data["message"] as { id: string };
  await bob.send("DELETE", `messages/${messageId}`);
  const cancelled = await hers.next(
    (event) => says("Hello!")(event) && (event.data["message"] as { status: string }).status === "error",
  );
  expect(cancelled.data).toMatchObject({
    message: { error: { code: "MESSAGE_CANCELLED" } },
    chat: { failed: true },
  });
});

test("typing reaches the open pages of every node that may see the chat, and is stored nowhere", async () => {
  await arrive(first, ["79200000091", "one"], ["79200000092", "two"]);
  const card = { scope: "card", filter: [{ chatType: "whatsapp", chatId: "79200000092" }] };
  const [all, some] = [await openInbox(first, account.api), await openInbox(first, account.api, card)];
  const [whole, part] = [await open(all, second), await open(some, second)];
  const key = { accountId: account.id, channelId: channel };
  const types = (chatId: string, seconds?: number) =>
    tellTyping(first.core, key, {
      ...{ kind: "typing", chatType: "whatsapp", chatId },
      ...(seconds === undefined ? {} : { seconds }),
    } as const);
  const before = await first.db.query("select count(*) from events where account_id = $1", [account.id]);
  await types("79200000090");
  await types("79200000091");
  await types("79200000092", 3_600);
  const [one, two] = [
    await whole.next(({ type, data }) => type === "typing" && data["seconds"] === 6),
    await part.next(({ type }) => type === "typing"),
  ];
  expect(two.data["seconds"]).toBe(30);
  await whole.next(({ type, data }) => type === "typing" && data["chat_id"] === two.data["chat_id"]);
  expect(part.events.some(({ data }) => data["chat_id"] === one.data["chat_id"])).toBe(false);
  expect(await first.db.query("select count(*) from events where account_id = $1", [account.id])).toEqual(
    before,
  );
  // A page that reads on misses nothing, and nothing comes again.
  await arrive(first, ["79200000091", "written"]);
  const { id } = await whole.next(says("written"));
  expect(Number(id)).toBeGreaterThan(Number(one.id));
});

test("a page that reconnects to another node gets what it missed, once and in order", async () => {
  const page = await openInbox(first, account.api);
  const before = await open(page, first);
  await arrive(first, ["79200000002", "seen"]);
  const { id: position } = await before.next(says("seen"));
  before.close();
  const missed = Array.from({ length: 30 }, (_, index) => `missed ${index}`);
  for (const text of missed) await arrive(first, ["79200000002", text]);
  // While it comes back, more arrives.
  const coming = Promise.all([
    open(page, second, position),
    ...Array.from({ length: 30 }, (_, index) => arrive(first, ["79200000003", `meanwhile ${index}`])),
  ]);
  const [after] = await coming;
  await arrive(second, ["79200000002", "the last"]);
  await after.next(says("the last"));
  const messages = after.events.filter(({ type }) => type === "message");
  expect(messages.map(textOf).filter((text) => text?.startsWith("missed"))).toEqual(missed);
  const texts = messages.map(textOf);
  expect(texts).not.toContain("seen");
  expect(texts.toSorted()).toEqual([...new Set(texts)].toSorted());
  expect(texts.filter((text) => text?.startsWith("meanwhile"))).toHaveLength(30);
  const ids = messages.map(({ id }) => Number(id));
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  expect(after.events.some(({ type }) => type === "reload")).toBe(false);
});

test("a page that opens while updates are being sent gets none from before", async () => {
  const part = await partAfter(0);
  const { rows } = part;
  expect(rows.length).toBeGreaterThan(0);
  const sent: { id: number; type: string }[] = [];
  const page: Follower = {
    session: {
      scope: { accountId: account.id },
      opening: { userId: "agent-3", scope: "global" },
    } as Follower["session"],
    isOpen: true,
    send: ({ id, type }) => sent.push({ id, type }) > 0,
    drained: () => Promise.resolve(),
    drop: () => undefined,
  };
  const feed = new Feed(first.core, account.id, () => undefined);
  await Promise.all([feed.join(page, null), feed.send(part)]);
  expect(sent).toEqual([{ id: expect.any(Number), type: "ready" }]);
  expect(sent[0]?.id).toBeGreaterThan(rows.at(-1)?.id ?? 0);
});

test("events that mean nothing to pages are read once", async () => {
  const feed = new Feed(first.core, account.id, () => undefined);
  const event = { accountId: account.id, channelId: null, chat: randomUUID(), subject: "1", body: {} };
  await addReceiver(first.db, account.id, ["templates"]);
  const before = await partAfter(0);
  await first.db.tx((tx) => appendEvents(tx, [{ ...event, kind: "templates" }]));
  const part = await partAfter(before.end);
  expect(part.rows).toEqual([]);
  expect(part.end).toBeGreaterThan(before.end);
  await feed.send(part);
  expect(feed.position).toBe(part.end);
});

test("a page that resumes while updates are being sent gets its own number of unread messages", async () => {
  const feed = new Feed(first.core, account.id, () => undefined);
  const follower = (userId: string) => {
    const sent: { readonly type: string; readonly data: string }[] = [];
    const page: Follower = {
      session: {
        scope: { accountId: account.id },
        opening: { userId, scope: "global" },
      } as Follower["session"],
      isOpen: true,
      send: (event) => sent.push(event) > 0,
      drained: () => Promise.resolve(),
      drop: () => undefined,
    };
    const unread = () =>
      sent
        .filter(({ type }) => type === "message")
        .map(({ data }) => (JSON.parse(data) as { chat: { unread: number } }).chat.unread);
    return { page, unread };
  };
  const [alice, bob] = [follower("agent-4"), follower("agent-5")];
  await feed.join(alice.page, null);
  const { position } = feed;
  await arrive(first, ["79200000010", "seen by Bob"]);
  await first.db.query(
    `insert into chat_reads (account_id, user_id, chat, at)
     select account_id, 'agent-5', id, now() + interval '1 hour' from chats
     where account_id = $1 and chat_id = '79200000010'`,
    [account.id],
  );
  const part = await partAfter(position);
  const sending = await holdTx(first.db, async (tx) => {
    await tx.query("lock table chat_reads in access exclusive mode");
    const sent = feed.send(part);
    await untilWaitedFor("chat_reads");
    await feed.join(bob.page, position);
    return { sent };
  });
  await sending.sent;
  await vi.waitUntil(() => bob.unread().length > 0);
  expect([alice.unread(), bob.unread()]).toEqual([[1], [0]]);
});

describe("long texts", () => {
  const count = 24;
  const long = (part: number) => `long ${part} ${"x".repeat(60_000)}`;
  const arriveLong = async (chatId: string) => {
    for (let part = 0; part < count; part++)
      await arriveOne(
        first,
        { account, channelId: channel },
        {
          chatType: "whatsapp",
          chatId,
          externalId: `long ${part}`,
          contact: { name: chatId },
          body: { type: "text", text: long(part) },
        },
      );
  };
  const parts = Array.from({ length: count }, (_, part) => part);
  const partsOf = (sent: readonly { readonly type: string; readonly data: string }[]) =>
    sent
      .filter(({ type }) => type === "message")
      .map(({ data }) =>
        Number((JSON.parse(data) as { message: { text: string } }).message.text.split(" ")[1]),
      );

  test("a part of them is loaded at a time, and none is left out", async () => {
    const sent: { readonly id: number; readonly type: string; readonly data: string }[] = [];
    const page: Follower = {
      session: {
        scope: { accountId: account.id },
        opening: { userId: "agent-6", scope: "global" },
      } as Follower["session"],
      isOpen: true,
      send: (event) => sent.push(event) > 0,
      drained: () => Promise.resolve(),
      drop: () => undefined,
    };
    const feed = new Feed(first.core, account.id, () => undefined);
    await feed.join(page, null);
    await arriveLong("79200000081");
    const bytes: number[] = [];
    for (;;) {
      const before = sent.length;
      const part = await partAfter(feed.position);
      if (part.rows.length === 0) break;
      await feed.send(part);
      bytes.push(sent.slice(before).reduce((sum, { data }) => sum + data.length, 0));
    }
    expect(Math.max(...bytes)).toBeLessThan(1_000_000);
    expect(partsOf(sent)).toEqual(parts);
  });

  test("a page that resumes gets them all", async () => {
    const page = await openInbox(first, account.api);
    const before = await open(page);
    const position = before.events[0]?.id;
    before.close();
    await arriveLong("79200000082");
    const back = await open(page, first, position);
    await back.next(says(long(count - 1)));
    const messages = back.events.filter(({ type }) => type === "message");
    expect(messages.map((event) => Number(textOf(event)?.split(" ")[1]))).toEqual(parts);
  });
});

describe("a position that cannot be resumed", () => {
  test.each([
    ["of another time", () => "12"],
    ["not drawn yet", () => "999999999999999"],
  ])("%s: the page is told to reload, and followed from now on", async (_name, position) => {
    const page = await openInbox(first, account.api);
    const stream = await open(page, first, position());
    await stream.next(({ type }) => type === "reload");
    const text = `after ${randomUUID()}`;
    await arrive(first, ["79200000004", text]);
    await stream.next(says(text));
  });

  test("after no page followed for long", async () => {
    const page = await openInbox(first, account.api);
    const stream = await open(page);
    const position = stream.events[0]?.id;
    stream.close();
    await first.db.query(
      "update live_accounts set until = now() - interval '1 second' where account_id = $1",
      [account.id],
    );
    await arrive(first, ["79200000004", "told to nobody"]);
    const back = await open(page, first, position);
    await back.next(({ type }) => type === "reload");
    expect(back.events.some(says("told to nobody"))).toBe(false);
  });
});

test("a card gets updates of its own chats only, and no account those of another", async () => {
  const card = await openInbox(first, account.api, {
    scope: "card",
    filter: [{ chatType: "whatsapp", chatId: "79200000005" }],
  });
  const stranger = await addAccount(first.db);
  const [cards, strangers] = [await open(card), await open(await openInbox(first, stranger.api))];
  await arrive(first, ["79200000006", "not for the card"]);
  await arrive(first, ["79200000005", "for the card"]);
  await cards.next(says("for the card"));
  await write(
    first,
    { account: stranger, channelId: await addChannel(first, stranger, { transport: "whatsapp" }) },
    [["79200000005", "for the stranger"]],
  );
  await strangers.next(says("for the stranger"));
  expect(cards.events.filter(({ type }) => type === "message").map(textOf)).toEqual(["for the card"]);
  expect(strangers.events.filter(({ type }) => type === "message").map(textOf)).toEqual(["for the stranger"]);
});

test("a page that opens its stream at the position of its session gets what happened since; after too much, it reloads", async () => {
  const page = await openInbox(first, account.api);
  const position = String(page.opened["position"]);
  const text = `since ${randomUUID()}`;
  await arrive(second, ["79200000091", text]);
  const stream = await open(page, second, position);
  await stream.next(says(text));
  expect(stream.events.some(({ type }) => type === "reload")).toBe(false);
  stream.close();
  await first.db.query(
    `insert into events (account_id, kind, chat, subject, body)
     select $1, 'live', gen_random_uuid(), gen_random_uuid()::text, 'message' from generate_series(1, 501)`,
    [account.id],
  );
  const late = await open(page, second, position);
  await late.next(({ type }) => type === "reload");
  expect(late.events.map(({ type }) => type)).toEqual(["ready", "reload"]);
});

test("marking everything as answered is reported", async () => {
  const stream = await open(await openInbox(first, account.api), second);
  const answer = await call(first, "DELETE", "/v2/chats/unanswered", { token: account.access });
  expect(answer.status).toBe(200);
  await stream.next(({ type }) => type === "reload");
});

test("the CRM's changes of a client are reported to pages that may see the chat, including deals and deletion", async () => {
  const [phone, other] = ["79200000071", "79200000072"];
  const page = await openInbox(first, account.api);
  const card = await openInbox(first, account.api, {
    scope: "card",
    filter: [{ chatType: "whatsapp", chatId: other }],
  });
  const [stream, cards] = [await open(page, second), await open(card, second)];
  await arrive(first, [phone, "one"], [other, "two"]);
  await Promise.all(["one", "two"].map((text) => stream.next(says(text))));
  const idOf = (text: string) => {
    const found = stream.events.find(says(text))?.data["chat"] as { id: string };
    return found.id;
  };
  const [chat, otherChat] = [idOf("one"), idOf("two")];
  const crm = async (method: "POST" | "DELETE", path: string, body?: object) => {
    const told = stream.events.length;
    const answer = await call(first, method, path, { token: account.api, ...(body && { body }) });
    expect(answer.status, answer.text).toBe(200);
    const of = (id: string) => (event: StreamEvent) =>
      event.type === "client" && event.data["chat_id"] === id && stream.events.indexOf(event) >= told;
    return (id: string) => stream.next(of(id));
  };
  const client = async (id: string) => (await page.get(`chats/${id}/client`)).json;
  const contact = (id: string) => ({
    id: "c",
    responsibleUserId: "u",
    name: "Ann",
    contactData: [{ chatType: "whatsapp", chatId: id }],
  });
  const deal = (closed: boolean) => ({
    id: "d",
    responsibleUserId: "u",
    name: "Sale",
    contacts: ["c"],
    closed,
  });

  await (await crm("POST", "/v3/contacts", [contact(phone)]))(chat);
  expect(await client(chat)).toMatchObject({ contact: { name: "Ann" }, deals: [] });
  await (await crm("POST", "/v3/deals", [deal(false)]))(chat);
  expect(await client(chat)).toMatchObject({ deals: [{ name: "Sale", closed: false }] });
  await (await crm("POST", "/v3/deals", [deal(true)]))(chat);
  expect(await client(chat)).toMatchObject({ deals: [{ closed: true }] });
  expect(cards.events.filter(({ type }) => type === "client")).toEqual([]);

  // The number belongs to another contact: both chats are reported.
  const moved = await crm("POST", "/v3/contacts", [contact(other)]);
  await Promise.all([moved(chat), moved(otherChat)]);
  expect(await client(chat)).toMatchObject({ contact: null });
  expect((await cards.next(({ type }) => type === "client")).data).toEqual({ chat_id: otherChat });
  await (await crm("DELETE", "/v3/deals/d"))(otherChat);
  expect(await client(otherChat)).toMatchObject({ deals: [] });
  await (await crm("DELETE", "/v3/contacts/c"))(otherChat);
  expect(await client(otherChat)).toMatchObject({ contact: null });
});

test("the end of a file's download, successful or not, is reported", async () => {
  const stream = await open(await openInbox(first, account.api), second);
  const send = (externalId: string) =>
    arriveOne(
      first,
      { account, channelId: channel },
      {
        chatType: "whatsapp",
        chatId: "79200000081",
        externalId,
        contact: { name: "Ann" },
        body: {
          type: "media",
          media: "image",
          file: { token: externalId, mimeType: "image/png" },
          text: externalId,
        },
      },
    );
  const state = (text: string, expected: string) =>
    stream.next(
      (event) =>
        says(text)(event) &&
        (event.data["message"] as { file: { state: string } | null }).file?.state === expected,
    );
  const taken = async () =>
    vi.waitUntil(async () => (await takeWaitingFiles(first.db, [channel], 1))[0], { interval: 20 });
  const content = { size: 3, mimeType: "image/png", name: null };

  await send("arrives");
  await state("arrives", "waiting");
  expect(await fileStored(first.core, await taken(), content)).toBe("stored");
  await state("arrives", "stored");

  await send("never arrives");
  await state("never arrives", "waiting");
  const lost = await taken();
  await fileNotFetched(first.core, lost, { reason: "not now", againMs: 60_000 });
  await fileNotFetched(first.core, lost, { reason: "gone", againMs: null });
  const failed = await state("never arrives", "failed");
  expect(stream.events.filter(says("never arrives")).indexOf(failed)).toBe(1);
});

test("a channel's change is reported with its present state, and so is its deletion", async () => {
  const transport = "whatsapp";
  const id = await addChannel(first, account, { transport, status: "disabled", reason: "unauthorized" });
  const stream = await open(await openInbox(first, account.api), second);
  const of = ({ type, data }: StreamEvent) => type === "channel" && data["channel_id"] === id;
  await call(first, "POST", `/v2/channels/${id}/reinit`, {
    token: account.access,
    body: { credentials: {} },
  });
  expect((await stream.next(of)).data).toMatchObject({ channel: { status: "init", can_send: false } });
  await call(first, "DELETE", `/v2/channels/${id}`, { token: account.access });
  await stream.next((event) => of(event) && event.data["channel"] === null);
});

test("a session keeps its newest streams, and an account has a limited number, which others do not feel", async () => {
  const crowd = await addAccount(first.db);
  const pages = await Promise.all(Array.from({ length: 11 }, () => openInbox(first, crowd.api)));
  const [page, ...others] = pages;
  if (page === undefined) throw new Error("no page");
  const streams: TestStream[] = [];
  for (let count = 0; count < 5; count++) streams.push(await open(page));
  await Promise.all(streams.slice(0, 2).map(({ ended }) => ended));
  for (const other of others.slice(0, 9))
    streams.push(await open(other), await open(other), await open(other));
  const last = others[9]?.token ?? "";
  const refused = await fetch(`${first.url}/app/stream`, { headers: { authorization: `Bearer ${last}` } });
  expect([refused.status, refused.headers.get("connection"), refused.headers.get("retry-after")]).toEqual([
    429,
    "close",
    "10",
  ]);
  expect(await refused.json()).toMatchObject({ error: "TOO_MANY_REQUESTS" });
  await open(await openInbox(first, account.api));
  const metrics = await (await fetch(`${first.url}/metrics`)).text();
  expect(metrics).toMatch(/trunkline_refused_requests_total\{kind="stream",scope="account"\} 1/);
  expect(metrics).toMatch(/trunkline_open_requests\{kind="stream"\} \d\d/);
  streams.at(-1)?.close();
  // The service notices the end of a connection later than its page.
  await vi.waitUntil(
    () =>
      openStream(first, last).then(
        (stream) => {
          stream.close();
          return true;
        },
        () => false,
      ),
    { timeout: 20_000 },
  );
});

test("a page that is closed while its session is looked up is not followed", async () => {
  const other = await addAccount(first.db);
  const page = await openInbox(first, other.api);
  const start = vi.spyOn(first.core.live, "start");
  onTestFinished(() => start.mockRestore());
  const { port, hostname } = new URL(first.url);
  const socket = connect(Number(port), hostname);
  const asked = once(first.http.server, "request");
  await holdTx(second.db, async (tx) => {
    await tx.query("lock table page_tickets in access exclusive mode");
    socket.write(`GET /app/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${page.token}\r\n\r\n`);
    const [, response] = (await asked) as [IncomingMessage, ServerResponse];
    await untilWaitedFor("page_tickets");
    socket.destroy();
    await once(response, "close");
  });
  // It looks up its session later than the stream, and makes further statements.
  expect((await page.get("chats")).status).toBe(200);
  expect(start).not.toHaveBeenCalled();
});

test("nothing is buffered for a page that does not read; it is disconnected, and gets everything after it reconnects", async () => {
  const page = await openInbox(first, account.api);
  const reading = await open(page, second);
  const position = reading.events[0]?.id ?? "";
  const { port, hostname } = new URL(first.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.write(`GET /app/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${page.token}\r\n\r\n`);
  // The other end: while ours reads nothing, it does not see that the connection has ended.
  const [end] = (await once(first.http.server, "connection")) as [Socket];
  await new Promise<void>((resolve) => socket.once("data", () => resolve()));
  socket.pause();
  // More than the buffers of two systems hold.
  const texts = Array.from({ length: 60 }, (_, index) => `${index} ${"x".repeat(250_000)}`);
  for (const [index, text] of texts.entries())
    await arriveOne(
      first,
      { account, channelId: channel },
      {
        chatType: "whatsapp",
        chatId: "79200000007",
        externalId: `long ${index}`,
        contact: { name: "Writer" },
        body: { type: "text", text },
      },
    );
  await reading.next(says(texts.at(-1) ?? ""));
  expect(reading.events.filter(({ type }) => type === "message").map(textOf)).toEqual(texts);
  await vi.waitUntil(() => end.destroyed, { timeout: 30_000 });
  // Not on the first: it drops a page that has unread bytes at two beats, which are only a second apart there.
  const resumed = await open(page, second, position);
  await resumed.next(says(texts.at(-1) ?? ""));
  expect(resumed.events.filter(({ type }) => type === "message").map(textOf)).toEqual(texts);
});
