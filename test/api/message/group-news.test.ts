import { Readable } from "node:stream";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { moveChat } from "../../../src/core/chat/move.ts";
import { markStored, takeWaitingFiles } from "../../../src/core/file/files.ts";
import { createAcceptQueue } from "../../../src/core/message/accept.ts";
import type { AcceptedMessage } from "../../../src/core/message/accepted-message.ts";
import type {
  GroupEvent,
  InboundMessage,
  MemberChange,
  MembersEvent,
} from "../../../src/core/transport/events.ts";
import { newId } from "../../../src/platform/ids.ts";
import { holdTx } from "../../kit/database.ts";
import { type Receiver, startReceiver } from "../../kit/receiver.ts";
import { call } from "../kit/call.ts";
import { startDelivery } from "../kit/delivery.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";
import { sweeperOf } from "../kit/sweeper.ts";

let node: TestNode;
let stopDelivery: () => Promise<void>;
let receiver: Receiver;
let account: TestAccount;
let channelId: string;

beforeAll(async () => {
  node = await startNode();
  stopDelivery = await startDelivery(node);
});
beforeEach(async () => {
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "telegram" });
  receiver = await startReceiver();
  const events = ["message.add", "group_chat.update", "group_chat.memberships_update"];
  await call(node, "POST", "/v2/webhooks", {
    token: account.access,
    body: { data: events.map((event) => ({ url: receiver.url, event })) },
  });
  return () => receiver.stop();
});
afterAll(async () => {
  await stopDelivery();
  await node.stop();
});

const CHAT = { chatType: "telegroup", chatId: "-100" } as const;
const ANN = { id: "1", name: "Ann", phone: "79001112233" };
const BOB = { id: "2", name: "Bob", username: "bob" };
const at = (second: number): Date => new Date(Date.UTC(2030, 0, 1, 0, 0, second));

type Reported = Parameters<TestNode["core"]["reports"]["add"]>[0]["event"];
const report = (event: Reported): Promise<void> =>
  node.core.reports.add({ accountId: account.id, channelId, event });
const group = (key: string, second: number, more: Partial<GroupEvent>): Promise<void> =>
  report({ kind: "group", ref: { ...CHAT, externalId: key }, at: at(second), by: ANN, ...more });
const members = (
  key: string,
  second: number,
  changes: readonly MemberChange[],
  more: Partial<MembersEvent> = {},
) =>
  report({
    kind: "members",
    ref: { ...CHAT, externalId: key },
    at: at(second),
    by: ANN,
    title: "Team",
    members: changes,
    ...more,
  });
const write = (
  text: string,
  name = "Team",
  chat: Pick<InboundMessage, "chatType" | "chatId"> = CHAT,
): Promise<void> =>
  report({
    kind: "message",
    message: {
      ...chat,
      externalId: text,
      direction: "in",
      sentAt: at(0),
      contact: { name },
      sender: { id: "1", name: "Ann" },
      body: { type: "text", text },
    },
  });

interface Item {
  readonly event: string;
  readonly text?: string;
  readonly name?: string;
  readonly old_name?: string | null;
  readonly changes?: readonly string[];
  readonly avatar_uri?: string | null;
  readonly members?: readonly { readonly action: string; readonly id: string }[];
}

/** All that came up to a message that is written last. */
async function told(): Promise<Item[]> {
  await write("the end");
  const items = (): Item[] =>
    receiver.posts.flatMap(({ body }) => {
      const { event, data } = JSON.parse(body) as { event: string; data: object[] };
      return data.map((item) => ({ event, ...item }));
    });
  await vi.waitUntil(() => items().some(({ text }) => text === "the end"));
  return items().filter(({ text }) => text !== "the end");
}

/** In few words. */
const said = (items: readonly Item[]): string[] =>
  items.map(({ event, text, old_name, name, changes, members: people }) => {
    if (event === "message.add") return `message ${text}`;
    if (people !== undefined) return people.map(({ action, id }) => `${action} ${id}`).join(", ");
    return changes?.includes("name") ? `${old_name} -> ${name}` : `${changes?.join()} of ${name}`;
  });

