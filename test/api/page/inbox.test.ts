import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { indexForSearch, queueForSearch } from "../../../src/core/message/search-index.ts";
import { addReceiver } from "../../kit/cursors.ts";
import { addTrigger, holdTx, startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { describeInterface } from "../../kit/interface.ts";
import { call, outcome } from "../kit/call.ts";
import { arrive as arriveOne, write } from "../kit/inbound.ts";
import { inboxTicket, type OpenInbox, openInbox } from "../kit/inbox.ts";
import { openPage } from "../kit/page.ts";
import { type IdRequest, type Ids, idPlaces } from "../kit/page-ids.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

interface Chat {
  readonly id: string;
  readonly name: string;
  readonly unread: number;
  readonly unanswered: number;
  readonly last_message: { readonly text: string; readonly direction: string } | null;
}
interface Message {
  readonly id: string;
  readonly client_id: string | null;
  readonly text: string;
  readonly order: string;
  readonly author: { readonly id: string; readonly name: string } | null;
}

let database: TestDatabase;
let node: TestNode;
let account: TestAccount;
let channel: string;
let inbox: OpenInbox;

beforeAll(async () => {
  database = await startTestDatabase();
  node = await startNode({ database });
  account = await addAccount(node.db);
  channel = await addChannel(node, account, { transport: "whatsapp" });
  inbox = await openInbox(node, account.api);
});
afterAll(async () => {
  await node?.stop();
  await database?.stop();
});

const ticketOf = (body: object = {}) => inboxTicket(node, account.api, body);
const arrive = (...messages: [string, string][]) => write(node, { account, channelId: channel }, messages);
async function listed(page: OpenInbox, query = ""): Promise<{ chats: Chat[]; next: string | null }> {
  const { json, status, text } = await page.get(`chats${query}`);
  if (status !== 200) throw new Error(text);
  return json as { chats: Chat[]; next: string | null };
}
async function chatNamed(page: OpenInbox, name: string): Promise<Chat> {
  const found = (await listed(page, `?search=${encodeURIComponent(name)}`)).chats.find(
    (chat) => chat.name === name,
  );
  if (found === undefined) throw new Error(`no chat of ${name}`);
  return found;
}

describe("the session", () => {
  test("a ticket opens one session of its own page, once", async () => {
    const ticket = await ticketOf({ activeChat: { chatType: "whatsapp", chatId: "79001" } });
    const elsewhere = await call(node, "POST", "/app/api/sessions", { body: { ticket } });
    expect(outcome(elsewhere)).toBe("404 NOT_FOUND");
    const opened = await call(node, "POST", "/app/api/chat-sessions", { body: { ticket } });
    expect(opened.json).toMatchObject({
      user: { id: "agent-1", name: "Alice" },
      scope: "global",
      active_chat: { chat_id: null, chat_type: "whatsapp", messenger_chat_id: "79001" },
    });
    const again = await call(node, "POST", "/app/api/chat-sessions", { body: { ticket } });
    expect(outcome(again)).toBe("404 NOT_FOUND");
  });

  test("only its page's own requests are answered", async () => {
    const { token } = inbox;
    const status = async (headers: Record<string, string>, path = "/app/api/chats", bearer = token) =>
      (await call(node, "GET", path, { token: bearer, headers })).status;
    expect(await status({})).toBe(200);
    expect(await status({ "sec-fetch-site": "same-origin" })).toBe(200);
    expect(await status({ "sec-fetch-site": "cross-site" })).toBe(401);
    expect(await status({}, "/app/api/transports")).toBe(401);
    expect(await status({}, "/app/stream", "stolen")).toBe(401);
    await node.db.query("update page_tickets set expires_at = now() where account_id = $1", [account.id]);
    expect(await status({})).toBe(401);
    inbox = await openInbox(node, account.api);
  });
});

test("pages of the list, newest first, without gaps or duplicates", async () => {
  const names = Array.from({ length: 7 }, (_, index) => `7910000000${index}`);
  for (const name of names) await arrive([name, `hello from ${name}`]);
  // Within a second of the last one a chat keeps its place.
  const twoSecondsAgo = "at - interval '2 seconds'";
  await node.db.query(
    `update chat_order set at = ${twoSecondsAgo}, minute = floor(extract(epoch from ${twoSecondsAgo}) / 60)
     where account_id = $1`,
    [account.id],
  );
  await arrive([names[2] ?? "", "once more"]);
  const seen: Chat[] = [];
  let query = "?limit=3";
  for (;;) {
    const { chats, next } = await listed(inbox, query);
    seen.push(...chats);
    if (next === null) break;
    query = `?limit=3&before=${next}`;
  }
  const order = [names[2], ...names.toReversed().filter((name) => name !== names[2])];
  expect(seen.map(({ name }) => name)).toEqual(order.map((name) => `Customer ${name}`));
  expect(seen[0]).toMatchObject({
    unanswered: 2,
    unread: 2,
    last_message: { text: "once more", direction: "in" },
  });
});

test("a thread is read from its end, from positions and around a message", async () => {
  const chatId = "79100000100";
  for (let part = 1; part <= 9; part++) await arrive([chatId, `part ${part}`]);
  const { id } = await chatNamed(inbox, `Customer ${chatId}`);
  const read = async (query: string) => {
    const { json } = await inbox.get(`chats/${id}/messages${query}`);
    const page = json as { messages: Message[]; before: string | null; after: string | null };
    return { ...page, texts: page.messages.map(({ text }) => Number(text.replace("part ", ""))) };
  };
  const end = await read("?limit=4");
  expect(end).toMatchObject({ texts: [6, 7, 8, 9], after: null });
  const older = await read(`?limit=4&before=${end.before}`);
  expect(older.texts).toEqual([2, 3, 4, 5]);
  const oldest = await read(`?limit=4&before=${older.before}`);
  expect(oldest).toMatchObject({ texts: [1], before: null });
  expect(await read(`?limit=4&after=${oldest.after}`)).toMatchObject({ texts: [2, 3, 4, 5] });
  expect(await read(`?limit=4&after=${older.after}`)).toMatchObject({ texts: [6, 7, 8, 9], after: null });
  const middle = older.messages[2];
  expect((await read(`?limit=4&around=${middle?.id}`)).texts).toEqual([2, 3, 4, 5, 6]);
  const orders = end.messages.map(({ order }) => order);
  expect(orders).toEqual(orders.toSorted());
  expect(outcome(await inbox.get(`chats/${id}/messages?around=${randomUUID()}`))).toBe(
    "404 MESSAGES_NOT_FOUND",
  );
  expect(outcome(await inbox.get(`chats/${id}/messages?before=nonsense`))).toBe(
    "400 VALIDATION_ERROR before",
  );
});

test("pages of long messages end early, and lose none", async () => {
  const chatId = "79100000101";
  const parts = Array.from({ length: 30 }, (_, index) => index);
  for (const part of parts)
    await arriveOne(
      node,
      { account, channelId: channel },
      {
        chatType: "whatsapp",
        chatId,
        externalId: `long ${part}`,
        contact: { name: `Customer ${chatId}` },
        body: { type: "text", text: `lengthy ${part} ${"x ".repeat(32_000)}` },
      },
    );
  const partOf = ({ text }: Message) => Number(text.split(" ")[1]);
  const { id } = await chatNamed(inbox, `Customer ${chatId}`);
  const maxBytes = 1.5 * 1024 * 1024;
  const read = async (query: string) => {
    const { json, text } = await inbox.get(`chats/${id}/messages?limit=100${query}`);
    expect(text.length).toBeLessThan(maxBytes);
    return json as { messages: Message[]; before: string | null; after: string | null };
  };
  const backwards: number[] = [];
  for (let before: string | null = ""; before !== null; ) {
    const page = await read(before === "" ? "" : `&before=${before}`);
    backwards.unshift(...page.messages.map(partOf));
    before = page.before;
  }
  expect(backwards).toEqual(parts);
  const middle = await read("");
  const forwards = middle.messages.map(partOf);
  const around = await read(`&around=${middle.messages[0]?.id}`);
  expect(around.messages.map(partOf)).toContain(forwards[0]);
  expect(around.before).not.toBeNull();

  await vi.waitUntil(async () => (await indexForSearch(node.db, 500)) === 0);
  const found: number[] = [];
  for (let before: string | null = ""; before !== null; ) {
    const query = before === "" ? "" : `&before=${before}`;
    const { json, text } = await inbox.get(`chats/${id}/search?q=lengthy&limit=100${query}`);
    expect(text.length).toBeLessThan(maxBytes);
    const page = json as { found: { message: Message }[]; next: string | null };
    found.unshift(...page.found.map(({ message }) => partOf(message)).toReversed());
    before = page.next;
  }
  expect(found).toEqual(parts);
});

test("a quoted message that was never stored is described, with a link if a browser can follow it", async () => {
  const story = (externalId: string, link: string) =>
    arriveOne(
      node,
      { account, channelId: channel },
      {
        chatType: "whatsapp",
        chatId: "79100000077",
        externalId,
        contact: { name: "Storyteller" },
        body: { type: "text", text: externalId },
        quoted: { externalId: "17900000000000001", body: { type: "unsupported", what: "story" }, link },
      },
    );
  await story("good", "https://cdn.messenger.example/story.jpg");
  await story("bad", "javascript:alert(1)");
  const page = await openInbox(node, account.api);
  const { chats } = (await page.get("chats?search=Storyteller")).json as { chats: { id: string }[] };
  const { messages } = (await page.get(`chats/${chats[0]?.id}/messages`)).json as {
    messages: { text: string; quoted: object }[];
  };
  const quote = { id: null, type: "unsupported", unsupported: "story" };
  expect(messages).toMatchObject([
    { text: "good", quoted: { ...quote, link: "https://cdn.messenger.example/story.jpg" } },
    { text: "bad", quoted: { ...quote, link: null } },
  ]);
});

test("a message has what its messenger reports besides the content, and none of the rest", async () => {
  const own = await addAccount(node.db);
  const to = { account: own, channelId: await addChannel(node, own, { transport: "whatsapp" }) };
  await addReceiver(node.db, own.id, ["messages"], "v3");
  const at = { chatType: "whatsapp", chatId: "79008", contact: { name: "Nia" } } as const;
  await arriveOne(node, to, { ...at, externalId: "plain", body: { type: "text", text: "Hello" } });
  await arriveOne(node, to, {
    ...at,
    externalId: "full",
    body: { type: "unsupported", what: "poll", text: "Tea or coffee?" },
    answers: [{ type: "form", payload: '{"size":42}' }],
    advert: { id: "17", title: "Mazda" },
    isSystem: true,
  });
  await arriveOne(node, to, {
    ...at,
    externalId: "old",
    body: { type: "text", text: "Hi" },
    isHistory: true,
  });
  const page = await openInbox(node, own.api);
  const { json } = await page.get(`chats/${(await chatNamed(page, "Nia")).id}/messages`);
  const [plain, full, old] = (json as { messages: object[] }).messages;
  const extras = ["post", "advert", "is_system", "is_history"];
  expect(Object.keys(plain ?? {}).filter((name) => extras.includes(name))).toEqual([]);
  expect(full).toMatchObject({
    type: "unsupported",
    unsupported: "poll",
    text: "Tea or coffee?",
    buttons: [{ type: "form", payload: '{"size":42}' }],
    advert: { id: "17", title: "Mazda" },
    is_system: true,
  });
  expect(old).toMatchObject({ text: "Hi", is_history: true });
  const told = await node.db.query<{ text: string }>(
    "select body::json ->> 'text' as text from events where account_id = $1 and kind = 'messages' order by id",
    [own.id],
  );
  expect(told.map(({ text }) => text)).toEqual(["Hello", "Tea or coffee?"]);
});

test("messages stored at the same time keep their order", async () => {
  const chatId = "79100000150";
  const texts = Array.from({ length: 20 }, (_, n) => `piece ${n + 1}`);
  await arrive(...texts.map((text): [string, string] => [chatId, text]));
  const { id } = await chatNamed(inbox, `Customer ${chatId}`);
  const { messages } = (await inbox.get(`chats/${id}/messages?limit=20`)).json as { messages: Message[] };
  expect(messages.map(({ text }) => text)).toEqual(texts);
});

test("a message is accepted once for its page's id, under its employee's name", async () => {
  const chatId = "79100000200";
  await arrive([chatId, "anybody there?"]);
  const chat = await chatNamed(inbox, `Customer ${chatId}`);
  const body = { id: randomUUID(), chat_id: chat.id, text: "Yes!" };
  const answers = await Promise.all([
    inbox.send("POST", "messages", body),
    inbox.send("POST", "messages", body),
  ]);
  const [first, second] = answers.map(({ json }) => json as { message: Message; chat: Chat });
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  expect(first?.message).toMatchObject({
    client_id: body.id,
    text: "Yes!",
    direction: "out",
    status: "queued",
    from_app: true,
    author: { id: "agent-1", name: "Alice" },
    can_delete: true,
  });
  expect(second?.message.id).toBe(first?.message.id);
  expect(first?.chat).toMatchObject({ unanswered: 0, unread: 0, last_message: { text: "Yes!" } });
  const rows = await node.db.query("select 1 from send_jobs where message_id = $1", [first?.message.id]);
  expect(rows).toHaveLength(1);

  const deleted = await inbox.send("DELETE", `messages/${first?.message.id}`);
  expect(deleted.json).toMatchObject({
    status: "error",
    error: { code: "MESSAGE_CANCELLED" },
    can_resend: true,
  });
  const again = await inbox.send("POST", `messages/${first?.message.id}/resend`, { id: randomUUID() });
  expect(again.json).toMatchObject({ message: { text: "Yes!", status: "queued" }, chat: { failed: false } });
  const sent = (again.json as { message: Message }).message;
  const refused = await inbox.send("POST", `messages/${sent.id}/resend`, { id: randomUUID() });
  expect(outcome(refused)).toBe("400 MESSAGES_NOT_FAILED");
});

test("seen is per employee, answered is shared", async () => {
  const chatId = "79100000300";
  await arrive([chatId, "first"], [chatId, "second"]);
  const { id } = await chatNamed(inbox, `Customer ${chatId}`);
  const other = await openInbox(node, account.api, { user: { id: "agent-2", name: "Bob" } });
  expect((await inbox.send("POST", `chats/${id}/read`)).json).toMatchObject({ unanswered: 2, unread: 0 });
  expect((await other.get(`chats/${id}`)).json).toMatchObject({ unanswered: 2, unread: 2 });
  await arrive([chatId, "third"]);
  expect((await inbox.get(`chats/${id}`)).json).toMatchObject({ unanswered: 3, unread: 1 });
  const mark = (unanswered: boolean) => inbox.send("POST", `chats/${id}/unanswered`, { unanswered });
  expect((await mark(false)).json).toMatchObject({ unanswered: 0, unread: 0 });
  expect((await other.get(`chats/${id}`)).json).toMatchObject({ unanswered: 0, unread: 0 });
  expect((await mark(true)).json).toMatchObject({ unanswered: 1, unread: 1 });
});

test("a file is uploaded unchanged and sent from the store", async () => {
  const chatId = "79100000400";
  await arrive([chatId, "send me the price list"]);
  const { id } = await chatNamed(inbox, `Customer ${chatId}`);
  const upload = await call(node, "POST", "/app/api/files?name=price%20list.pdf", {
    token: inbox.token,
    headers: { "content-type": "application/pdf" },
    raw: Buffer.from("%PDF-1.4 a price list"),
  });
  expect(upload.status).toBe(201);
  const file = upload.json as { file_id: string; url: string };
  expect(file).toMatchObject({ name: "price list.pdf", kind: "document", size: 21 });
  const sent = await inbox.send("POST", "messages", { id: randomUUID(), chat_id: id, file_id: file.file_id });
  expect(sent.json).toMatchObject({
    message: {
      type: "document",
      file: { url: file.url, name: "price list.pdf", mime_type: "application/pdf", is_external: false },
    },
  });
  const bytes = await call(node, "GET", new URL(file.url).pathname);
  expect(bytes.text).toBe("%PDF-1.4 a price list");
  const foreign = await openInbox(node, (await addAccount(node.db)).api);
  const stolen = await foreign.send("POST", "messages", {
    id: randomUUID(),
    to: { channel_id: channel, phone: "79100000400" },
    file_id: file.file_id,
  });
  expect(outcome(stolen)).toBe("404 CHANNEL_NOT_FOUND");
});

test("an upload whose outcome is lost does not count", async () => {
  const { db } = node;
  const owner = await addAccount(db);
  const page = await openInbox(node, owner.api);
  const query = db.query.bind(db);
  const losing = vi.spyOn(db, "query").mockImplementation(async (statement, values) => {
    const rows = await query(statement, values);
    if (typeof statement === "object" && statement.name === "file_stored")
      throw new Error("the answer is lost");
    return rows as never;
  });
  onTestFinished(() => losing.mockRestore());
  const upload = await call(node, "POST", "/app/api/files?name=a.pdf", {
    token: page.token,
    headers: { "content-type": "application/pdf" },
    raw: "%PDF-1.4",
  });
  expect(upload.status).toBe(500);
  expect(
    await query(
      `select (select file_bytes from account_usage where account_id = $1) as counted,
         (select count(*)::int from files where account_id = $1) as files`,
      [owner.id],
    ),
  ).toEqual([{ counted: 0, files: 0 }]);
});

test("a large file is stored whole", async () => {
  const raw = Buffer.alloc(2_000_000, "lamp ");
  const upload = await call(node, "POST", "/app/api/files?name=a.pdf", {
    token: inbox.token,
    headers: { "content-type": "application/pdf" },
    raw,
  });
  expect(upload.json).toMatchObject({ size: raw.length });
  const bytes = await call(node, "GET", new URL((upload.json as { url: string }).url).pathname);
  expect(bytes.text).toBe(raw.toString());
});

test("a file that is too large is refused with an answer, and the connection stays usable", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const upload = (size: number) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: `Bearer ${inbox.token}`, "content-type": "application/pdf" };
      const options = { agent, method: "POST", headers: { ...headers, "content-length": size } };
      const sent = request(`${node.url}/app/api/files?name=large.pdf`, options, (answer) => {
        answer.resume().once("end", () => resolve(answer.statusCode));
      });
      sent.once("error", reject).end(Buffer.alloc(size));
    });
  for (const size of [50 * 1024 * 1024 + 1, 60_000_000, 60_000_000]) expect(await upload(size)).toBe(413);
  expect(await node.db.query("select 1 from files where name = 'large.pdf'")).toEqual([]);
});

