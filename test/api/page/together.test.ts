import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { endSnoozes } from "../../../src/core/inbox/work.ts";
import { startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { call, outcome } from "../kit/call.ts";
import { write } from "../kit/inbound.ts";
import { type OpenInbox, openInbox } from "../kit/inbox.ts";
import { openStream, type StreamEvent, type TestStream } from "../kit/live.ts";
import { startReceiver } from "../kit/receiver.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

interface Chat {
  readonly id: string;
  readonly name: string;
  readonly unread: number;
  readonly marked_unread: boolean;
  readonly pinned_at: string | null;
  readonly assignee: { readonly id: string; readonly name: string | null } | null;
  readonly snoozed_until: string | null;
  readonly last_message: { readonly text: string } | null;
  readonly last_at: string;
}
interface Entry {
  readonly id: string;
  readonly kind: string;
  readonly order: string;
  readonly text: string;
  readonly author: { readonly id: string; readonly name: string | null };
  readonly from: unknown;
  readonly to: unknown;
}
interface Thread {
  readonly messages: readonly { readonly id: string; readonly text: string; readonly order: string }[];
  readonly entries: readonly Entry[];
  readonly before: string | null;
  readonly after: string | null;
}

let database: TestDatabase;
let first: TestNode;
let second: TestNode;
let account: TestAccount;
let channel: string;
let alice: OpenInbox;
let bob: OpenInbox;

const BOB = { user: { id: "agent-2", name: "Bob" } };

beforeAll(async () => {
  database = await startTestDatabase();
  first = await startNode({ database });
  second = await startNode({ database });
  account = await addAccount(first.db);
  channel = await addChannel(first, account, { transport: "whatsapp" });
  alice = await openInbox(first, account.api);
  bob = await openInbox(second, account.api, BOB);
});
afterAll(async () => {
  await first?.stop();
  await second?.stop();
  await database?.stop();
});

const arrive = (...messages: [string, string][]) => write(first, { account, channelId: channel }, messages);
async function listed(
  page: OpenInbox,
  query = "",
): Promise<{ chats: Chat[]; pinned: Chat[]; next: string | null }> {
  const { json, status, text } = await page.get(`chats${query}`);
  if (status !== 200) throw new Error(text);
  return json as { chats: Chat[]; pinned: Chat[]; next: string | null };
}
/** All pages of a filter, which may be short. */
async function all(page: OpenInbox, query: string): Promise<string[]> {
  const names: string[] = [];
  for (let next: string | null = "", before = ""; next !== null; before = `&before=${next}`) {
    const answer = await listed(page, `${query}${before}`);
    names.push(...answer.chats.map(({ name }) => name));
    next = answer.next;
  }
  return names;
}
let number = 0;
/** A new chat, with one message. */
async function newChat(text = "Hello"): Promise<Chat> {
  const id = `7920${String(++number).padStart(7, "0")}`;
  await arrive([id, `${text} of ${id}`]);
  const [chat] = (await listed(alice, `?search=${id}`)).chats;
  if (chat === undefined) throw new Error("no chat");
  return chat;
}
const chatOf = async (page: OpenInbox, id: string) => (await page.get(`chats/${id}`)).json as Chat;
const threadOf = async (page: OpenInbox, id: string, query = "") =>
  (await page.get(`chats/${id}/messages${query}`)).json as Thread;
const open = async (page: OpenInbox, at: TestNode): Promise<TestStream> => {
  const stream = await openStream(at, page.token);
  onTestFinished(() => stream.close());
  return stream;
};
const isChat =
  (id: string, fits: (chat: Chat) => boolean) =>
  ({ type, data }: StreamEvent): boolean => {
    const chat = data["chat"] as Chat | undefined;
    return type === "chat" && chat?.id === id && fits(chat);
  };
const note = (page: OpenInbox, chat: string, text: string, id: string = randomUUID()) =>
  page.send("POST", `chats/${chat}/notes`, { id, text });

describe("marks of one employee", () => {
  test("a chat that is marked unread stays so until its employee opens it, for them alone", async () => {
    const { id } = await newChat();
    const stream = await open(alice, first);
    await alice.send("POST", `chats/${id}/read`);
    expect(await chatOf(alice, id)).toMatchObject({ unread: 0, marked_unread: false });
    expect((await alice.send("POST", `chats/${id}/unread`)).json).toMatchObject({ marked_unread: true });
    await alice.send("POST", `chats/${id}/unread`);
    await stream.next(isChat(id, (chat) => chat.marked_unread));
    expect((await chatOf(bob, id)).marked_unread).toBe(false);
    expect((await alice.send("POST", `chats/${id}/read`)).json).toMatchObject({ marked_unread: false });
    expect(await first.db.query("select from chat_marks where chat = $1", [id])).toEqual([]);
  });

  test("pinned chats come with the first page, whatever their age", async () => {
    const old = await newChat();
    await first.db.query(
      "update chat_order set at = '2001-01-01', minute = floor(extract(epoch from timestamptz '2001-01-01') / 60) where chat = $1",
      [old.id],
    );
    await newChat();
    const pin = (pinned: boolean) => alice.send("PUT", `chats/${old.id}/pin`, { pinned });
    const { pinned_at: at } = (await pin(true)).json as Chat;
    expect(((await pin(true)).json as Chat).pinned_at).toBe(at);
    // A pin outlives a mark, and the other way round.
    await alice.send("POST", `chats/${old.id}/unread`);
    await alice.send("POST", `chats/${old.id}/read`);
    const page = await listed(alice, "?limit=1");
    expect([page.chats.map(({ id }) => id), page.pinned.map(({ id }) => id)]).toEqual([
      [expect.not.stringContaining(old.id)],
      [old.id],
    ]);
    expect((await listed(alice, `?limit=1&before=${page.next}`)).pinned).toEqual([]);
    expect((await listed(bob)).pinned).toEqual([]);
    const card = { scope: "card", filter: [{ chatType: "whatsapp", chatId: "79999999999", name: "Other" }] };
    expect((await listed(await openInbox(first, account.api, card))).pinned).toEqual([]);
    expect(((await pin(false)).json as Chat).pinned_at).toBeNull();
    expect((await listed(alice)).pinned).toEqual([]);
  });

  test("an employee pins at most 50 chats", async () => {
    const chat = await newChat();
    await first.db.query(
      `insert into chat_marks (account_id, user_id, chat, pinned_at)
       select $1, 'agent-9', gen_random_uuid(), now() from generate_series(1, 50)`,
      [account.id],
    );
    const page = await openInbox(first, account.api, { user: { id: "agent-9", name: "Nina" } });
    const refused = await page.send("PUT", `chats/${chat.id}/pin`, { pinned: true });
    expect(outcome(refused)).toBe("400 VALIDATION_ERROR pinned");
    expect(refused.text).toContain("at most 50 chats");
  });
});

describe("the list", () => {
  test("shows what fits all filters", async () => {
    const other = await addChannel(first, account, { transport: "telegram" });
    const [mine, nobodys, failed] = [await newChat(), await newChat(), await newChat()];
    await alice.send("PUT", `chats/${mine.id}/assignee`, { before: null, assignee: "agent-1" });
    const sent = await alice.send("POST", "messages", { id: randomUUID(), chat_id: failed.id, text: "No" });
    await first.db.query("update messages set status = 'error' where id = $1", [
      (sent.json as { message: { id: string } }).message.id,
    ]);
    expect(await all(alice, "?assigned=mine")).toEqual([mine.name]);
    expect(await all(bob, "?assigned=mine")).toEqual([]);
    const free = await all(bob, "?assigned=nobody&limit=2");
    expect(free).toEqual(expect.arrayContaining([nobodys.name, failed.name]));
    expect(free).not.toContain(mine.name);
    expect(new Set(free).size).toBe(free.length);
    expect(await all(alice, "?failed=true")).toEqual([failed.name]);
    expect(await all(alice, "?failed=true&assigned=mine")).toEqual([]);
    expect(await all(alice, `?channel_id=${channel}&assigned=mine`)).toEqual([mine.name]);
    expect(await all(alice, "?transport=whatsapp&assigned=mine&unanswered=true")).toEqual([mine.name]);
    expect(await all(alice, `?channel_id=${other}`)).toEqual([]);
    expect(await all(alice, "?transport=telegram")).toEqual([]);
    expect(await all(alice, `?assigned=mine&search=${mine.name.slice(-5)}`)).toEqual([mine.name]);
    expect(await all(alice, "?assigned=mine&search=nothing")).toEqual([]);
    expect(outcome(await alice.get(`chats?channel_id=${randomUUID()}`))).toBe("404 CHANNEL_NOT_FOUND");
    expect(outcome(await alice.get("chats?assigned=theirs"))).toBe("400 VALIDATION_ERROR assigned");
    // A reply that is sent later ends the failure.
    await arrive([failed.name.split(" ")[1] ?? "", "Are you there?"]);
    expect(await all(alice, "?failed=true")).toEqual([]);
  });

  test("of a card is limited to its chats, with every filter", async () => {
    const [own, foreign] = [await newChat(), await newChat()];
    const filter = [{ chatType: "whatsapp", chatId: own.name.split(" ")[1], name: "Own" }];
    const card = await openInbox(first, account.api, { scope: "card", filter });
    for (const { id } of [own, foreign])
      await alice.send("PUT", `chats/${id}/snooze`, {
        until: new Date(Date.now() + 3_600_000).toISOString(),
      });
    expect(await all(card, "?assigned=nobody")).toEqual([own.name]);
    expect(await all(card, "?snoozed=true")).toEqual([own.name]);
    expect((await card.get("unanswered")).json).toMatchObject({ counter: 1 });
    expect(outcome(await card.send("PUT", `chats/${foreign.id}/pin`, { pinned: true }))).toBe(
      "404 CHAT_NOT_FOUND",
    );
    for (const { id } of [own, foreign]) await alice.send("PUT", `chats/${id}/snooze`, { until: null });
  });

  test("goes on after chats that do not fit, a bounded number at a time", async () => {
    const owner = await addAccount(first.db);
    const line = await addChannel(first, owner, { transport: "whatsapp" });
    await first.db.query(
      `with c as (
         insert into chats (account_id, id, channel_id, chat_type, chat_id, name)
         select $1, gen_random_uuid(), $2, 'whatsapp', n, 'Many ' || n from generate_series(1, 6000) n returning id, chat_id)
       insert into chat_order (account_id, chat, channel_id, minute, at)
       select $1, id, $2, 20000000 + chat_id::int, timestamptz 'epoch' + (20000000 + chat_id::int) * interval '1 minute' from c`,
      [owner.id, line],
    );
    await first.db.query(
      `insert into chat_work (account_id, chat, channel_id, assigned_at, assignee)
       select account_id, id, channel_id, now(), 'agent-1' from chats where account_id = $1 and chat_id::int > 3`,
      [owner.id],
    );
    const page = await openInbox(first, owner.api);
    const begin = await listed(page, "?assigned=nobody");
    expect(begin.chats).toEqual([]);
    expect(begin.next).not.toBeNull();
    expect(await all(page, "?assigned=nobody")).toEqual(["Many 3", "Many 2", "Many 1"]);
    // More chats than can be named: the list itself is read.
    expect((await listed(page, "?assigned=mine&limit=3")).chats.map(({ name }) => name)).toEqual([
      "Many 6000",
      "Many 5999",
      "Many 5998",
    ]);
  });

  test("an employee whom the CRM has not uploaded has a count of unanswered messages", async () => {
    const before = (await bob.get("unanswered")).json as { counter: number };
    await newChat();
    expect((await bob.get("unanswered")).json).toMatchObject({ counter: before.counter + 1, type: "grey" });
  });
});

describe("assignment", () => {
  const assign = (page: OpenInbox, id: string, before: string | null, assignee: string | null) =>
    page.send("PUT", `chats/${id}/assignee`, { before, assignee });

  test("of two agents on two nodes who take a chat, one gets it and the other sees who", async () => {
    const { id } = await newChat();
    const [hers, his] = [await open(alice, first), await open(bob, second)];
    const answers = await Promise.all([assign(alice, id, null, "agent-1"), assign(bob, id, null, "agent-2")]);
    const taken = answers.map(({ json }) => json as { assigned: boolean; chat: Chat });
    expect(taken.map(({ assigned }) => assigned).toSorted()).toEqual([false, true]);
    const winner = taken.find(({ assigned }) => assigned)?.chat.assignee;
    expect(taken.map(({ chat }) => chat.assignee)).toEqual([winner, winner]);
    for (const stream of [hers, his]) {
      await stream.next(isChat(id, ({ assignee }) => assignee?.id === winner?.id));
      const { data } = await stream.next(({ type }) => type === "entry");
      expect(data["entry"]).toMatchObject({ kind: "assigned", from: null, to: winner, author: winner });
    }
    expect((await threadOf(bob, id)).entries).toHaveLength(1);
  });

  test("is idempotent, may be handed over, and each change is a line of the conversation", async () => {
    const { id } = await newChat();
    expect((await assign(alice, id, null, "agent-1")).json).toMatchObject({ assigned: true });
    expect((await assign(alice, id, null, "agent-1")).json).toMatchObject({ assigned: true });
    expect((await assign(alice, id, "agent-1", "agent-2")).json).toMatchObject({
      assigned: true,
      chat: { assignee: { id: "agent-2", name: "Bob" } },
    });
    expect((await assign(alice, id, "agent-1", null)).json).toMatchObject({
      assigned: false,
      chat: { assignee: { id: "agent-2" } },
    });
    expect((await assign(bob, id, "agent-2", null)).json).toMatchObject({ chat: { assignee: null } });
    expect(outcome(await assign(alice, id, null, "agent-77"))).toBe("404 USER_NOT_FOUND");
    const { entries } = await threadOf(alice, id);
    expect(entries.map(({ from, to, author }) => ({ from, to, author: author.name }))).toEqual([
      { from: null, to: { id: "agent-1", name: "Alice" }, author: "Alice" },
      { from: { id: "agent-1", name: "Alice" }, to: { id: "agent-2", name: "Bob" }, author: "Alice" },
      { from: { id: "agent-2", name: "Bob" }, to: null, author: "Bob" },
    ]);
  });

  test("begins with the CRM's responsible user, on pages that may show the CRM's data", async () => {
    const owner = await addAccount(first.db);
    const line = await addChannel(first, owner, { transport: "whatsapp" });
    const token = owner.api;
    await call(first, "POST", "/v3/users", { token, body: [{ id: "u7", name: "Uma" }] });
    const contact = {
      id: "c1",
      responsibleUserId: "u7",
      name: "Pete",
      contactData: [{ chatType: "whatsapp", chatId: "79300000001" }],
    };
    expect((await call(first, "POST", "/v3/contacts", { token, body: [contact] })).status).toBe(200);
    await write(first, { account: owner, channelId: line }, [
      ["79300000001", "Mine"],
      ["79300000002", "Free"],
    ]);
    const uma = await openInbox(first, token, { user: { id: "u7", name: "Uma" } });
    const [chat] = (await listed(uma, "?search=79300000001")).chats;
    expect(chat?.assignee).toEqual({ id: "u7", name: "Uma" });
    expect(await all(uma, "?assigned=mine")).toEqual(["Customer 79300000001"]);
    expect(await all(uma, "?assigned=nobody")).toEqual(["Customer 79300000002"]);
    await first.db.query(
      "update page_tickets set opening = opening || '{\"crm\": false}' where account_id = $1",
      [owner.id],
    );
    expect((await chatOf(uma, chat?.id ?? "")).assignee).toBeNull();
    expect(await all(uma, "?assigned=mine")).toEqual([]);
    expect((await uma.get("colleagues")).json).toEqual([{ id: "u7", name: "Uma" }]);
    // Once somebody was assigned, or nobody, the CRM's user does not count.
    expect((await assign(uma, chat?.id ?? "", null, null)).json).toMatchObject({ assigned: true });
    await first.db.query(
      "update page_tickets set opening = opening || '{\"crm\": true}' where account_id = $1",
      [owner.id],
    );
    expect((await chatOf(uma, chat?.id ?? "")).assignee).toBeNull();
  });
});

describe("internal notes", () => {
  test("are seen by colleagues at once, and stored once", async () => {
    const { id } = await newChat();
    const stream = await open(bob, second);
    const noteId = randomUUID();
    const answers = await Promise.all([1, 2].map(() => note(alice, id, " Pays late ", noteId)));
    for (const { json } of answers)
      expect(json).toMatchObject({
        id: noteId,
        kind: "note",
        text: "Pays late",
        author: { id: "agent-1", name: "Alice" },
      });
    const { data } = await stream.next(({ type }) => type === "entry");
    expect(data["entry"]).toMatchObject({ id: noteId, text: "Pays late" });
    expect((await threadOf(bob, id)).entries).toMatchObject([{ id: noteId }]);
    expect(outcome(await note(bob, id, "Mine", noteId))).toBe("404 MESSAGES_NOT_FOUND");
    expect(outcome(await note(alice, id, "   "))).toBe("400 VALIDATION_ERROR text");
  });

  test("are changed and deleted by their author alone", async () => {
    const { id } = await newChat();
    const { id: noteId } = (await note(alice, id, "Draft")).json as Entry;
    const path = `notes/${noteId}`;
    for (const refused of [await bob.send("PATCH", path, { text: "x" }), await bob.send("DELETE", path)])
      expect(outcome(refused)).toBe("403 FORBIDDEN");
    expect((await alice.send("PATCH", path, { text: "Final" })).json).toMatchObject({
      text: "Final",
      edited_at: expect.any(String),
    });
    const stream = await open(bob, second);
    expect((await alice.send("DELETE", path)).json).toMatchObject({
      text: "",
      deleted_at: expect.any(String),
    });
    await stream.next(({ type, data }) => type === "entry" && (data["entry"] as Entry).text === "");
    expect((await threadOf(bob, id)).entries).toEqual([]);
    expect(outcome(await alice.send("PATCH", path, { text: "Again" }))).toBe("404 MESSAGES_NOT_FOUND");
    expect(await first.db.query("select text from chat_entries where id = $1", [noteId])).toEqual([
      { text: "" },
    ]);
  });

  test("are found by their words, and opened at their place", async () => {
    const { id } = await newChat();
    const { id: noteId } = (await note(alice, id, "Wholesale discount agreed")).json as Entry;
    for (const path of [`search?q=wholesa%20agreed`, `chats/${id}/search?q=WHOLESALE`])
      expect((await bob.get(path)).json).toMatchObject({ notes: [{ note: { id: noteId }, chat: { id } }] });
    const { id: other } = await newChat();
    expect((await bob.get(`chats/${other}/search?q=wholesale`)).json).toMatchObject({ notes: [] });
    const around = await threadOf(bob, id, `?around=${noteId}`);
    expect([around.entries.map((entry) => entry.id), around.messages.length]).toEqual([[noteId], 1]);
    await alice.send("DELETE", `notes/${noteId}`);
    expect((await bob.get("search?q=wholesale")).json).toMatchObject({ notes: [] });
    expect(outcome(await bob.get(`chats/${id}/messages?around=${noteId}`))).toBe("404 MESSAGES_NOT_FOUND");
  });

  test("stand between the messages of every page, however many there are", async () => {
    const { id, name } = await newChat("m0");
    const person = name.split(" ")[1] ?? "";
    await first.db.query(
      `insert into chat_entries (account_id, id, chat, channel_id, kind, author_id, text)
       select $1, gen_random_uuid(), $2, $3, 'note', 'agent-1', 'note ' || n from generate_series(1, 450) n`,
      [account.id, id, channel],
    );
    for (let n = 1; n <= 5; n++) await arrive([person, `m${n} of ${person}`]);
    const forwards: string[] = [];
    const orders: string[] = [];
    let before: string | null = null;
    do {
      const page: Thread = await threadOf(alice, id, `?limit=3${before === null ? "" : `&before=${before}`}`);
      const items = [...page.messages, ...page.entries].toSorted((a, b) =>
        a.order === b.order ? (a.id < b.id ? -1 : 1) : a.order < b.order ? -1 : 1,
      );
      forwards.unshift(...items.map((each) => each.id));
      orders.unshift(...items.map((each) => each.order));
      before = page.before;
    } while (before !== null);
    expect(new Set(forwards).size).toBe(456);
    expect(forwards).toHaveLength(456);
    expect(orders).toEqual(orders.toSorted());
    // From the beginning again, the other way.
    const [start] = forwards;
    const begin = await threadOf(alice, id, `?limit=2&around=${start}`);
    const seen = new Set([...begin.messages, ...begin.entries].map((each) => each.id));
    for (let after = begin.after; after !== null; ) {
      const page: Thread = await threadOf(alice, id, `?limit=3&after=${after}`);
      for (const each of [...page.messages, ...page.entries]) seen.add(each.id);
      after = page.after;
    }
    expect(seen.size).toBe(456);
  });

  test("never reach the customer or the CRM", async () => {
    const owner = await addAccount(first.db);
    const line = await addChannel(first, owner, { transport: "whatsapp" });
    const receiver = await startReceiver(() => 200);
    onTestFinished(() => receiver.stop());
    const SECRET = "TopSecretNote";
    const subscriptions = {
      messagesAndStatuses: true,
      channelsUpdates: true,
      contactsAndDealsCreation: true,
    };
    const webhooks = { webhooksUri: receiver.url, subscriptions };
    expect((await call(first, "PATCH", "/v3/webhooks", { token: owner.api, body: webhooks })).status).toBe(
      200,
    );
    await write(first, { account: owner, channelId: line }, [["79400000001", "Hi there"]]);
    const page = await openInbox(first, owner.api);
    const [chat] = (await listed(page)).chats;
    const id = chat?.id ?? "";
    const messages = () =>
      first.db.query("select id, text, direction from messages where account_id = $1 order by id", [
        owner.id,
      ]);
    const before = { chat: await chatOf(page, id), messages: await messages() };
    const { id: noteId } = (await note(page, id, SECRET)).json as Entry;
    await page.send("PATCH", `notes/${noteId}`, { text: `${SECRET} again` });
    await page.send("PUT", `chats/${id}/assignee`, { before: null, assignee: "agent-1" });
    // What treats a message by its id knows no such message.
    const asMessage = [
      await page.send("POST", `messages/${noteId}/resend`, { id: randomUUID() }),
      await page.send("PATCH", `messages/${noteId}`, { text: "x" }),
      await page.send("DELETE", `messages/${noteId}`),
      await page.send("PUT", `messages/${noteId}/reaction`, { emoji: "👍" }),
      await page.send("POST", "messages", {
        id: randomUUID(),
        chat_id: id,
        text: "x",
        quoted_message_id: noteId,
      }),
      await call(first, "DELETE", `/v3/message/${noteId}`, { token: owner.api }),
      await call(first, "PATCH", `/v3/message/${noteId}`, { token: owner.api, body: { text: "x" } }),
      await call(first, "POST", "/v3/message", {
        token: owner.api,
        body: {
          channelId: line,
          chatType: "whatsapp",
          chatId: "79400000001",
          text: "x",
          refMessageId: noteId,
        },
      }),
    ];
    for (const refused of asMessage) expect(refused.status).toBeGreaterThanOrEqual(400);
    // Nothing is sent, unread, answered, or the last message because of it.
    expect(await messages()).toEqual(before.messages);
    expect(await first.db.query("select from send_jobs where account_id = $1", [owner.id])).toEqual([]);
    expect(await chatOf(page, id)).toEqual({
      ...before.chat,
      assignee: { id: "agent-1", name: "Alice" },
    });
    for (const path of ["/v2/chats", "/v2/chats/whatsapp/79400000001/messages"]) {
      const { status, text } = await call(first, "GET", path, { token: owner.access });
      expect([status, text.includes(SECRET)]).toEqual([200, false]);
    }
    // What receivers get is in the log of events: the customer's messages, and nothing of the note.
    await write(first, { account: owner, channelId: line }, [["79400000001", "Last words"]]);
    const events = await first.db.query<{ body: string; kind: string }>(
      "select body::text, kind from events where account_id = $1 order by id",
      [owner.id],
    );
    const log = JSON.stringify(events);
    expect([log.includes("Hi there"), log.includes("Last words"), log.includes(SECRET)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(log).not.toContain("agent-1");
    expect(JSON.stringify(receiver.received)).not.toContain(SECRET);
  });

  test("are deleted with the chats of their channel", async () => {
    const owner = await addAccount(first.db);
    const line = await addChannel(first, owner, { transport: "whatsapp" });
    await write(first, { account: owner, channelId: line }, [["79500000001", "Hi"]]);
    const page = await openInbox(first, owner.api);
    const [chat] = (await listed(page)).chats;
    await note(page, chat?.id ?? "", "Personal");
    await page.send("PUT", `chats/${chat?.id}/assignee`, { before: null, assignee: "agent-1" });
    await page.send("PUT", `chats/${chat?.id}/pin`, { pinned: true });
    const left = () =>
      first.db.query(
        `select chat from chat_entries where account_id = $1 union all select chat from chat_work where account_id = $1
         union all select chat from chat_marks where account_id = $1`,
        [owner.id],
      );
    expect(await left()).toHaveLength(4);
    const path = `/v2/channels/${line}?delete_chats=true`;
    expect((await call(first, "DELETE", path, { token: owner.access })).status).toBe(200);
    await expect.poll(left, { timeout: 60_000 }).toEqual([]);
  });
});

describe("contact cards", () => {
  const EMPTY = { name: "", phone: "", email: "", comment: "", changed_at: null, changed_by: null };
  const change = (page: OpenInbox, id: string, card: object) => page.send("PATCH", `chats/${id}/card`, card);

  test("are changed field by field, and are told to other pages; the name is kept", async () => {
    const { id, name } = await newChat();
    const [stream, cardOf] = [await open(bob, second), async () => (await bob.get(`chats/${id}/card`)).json];
    expect(await cardOf()).toEqual(EMPTY);
    // Two employees change different fields at once.
    await Promise.all([
      change(alice, id, { name: " Anna  Karpova ", phone: "+7 (900) 123-45-67" }),
      change(bob, id, { comment: "Likes blue\nlamps" }),
    ]);
    await stream.next(({ type, data }) => type === "client" && data["chat_id"] === id);
    await stream.next(isChat(id, (chat) => chat.name === "Anna  Karpova"));
    const card = { name: "Anna  Karpova", phone: "79001234567", email: "", comment: "Likes blue\nlamps" };
    expect(await cardOf()).toMatchObject(card);
    await change(alice, id, { email: "ann@shop.example" });
    expect(await cardOf()).toMatchObject({
      email: "ann@shop.example",
      changed_by: { id: "agent-1", name: "Alice" },
    });
    // What is stored already changes nothing, not even who changed it.
    await change(bob, id, { ...card, email: "ann@shop.example" });
    expect(await cardOf()).toMatchObject({ changed_by: { id: "agent-1" } });

    // The messenger's name does not replace it; without it, the next message does.
    const number = name.replace("Customer ", "");
    await arrive([number, "Once more"]);
    expect((await chatOf(bob, id)).name).toBe("Anna  Karpova");
    expect((await change(alice, id, { name: "", phone: "" })).json).toMatchObject({ name: "", phone: "" });
    await arrive([number, "And again"]);
    expect((await chatOf(bob, id)).name).toBe(name);
  });

  test("refuse what is no number or address, unknown chats and groups", async () => {
    const { id } = await newChat();
    expect(outcome(await change(alice, id, { phone: "ask", email: "ann" }))).toBe(
      "400 VALIDATION_ERROR email phone",
    );
    for (const long of [{ name: "n".repeat(201) }, { comment: "c".repeat(2_001) }])
      expect((await change(alice, id, long)).status).toBe(400);
    expect(outcome(await change(alice, randomUUID(), { name: "Ann" }))).toBe("404 CHAT_NOT_FOUND");
    await first.db.query("update chats set chat_type = 'whatsgroup' where id = $1", [id]);
    expect(outcome(await change(alice, id, { name: "Ann" }))).toBe("403 FORBIDDEN");
  });
});

describe("snoozing", () => {
  const snooze = (page: OpenInbox, id: string, until: Date | null) =>
    page.send("PUT", `chats/${id}/snooze`, { until: until?.toISOString() ?? null });
  const inAnHour = () => new Date(Date.now() + 3_600_000);
  /** Lets the time of a snooze come. */
  const letItEnd = (id: string) =>
    first.db.query("update chat_work set snoozed_until = now() - interval '1 second' where chat = $1", [id]);

  test("takes a chat away from all, and brings it back once, unread and on top", async () => {
    const { id, name } = await newChat();
    for (const page of [alice, bob]) await page.send("POST", `chats/${id}/read`);
    const until = inAnHour();
    expect((await snooze(alice, id, until)).json).toMatchObject({ snoozed_until: until.toISOString() });
    await snooze(alice, id, until);
    expect((await chatOf(bob, id)).snoozed_until).toBe(until.toISOString());
    expect(await all(bob, "?snoozed=true")).toEqual([name]);
    expect((await threadOf(bob, id)).entries).toMatchObject([
      { kind: "snoozed", until: until.toISOString() },
    ]);
    const later = await newChat();
    await first.db.query("update chat_order set at = at - interval '5 seconds' where chat = any($1)", [
      [id, later.id],
    ]);
    const [hers, his] = [await open(alice, first), await open(bob, second)];
    await letItEnd(id);
    const ended = await Promise.all([first, second].map(({ core }) => endSnoozes(core, 10)));
    expect(ended.toSorted()).toEqual([0, 1]);
    for (const stream of [hers, his]) await stream.next(isChat(id, (chat) => chat.marked_unread));
    expect(await chatOf(alice, id)).toMatchObject({ snoozed_until: null, marked_unread: true, unread: 0 });
    expect((await listed(bob)).chats[0]?.id).toBe(id);
    expect((await alice.send("POST", `chats/${id}/read`)).json).toMatchObject({ marked_unread: false });
    expect((await chatOf(bob, id)).marked_unread).toBe(true);
    expect(await all(bob, "?snoozed=true")).toEqual([]);
  });

  test("of an assigned chat brings it back to the assignee", async () => {
    const { id } = await newChat();
    await alice.send("PUT", `chats/${id}/assignee`, { before: null, assignee: "agent-2" });
    await snooze(alice, id, inAnHour());
    await letItEnd(id);
    await endSnoozes(first.core, 10);
    expect([(await chatOf(alice, id)).marked_unread, (await chatOf(bob, id)).marked_unread]).toEqual([
      false,
      true,
    ]);
  });

  test("ends when the customer writes, or an employee ends it", async () => {
    const { id, name } = await newChat();
    await snooze(alice, id, inAnHour());
    await arrive([name.split(" ")[1] ?? "", `Where are you, ${name}?`]);
    expect(await chatOf(bob, id)).toMatchObject({ snoozed_until: null, unread: 2 });
    expect(await all(bob, "?snoozed=true")).toEqual([]);
    await bob.send("POST", `chats/${id}/read`);
    await letItEnd(id);
    await endSnoozes(first.core, 10);
    expect(await chatOf(bob, id)).toMatchObject({ snoozed_until: null, marked_unread: false });
    await snooze(alice, id, inAnHour());
    expect((await snooze(bob, id, null)).json).toMatchObject({ snoozed_until: null, marked_unread: false });
    expect(outcome(await snooze(alice, id, new Date(Date.now() - 1_000)))).toBe("400 VALIDATION_ERROR until");
    expect(outcome(await alice.send("PUT", `chats/${id}/snooze`, { until: "tomorrow" }))).toBe(
      "400 VALIDATION_ERROR until",
    );
  });
});

test("colleagues see who looks at a chat, types in it and leaves it, on any node, within their scope", async () => {
  const [chat, other] = [await newChat(), await newChat()];
  const filter = [{ chatType: "whatsapp", chatId: other.name.split(" ")[1], name: "Other" }];
  const card = await openInbox(second, account.api, { user: { id: "agent-3" }, scope: "card", filter });
  const [hers, his, cards] = [await open(alice, first), await open(bob, second), await open(card, second)];
  const tell = (id: string, state: string, asks = false) =>
    alice.send("POST", `chats/${id}/presence`, { state, asks });
  const presence = (state: string) => (event: StreamEvent) =>
    event.type === "presence" && event.data["state"] === state;
  await tell(chat.id, "viewing", true);
  expect((await his.next(presence("viewing"))).data).toEqual({
    chat_id: chat.id,
    user: { id: "agent-1", name: "Alice" },
    state: "viewing",
    asks: true,
    seconds: 25,
  });
  await tell(chat.id, "typing");
  expect((await his.next(presence("typing"))).data).toMatchObject({ seconds: 8 });
  await tell(chat.id, "left");
  expect((await his.next(presence("left"))).data).toMatchObject({ seconds: 0 });
  await tell(other.id, "viewing");
  await cards.next(presence("viewing"));
  const seen = (stream: TestStream) =>
    stream.events.filter(({ type }) => type === "presence").map(({ data }) => data["chat_id"]);
  expect([seen(hers), seen(cards)]).toEqual([[], [other.id]]);
  expect(
    outcome(await card.send("POST", `chats/${chat.id}/presence`, { state: "viewing", asks: false })),
  ).toBe("404 CHAT_NOT_FOUND");
});