test("a change is published once, completely, and in order with the chat's messages", async () => {
  await write("before");
  await group("10", 1, { title: "Crew" });
  await write("between", "Crew");
  await members("11", 2, [
    { change: "added", person: BOB },
    { change: "removed", person: { id: "3", name: "Max" } },
  ]);
  await write("after", "Crew");
  await group("10", 1, { title: "Crew" });
  await members("11", 2, [{ change: "added", person: BOB }]);
  const items = await told();
  expect(said(items)).toEqual([
    "message before",
    "Team -> Crew",
    "message between",
    "added 2, removed 3",
    "message after",
  ]);
  const of = {
    channel_id: channelId,
    chat_type: "telegroup",
    chat_id: "-100",
    changed_by: { id: "1", name: "Ann", username: null, phone: "79001112233" },
    avatar_uri: null,
  };
  expect(items[1]).toEqual({
    event: "group_chat.update",
    ...of,
    timestamp: at(1).getTime(),
    changes: ["name"],
    name: "Crew",
    old_name: "Team",
  });
  expect(items[3]).toEqual({
    event: "group_chat.memberships_update",
    ...of,
    timestamp: at(2).getTime(),
    name: "Team",
    members: [
      { action: "added", id: "2", name: "Bob", username: "bob", phone: null },
      { action: "removed", id: "3", name: "Max", username: null, phone: null },
    ],
  });
});

test("a group without messages is known from then on", async () => {
  await members("1", 1, [{ change: "added", person: BOB }]);
  await group("2", 2, { title: "Crew" });
  const [, renamed] = await told();
  expect(renamed).toMatchObject({ name: "Crew", old_name: "Team" });
});

test("names: only changes are published, and repetitions have no effect", async () => {
  await write("a", "Old");
  await group("1", 1, { title: "One" });
  await group("2", 2, { title: "Two" });
  await group("1", 1, { title: "One" });
  await group("3", 3, { title: "Two" });
  // What comes late is over already.
  await group("4", 1, { title: "Late" });
  await write("b", "Three");
  // Told although a message brought it before.
  await group("5", 5, { title: "Three" });
  expect(said(await told())).toEqual(["message a", "Old -> One", "One -> Two", "message b", "Two -> Three"]);
});

test("a name that is looked up is published only if the group had another name", async () => {
  const seen = (second: number, title: string) => group("", second, { title, isSeen: true });
  await seen(1, "Nobody knows it");
  await write("a", "One");
  await seen(1, "One");
  await seen(2, "Two");
  await seen(2, "Two");
  await seen(1, "One");
  await group("1", 2, { title: "Two" });
  await write("b", "Two");
  expect(said(await told())).toEqual(["message a", "One -> Two", "message b"]);
});

test("members: a change reported in two ways is published once", async () => {
  const one = (change: MemberChange["change"]): MemberChange[] => [{ change, person: BOB }];
  await members("m1", 1, one("added"));
  await members("u1", 1, one("added"));
  await members("u2", 2, one("promoted"));
  await members("m2", 2, one("added"));
  await members("u3", 3, one("demoted"));
  await members("u4", 4, one("removed"));
  await members("m4", 5, one("left"));
  // Repetitions and what comes late.
  await members("m1", 1, one("added"));
  await members("m0", 1, one("added"));
  await members("u5", 6, one("added"));
  expect(said(await told())).toEqual(["added 2", "promoted 2", "demoted 2", "removed 2", "added 2"]);
});

test("a picture is published with its link at once, and its removal too", async () => {
  await write("a");
  await group("1", 1, { picture: { token: "file-1", name: "team.jpg" } });
  const file = await vi.waitUntil(async () => (await takeWaitingFiles(node.db, [channelId], 10))[0]);
  expect(file).toMatchObject({ source: { token: "file-1" }, isAvatar: true });
  await node.core.files.put(file.id, Readable.from([Buffer.from("a team")]), { maxBytes: 100 });
  await markStored(node.db, file, { size: 6, mimeType: "image/jpeg", name: null });
  await group("2", 2, { title: "Crew" });
  await group("3", 3, { picture: null });
  await group("4", 4, { title: "Team" });
  const [, pictured, renamed, bare, again] = await told();
  expect(pictured).toMatchObject({ changes: ["avatar"], name: "Team", old_name: null });
  expect(pictured?.avatar_uri).toMatch(/\/files\/[\w-]{32}\/team\.jpg$/);
  const path = new URL(pictured?.avatar_uri ?? "").pathname;
  expect((await call(node, "GET", path)).text).toBe("a team");
  expect(renamed).toMatchObject({ changes: ["name"], avatar_uri: pictured?.avatar_uri });
  expect(bare).toMatchObject({ changes: ["avatar"], avatar_uri: null });
  expect(again).toMatchObject({ changes: ["name"], avatar_uri: null });
});