describe("data outside a session's scope", () => {
  const [own, other, foreign] = ["79100000501", "79100000502", "79100000503"];
  let card: OpenInbox;
  let ownChat: Chat;
  let otherChat: Chat;
  let foreignChat: Chat;
  let foreignChannel: string;
  let stranger: OpenInbox;

  beforeAll(async () => {
    await arrive([own, `of ${own}`], [other, `of ${other}`]);
    const owner = await addAccount(node.db);
    foreignChannel = await addChannel(node, owner, { transport: "whatsapp" });
    await write(node, { account: owner, channelId: foreignChannel }, [[foreign, `of ${foreign}`]]);
    card = await openInbox(node, account.api, {
      scope: "card",
      filter: [{ chatType: "whatsapp", chatId: own, name: "Own" }],
    });
    ownChat = await chatNamed(inbox, `Customer ${own}`);
    otherChat = await chatNamed(inbox, `Customer ${other}`);
    stranger = await openInbox(node, owner.api);
    foreignChat = await chatNamed(stranger, `Customer ${foreign}`);
  });

  test("is in no list and found by no search", async () => {
    expect((await listed(card)).chats.map(({ id }) => id)).toEqual([ownChat.id]);
    for (const page of ["?search=7910000050", "?search=Customer"])
      expect((await listed(card, page)).chats.map(({ id }) => id)).toEqual([ownChat.id]);
    expect((await listed(inbox, "?search=79100000503")).chats).toEqual([]);
  });

  /** Ids that a session could find out; those that do not exist are random. */
  async function idsAround({ id: chat }: { readonly id: string }, more: Partial<Ids> = {}): Promise<Ids> {
    const [message] = await node.db.query<{ id: string }>("select id from messages where chat = $1", [chat]);
    const [file, template, answer, note, proposal] = Array.from({ length: 5 }, () => randomUUID()) as [
      ...[string, string, string, string, string],
    ];
    const unknown = { file, template, answer, note, proposal };
    return { chat, message: message?.id ?? randomUUID(), channel, ...unknown, ...more };
  }
  const upload = async (page: OpenInbox) => {
    const options = { token: page.token, raw: "a file", headers: { "content-type": "text/plain" } };
    const { json } = await call(node, "POST", "/app/api/files?name=a.txt", options);
    return (json as { file_id: string }).file_id;
  };
  const addAnswer = async (page: OpenInbox) => {
    const body = { id: randomUUID(), name: "own", text: "Ours" };
    expect((await page.send("POST", "canned-answers", body)).status).toBe(201);
    return body.id;
  };
  const addNote = async (page: OpenInbox, chat: string) => {
    const id = randomUUID();
    expect((await page.send("POST", `chats/${chat}/notes`, { id, text: "Between us" })).status).toBe(200);
    return id;
  };
  const addProposal = async (chat: string) => {
    const id = randomUUID();
    const proposal = {
      state: "waiting",
      token: { id: "t", hint: "abcd" },
      expires_at: "2100-01-01T00:00:00Z",
    };
    await node.db.query(
      `insert into chat_entries (account_id, id, chat, channel_id, kind, author_id, text, details)
       select account_id, $1, id, channel_id, 'proposed', 't', 'Proposed', $3 from chats where id = $2`,
      [id, chat, JSON.stringify({ proposal })],
    );
    return id;
  };
  const stateOf = async (chat: string) =>
    JSON.stringify(
      await node.db.query(
        `select m.*, (select count(*) from unanswered u where u.chat = m.chat) as waiting,
           (select count(*) from send_jobs j where j.message_id = m.id) as jobs
         from messages m where m.chat = $1 order by m.id`,
        [chat],
      ),
    );

  test("is missing wherever a route of the pages takes an id", async () => {
    const places = idPlaces(await describeInterface("/app/openapi.json"));
    const spare = await addChannel(node, account, { transport: "whatsapp" });
    const linked = await call(node, "POST", "/v2/iframe-links/channels", {
      token: account.access,
      body: { options: { channel_id: spare } },
    });
    const connect = (await openPage(node, linked)).token;
    const own = await idsAround(ownChat, {
      channel: spare,
      file: await upload(inbox),
      answer: await addAnswer(inbox),
      note: await addNote(inbox, ownChat.id),
      proposal: await addProposal(ownChat.id),
    });
    const nobodys = { chat: randomUUID(), message: randomUUID(), channel: randomUUID() };
    const foreignAnswer = await addAnswer(stranger);
    const [other, foreign, missing] = [
      await idsAround(otherChat, {
        note: await addNote(inbox, otherChat.id),
        proposal: await addProposal(otherChat.id),
      }),
      await idsAround(foreignChat, {
        channel: foreignChannel,
        file: await upload(stranger),
        answer: foreignAnswer,
        note: await addNote(stranger, foreignChat.id),
        proposal: await addProposal(foreignChat.id),
      }),
      await idsAround(ownChat, nobodys),
    ];
    const before = [await stateOf(otherChat.id), await stateOf(foreignChat.id)];
    const ask = async (token: string, request: IdRequest) => {
      const { method, path, body } = request;
      const options = method === "GET" ? { token } : { token, body };
      return outcome(await call(node, method, `/app/api/${path}`, options));
    };
    for (const { name, page, kind, request } of places) {
      const tokens = page === "channels" ? [connect] : [card.token, inbox.token];
      const expected = await ask(tokens[0] ?? "", request(own, missing[kind]));
      // This messenger has no templates at all: their ids are not even looked at.
      expect(expected, name).toMatch(kind === "template" ? /^400 MESSAGE_TEMPLATE/ : /^404 \w+$/);
      for (const token of tokens) expect(await ask(token, request(own, foreign[kind])), name).toBe(expected);
      if (["chat", "message", "note", "proposal"].includes(kind))
        expect(await ask(card.token, request(own, other[kind])), name).toBe(expected);
    }
    expect([await stateOf(otherChat.id), await stateOf(foreignChat.id)]).toEqual(before);
    expect((await stranger.get("canned-answers")).json).toMatchObject([{ id: foreignAnswer, version: 1 }]);
    // With ids of its own the same requests are answered, so it was the id.
    for (const { name, page, kind, request } of places) {
      if (kind === "template") continue;
      const token = page === "channels" ? connect : inbox.token;
      expect(await ask(token, request(own, own[kind])), name).not.toMatch(/^404|^401|VALIDATION/);
    }
    await call(node, "DELETE", `/v2/channels/${spare}`, { token: account.access });
    expect(new Set(places.map(({ kind }) => kind)).size).toBe(8);
    expect(places.length).toBeGreaterThan(20);
  });

  test("a card allows writing to nobody else", async () => {
    const to = (phone: string, channelId = channel) =>
      card.send("POST", "messages", { id: randomUUID(), to: { channel_id: channelId, phone }, text: "Hi" });
    expect(outcome(await to("79100000599"))).toBe("404 CHAT_NOT_FOUND");
    expect(outcome(await to(own, foreignChannel))).toBe("404 CHANNEL_NOT_FOUND");
    expect((await to(own)).json).toMatchObject({ chat: { id: ownChat.id } });
  });

  test("a message of another page of the account is not returned for its id", async () => {
    const id = randomUUID();
    await inbox.send("POST", "messages", { id, chat_id: otherChat.id, text: "A secret" });
    const asked = await card.send("POST", "messages", { id, chat_id: ownChat.id, text: "Hi" });
    expect(outcome(asked)).toBe("404 MESSAGES_NOT_FOUND");
  });
});

test("a person without a chat is addressed by an identifier that the messenger accepts", async () => {
  expect((await inbox.get("chat-channels")).json).toMatchObject([{ channel_id: channel, can_send: true }]);
  const to = { channel_id: channel, phone: "+7 910 000-06-00", name: "Newcomer" };
  const sent = await inbox.send("POST", "messages", { id: randomUUID(), to, text: "Good day" });
  expect(sent.json).toMatchObject({
    chat: { name: "Newcomer", messenger_chat_id: "79100000600", last_message: { text: "Good day" } },
  });
  const [chat] = (await listed(inbox, "?search=newc")).chats;
  expect(chat?.name).toBe("Newcomer");
});

describe("search of texts", () => {
  interface Found {
    readonly found: { readonly message: Message; readonly chat: Chat }[];
    readonly next: string | null;
  }
  const chatId = "79100000700";
  let chat: Chat;
  const find = async (words: string, where = "search", page = inbox) => {
    const { json, status, text } = await page.get(`${where}?q=${encodeURIComponent(words)}`);
    if (status !== 200) throw new Error(text);
    return (json as Found).found.map(({ message }) => message.text);
  };

  beforeAll(async () => {
    await arrive([chatId, "Заказ №4512 готов, заберите до пятницы"]);
    await arrive(
      [chatId, "Your order is late; it's O'Neill's"],
      ["79100000701", "An order of another client"],
    );
    // Words of years ago are found as well.
    await node.db.query("update accounts set created_at = now() - interval '9 years' where id = $1", [
      account.id,
    ]);
    await node.db.query(
      "update messages set created_at = now() - interval '8 years' where account_id = $1 and text like 'Заказ%'",
      [account.id],
    );
    chat = await chatNamed(inbox, `Customer ${chatId}`);
    await indexAll();
  });

  const indexAll = () => indexForSearch(node.db, 1_000);

  test("an edited message is found by its new words alone", async () => {
    await arrive(["79100000702", "zebra"]);
    await indexAll();
    expect(await find("zebra")).toEqual(["zebra"]);
    await node.core.reports.add({
      accountId: account.id,
      channelId: channel,
      event: {
        kind: "edited",
        ref: { chatType: "whatsapp", chatId: "79100000702", externalId: "zebra" },
        body: { type: "text", text: "giraffe" },
        at: new Date(),
      },
    });
    await indexAll();
    expect([await find("zebra"), await find("giraffe")]).toEqual([[], ["giraffe"]]);
  });

  test("nothing is missed: a failed run, and a transaction that commits after newer ones were indexed", async () => {
    const dropTrigger = await addTrigger(node.db, "before insert on message_words", {
      run: "raise exception 'refused'",
    });
    onTestFinished(dropTrigger);
    await arrive(["79100000703", "llama"]);
    await expect(indexAll()).rejects.toThrow("refused");
    await dropTrigger();
    await holdTx(node.db, async (tx) => {
      await tx.query(
        `with added as (
           insert into messages (account_id, id, channel_id, chat, direction, type, status, text, sent_at)
           values ($1, gen_random_uuid(), $2, $3, 'in', 'text', 'inbound', 'a late llama', now()) returning account_id, id)
         ${queueForSearch("select account_id, id from added")}`,
        [account.id, channel, chat.id],
      );
      await arrive(["79100000703", "a young llama"]);
      await indexAll();
      expect((await find("llama")).toSorted()).toEqual(["a young llama", "llama"]);
    });
    await indexAll();
    expect((await find("llama")).toSorted()).toEqual(["a late llama", "a young llama", "llama"]);
  });

  test.each([
    ["заказ", ["Заказ №4512 готов, заберите до пятницы"]],
    ["ПЯТНИЦ заб", ["Заказ №4512 готов, заберите до пятницы"]],
    ["4512", ["Заказ №4512 готов, заберите до пятницы"]],
    ["order", ["An order of another client", "Your order is late; it's O'Neill's"]],
    ["order client", ["An order of another client"]],
    ["o'neil", ["Your order is late; it's O'Neill's"]],
    ["rder", []],
    ["order nothing", []],
    ["", []],
    ["' & | ! : * \\ ( %", []],
  ])("%j", async (words, texts) => {
    expect((await find(words)).toSorted()).toEqual(texts);
  });

  test("in one chat, in pages, and never beyond the session's scope", async () => {
    expect(await find("order", `chats/${chat.id}/search`)).toEqual(["Your order is late; it's O'Neill's"]);
    const first = (await inbox.get("search?q=order&limit=1")).json as Found;
    const second = (await inbox.get(`search?q=order&limit=1&before=${first.next}`)).json as Found;
    const texts = [...first.found, ...second.found].map(({ message }) => message.text);
    expect(texts.toSorted()).toEqual(["An order of another client", "Your order is late; it's O'Neill's"]);
    const card = await openInbox(node, account.api, {
      scope: "card",
      filter: [{ chatType: "whatsapp", chatId }],
    });
    expect(await find("order", "search", card)).toEqual(["Your order is late; it's O'Neill's"]);
    const stranger = await openInbox(node, (await addAccount(node.db)).api);
    expect(await find("order", "search", stranger)).toEqual([]);
    expect(outcome(await stranger.get(`chats/${chat.id}/search?q=order`))).toBe("404 CHAT_NOT_FOUND");
  });
});