test("a picture that is removed before its download does not come back", async () => {
  await write("a");
  await group("1", 1, { picture: { token: "file-1" } });
  const file = await vi.waitUntil(async () => (await takeWaitingFiles(node.db, [channelId], 10))[0]);
  expect((await told()).at(-1)?.avatar_uri).toMatch(/\/files\/[\w-]{32}\/image\.jpg$/);
  await group("2", 2, { picture: null });
  await markStored(node.db, file, { size: 6, mimeType: "image/jpeg", name: null });
  await group("3", 3, { title: "Crew" });
  expect((await told()).at(-1)).toMatchObject({ changes: ["name"], avatar_uri: null });
});

test("a group continues under its new id", async () => {
  await write("a");
  await members("1", 1, [{ change: "added", person: BOB }]);
  await report({ kind: "moved", ...CHAT, newChatId: "-200" });
  const moved = { chatType: "telegroup", chatId: "-200" } as const;
  await report({ kind: "group", ref: { ...moved, externalId: "2" }, at: at(2), title: "Crew" });
  await report({
    kind: "members",
    ref: { ...moved, externalId: "3" },
    at: at(3),
    title: "Crew",
    members: [{ change: "added", person: BOB }],
  });
  const items = await told();
  expect(said(items)).toEqual(["message a", "added 2", "Team -> Crew"]);
  expect(items[2]).toMatchObject({ chat_id: "-200", changed_by: null });
});

test("a group continues under its new id also if that is seen before the move", async () => {
  await write("a");
  const moved = { chatType: "telegroup", chatId: "-200" } as const;
  await report({
    kind: "members",
    ref: { ...moved, externalId: "3" },
    at: at(3),
    title: "Team",
    members: [{ change: "added", person: BOB }],
  });
  await report({ kind: "moved", ...CHAT, newChatId: "-200" });
  await report({ kind: "moved", ...CHAT, newChatId: "-200" });
  await group("4", 4, { ref: { ...moved, externalId: "4" }, title: "Crew" });
  const chats = await node.db.query("select chat_id, name from chats where account_id = $1", [account.id]);
  expect(chats).toEqual([{ chat_id: "-200", name: "Crew" }]);
  await write("the end", "Crew", moved);
  const inOne = await node.db.query("select distinct chat from messages where account_id = $1", [account.id]);
  expect(inOne).toHaveLength(1);
});

test("a group continues under its new id in reports that are stored together", async () => {
  await write("a");
  const moved = { chatType: "telegroup", chatId: "-200" } as const;
  await Promise.all([
    write("b"),
    report({ kind: "moved", ...CHAT, newChatId: "-200" }),
    write("c", "Crew", moved),
  ]);
  expect(said(await told())).toEqual(["message a", "message b", "message c"]);
  const chats = await node.db.query("select chat_id from chats where account_id = $1", [account.id]);
  expect(chats).toEqual([{ chat_id: "-200" }]);
});

test("published changes are forgotten after a month, not before", async () => {
  await members("1", 1, [{ change: "added", person: BOB }]);
  await members("2", 2, [{ change: "added", person: { id: "3", name: "Max" } }]);
  const old =
    "update group_changes set reported_at = now() - interval '31 days' where account_id = $1 and external_id = $2";
  await node.db.query(old, [account.id, "members:1"]);
  await node.db.query(
    "update group_members set reported_at = now() - interval '31 days' where account_id = $1 and person = $2",
    [account.id, BOB.id],
  );
  const sweeper = sweeperOf(node);
  sweeper.start();
  const left = () =>
    node.db.query(
      `select external_id as it from group_changes where account_id = $1
       union all select person from group_members where account_id = $1`,
      [account.id],
    );
  await expect.poll(left, { interval: 100 }).toEqual([{ it: "members:2" }, { it: "3" }]);
  await sweeper.stop();
});