test("only unanswered chats, on request", async () => {
  const names = async (page: OpenInbox) =>
    (await listed(page, "?unanswered=true")).chats.map(({ name }) => name);
  await arrive(["79100000801", "waits"], ["79100000802", "is answered"]);
  const answered = await chatNamed(inbox, "Customer 79100000802");
  expect(await names(inbox)).toEqual(
    expect.arrayContaining(["Customer 79100000801", "Customer 79100000802"]),
  );
  await inbox.send("POST", "messages", { id: randomUUID(), chat_id: answered.id, text: "Here you are" });
  const left = await names(inbox);
  expect(left).toContain("Customer 79100000801");
  expect(left).not.toContain("Customer 79100000802");
});

describe("canned answers", () => {
  interface Answer {
    readonly id: string;
    readonly name: string;
    readonly text: string;
    readonly version: number;
  }
  let owner: TestAccount;
  let maria: OpenInbox;
  let pavel: OpenInbox;

  beforeEach(async () => {
    owner = await addAccount(node.db);
    maria = await openInbox(node, owner.api, { user: { id: "maria", name: "Maria" } });
    pavel = await openInbox(node, owner.api, { user: { id: "pavel", name: "Pavel" } });
  });
  const add = (name: string, text: string, id: string = randomUUID()) =>
    maria.send("POST", "canned-answers", { id, name, text });
  const added = async (name: string, text: string) => (await add(name, text)).json as Answer;
  const answersOf = async (page: OpenInbox) => (await page.get("canned-answers")).json as Answer[];
  const change = (page: OpenInbox, { id, ...rest }: Answer) =>
    page.send("PATCH", `canned-answers/${id}`, rest);

  test("all employees of the account share them, from a card too; other accounts have their own", async () => {
    const price = await added("price", "It costs {{contact}} nothing");
    const hello = await added("Hello", "Good day!");
    expect(hello).toEqual({ id: hello.id, name: "Hello", text: "Good day!", order: 0, version: 1 });
    const card = await openInbox(node, owner.api, {
      scope: "card",
      filter: [{ chatType: "whatsapp", chatId: "79100000901" }],
    });
    for (const page of [maria, pavel, card]) expect(await answersOf(page)).toEqual([hello, price]);
    const stranger = await openInbox(node, (await addAccount(node.db)).api);
    expect(await answersOf(stranger)).toEqual([]);
    expect((await stranger.send("POST", "canned-answers", { ...price })).status).toBe(201);
    expect(await answersOf(maria)).toEqual([hello, price]);
  });

  test.each([
    ["usual", "price", "Free", "201"],
    ["in other letters", "ЦЕНА-2", "Бесплатно", "201"],
    ["as long as allowed", "😀".repeat(40), "x".repeat(4_096), "201"],
    ["without a name", "", "Free", "400 VALIDATION_ERROR name"],
    ["of two words", "two words", "Free", "400 VALIDATION_ERROR name"],
    ["with a slash", "a/b", "Free", "400 VALIDATION_ERROR name"],
    ["with a name that is too long", "x".repeat(41), "Free", "400 VALIDATION_ERROR name"],
    ["of white space", "price", " \n ", "400 VALIDATION_ERROR text"],
    ["with a text that is too long", "price", "x".repeat(4_097), "400 VALIDATION_ERROR text"],
  ])("an answer %s", async (_what, name, text, expected) => {
    expect(outcome(await add(name, text))).toBe(expected);
  });

  test("a name is taken regardless of case, also by a change, and free again after its answer is deleted", async () => {
    const price = await added("Цена", "Бесплатно");
    const other = await added("other", "Other");
    expect(outcome(await add("цЕНА", "Дорого"))).toBe("400 CANNED_ANSWER_NAME_TAKEN");
    expect(outcome(await change(maria, { ...other, name: "ЦЕНА" }))).toBe("400 CANNED_ANSWER_NAME_TAKEN");
    // Its own name in another case is no other's.
    expect((await change(maria, { ...price, name: "ЦЕНА" })).json).toMatchObject({
      name: "ЦЕНА",
      version: 2,
    });
    expect((await maria.send("DELETE", `canned-answers/${price.id}?version=2`)).status).toBe(200);
    expect((await add("цена", "Дорого")).status).toBe(201);
  });

  test("nobody overwrites or deletes what another employee has changed since", async () => {
    const read = await added("price", "40");
    const theirs = await change(pavel, { ...read, text: "45" });
    expect(theirs.json).toEqual({ ...read, text: "45", version: 2 });
    expect(outcome(await change(maria, { ...read, text: "50" }))).toBe("409 CANNED_ANSWER_CHANGED");
    const remove = (version: number) => maria.send("DELETE", `canned-answers/${read.id}?version=${version}`);
    expect(outcome(await remove(1))).toBe("409 CANNED_ANSWER_CHANGED");
    expect(await answersOf(maria)).toEqual([theirs.json]);
    expect(outcome(await remove(2))).toBe("200");
    expect(outcome(await remove(2))).toBe("404 CANNED_ANSWER_NOT_FOUND");
    expect(outcome(await change(maria, read))).toBe("404 CANNED_ANSWER_NOT_FOUND");
    expect(await answersOf(maria)).toEqual([]);
  });

  test("a request that is repeated because its response was lost changes nothing more", async () => {
    const id = randomUUID();
    const both = await Promise.all([add("price", "40", id), add("price", "40", id)]);
    expect(both.map(({ status }) => status)).toEqual([201, 201]);
    const read = both[0].json as Answer;
    for (let attempt = 0; attempt < 2; attempt++)
      expect((await change(maria, { ...read, text: "45" })).json).toMatchObject({ version: 2 });
    // The first request arrives late: it does not undo the change.
    expect(outcome(await add("price", "40", id))).toBe("409 CANNED_ANSWER_CHANGED");
    expect(await answersOf(maria)).toMatchObject([{ text: "45", version: 2 }]);
  });

  test("the audit log tells which employee has changed what", async () => {
    const price = await added("price", "40");
    await change(pavel, { ...price, name: "prices" });
    await maria.send("DELETE", `canned-answers/${price.id}?version=2`);
    const { json } = await call(node, "GET", "/v3/audit", { token: owner.api });
    const entries = (json as { data: Record<string, unknown>[] }).data.slice(0, 3).toReversed();
    expect(entries).toMatchObject([
      { action: "canned_answer.create", actor: "page", actorId: "maria", details: { name: "price" } },
      { action: "canned_answer.change", actorId: "pavel", details: { name: "prices", formerName: "price" } },
      { action: "canned_answer.delete", actorId: "maria", subject: price.id, details: { name: "prices" } },
    ]);
  });
});