test("nothing of it is left after its chats are deleted", async () => {
  await members("1", 1, [{ change: "added", person: BOB }]);
  const answer = await call(node, "DELETE", `/v2/channels/${channelId}?delete_chats=true`, {
    token: account.access,
  });
  expect(answer.status).toBe(200);
  const left = await node.db.query(
    `select 1 from group_changes where account_id = $1 union all select 1 from group_members where account_id = $1
     union all select 1 from chats where account_id = $1`,
    [account.id],
  );
  expect(left).toEqual([]);
});

test("the test of a receiver shows both", async () => {
  const { json } = await call(node, "GET", "/v3/webhooks/receivers", { token: account.api });
  const { receiverId } = (json as { receiverId: string; url: string }[]).find(
    ({ url }) => url === receiver.url,
  ) ?? { receiverId: "none" };
  await call(node, "POST", `/v3/webhooks/test?receiverId=${receiverId}`, { token: account.api });
  const events = receiver.posts.map(({ body }) => (JSON.parse(body) as { event: string }).event);
  expect(events.toSorted()).toEqual(["group_chat.memberships_update", "group_chat.update", "message.add"]);
});

describe("a group is renamed to the id of an empty chat while a message to that chat is accepted", () => {
  const NEW_ID = "-1001";
  const waits =
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  const untilOneWaits = () =>
    vi.waitUntil(async () => (await node.db.query(waits)).length > 0, { timeout: 30_000 });
  const chatsOf = async () => {
    const rows = await node.db.query<{ id: string; chat_id: string; texts: string[] }>(
      `select c.id, c.chat_id, array(select m.text from messages m where m.account_id = c.account_id and m.chat = c.id
         order by m.created_at, m.id) as texts
       from chats c where c.account_id = $1 and c.channel_id = $2 order by c.created_at`,
      [account.id, channelId],
    );
    return rows;
  };
  const named = async (chatId: string) =>
    (await chatsOf()).find(({ chat_id: id }) => id === chatId)?.id ?? "";

  beforeEach(async () => {
    await write("before");
    await report({
      kind: "group",
      ref: { ...CHAT, chatId: NEW_ID, externalId: "new" },
      at: at(1),
      by: ANN,
      title: "Team",
    });
  });

  test("the rename first: the message goes to the group", async () => {
    const chat = await named(CHAT.chatId);
    const sent = await holdTx(node.db, async (tx) => {
      expect(await moveChat(tx, { accountId: account.id, chat, newChatId: NEW_ID })).toBe(true);
      const body = {
        channel_id: channelId,
        recipient: { chat_type: "telegroup", chat_id: NEW_ID },
        text: "hello",
      };
      const answer = call(node, "POST", "/v2/messages", { token: account.access, body });
      await untilOneWaits();
      return { answer };
    });
    expect((await sent.answer).status).toBe(200);
    expect(await chatsOf()).toEqual([{ id: chat, chat_id: NEW_ID, texts: ["before", "hello"] }]);
  });

  test("the message first: its chat stays", async () => {
    const [chat, empty] = [await named(CHAT.chatId), await named(NEW_ID)];
    const message: AcceptedMessage = {
      account_id: account.id,
      id: newId(),
      channel_id: channelId,
      chat: empty,
      chat_type: "telegroup",
      chat_id: NEW_ID,
      chat_name: "",
      new_chat: false,
      type: "text",
      text: "hello",
      content: {},
      quoted_id: null,
      author_id: null,
      author_name: null,
      crm_message_id: null,
    };
    const { moved } = await holdTx(node.db, async (tx) => {
      const queue = createAcceptQueue(
        { ...node.db, query: (...query) => tx.query(...query) },
        () => undefined,
      );
      expect(await queue.add(message)).toBe("stored");
      const renames = node.db.tx((other) =>
        moveChat(other, { accountId: account.id, chat, newChatId: NEW_ID }),
      );
      await untilOneWaits();
      return { moved: renames };
    });
    expect(await moved).toBe(false);
    expect(await chatsOf()).toEqual([
      { id: chat, chat_id: CHAT.chatId, texts: ["before"] },
      { id: empty, chat_id: NEW_ID, texts: ["hello"] },
    ]);
  });
});
