import { afterAll, beforeAll, expect, test } from "vitest";
import { applyMissedReports } from "../../../src/core/message/early-reports.ts";
import { recordReports } from "../../../src/core/message/record.ts";
import type { InboundMessage, MessageBody, TransportEvent } from "../../../src/core/transport/events.ts";
import { addReceiver } from "../../kit/cursors.ts";
import { addAccount, addChannel, startNode, type TestNode } from "../kit/service.ts";

/** Edits, deletions and reactions that messengers report before the message, edits without content, or of a file. */

let node: TestNode;

beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());

type Event = Extract<TransportEvent, { kind: "message" | "edited" | "deleted" | "reaction" }>;

const SENT_AT = new Date("2030-01-01T12:00:00Z");
const LATER = new Date("2030-01-01T12:00:30Z");
const refOf = (id: string) => ({ chatType: "telegram", chatId: "7", externalId: id }) as const;
const text = (words: string): MessageBody => ({ type: "text", text: words });
const photo = (token: string, words: string, size = 10): MessageBody => ({
  type: "media",
  media: "image",
  file: { token, size },
  text: words,
});

function message(body: MessageBody, id = "m1", more: Partial<InboundMessage> = {}): Event {
  const about = { direction: "in", sentAt: SENT_AT, contact: { name: "Ann" } } as const;
  return { kind: "message", message: { ...refOf(id), ...about, body, ...more } };
}
const edited = (body: MessageBody, id = "m1", at = LATER): Event => ({
  kind: "edited",
  ref: refOf(id),
  body,
  at,
});
const deleted = (id = "m1"): Event => ({ kind: "deleted", ref: refOf(id), at: LATER });

const reacted = (emoji: string | null, second = 30, id = "m1"): Event => ({
  kind: "reaction",
  ref: refOf(id),
  emoji,
  by: { id: "7", name: "Ann" },
  at: new Date(SENT_AT.getTime() + second * 1_000),
});

/** What receivers get of these batches, and how many changes wait at the end. */
async function after(batches: readonly (readonly Event[])[]) {
  const account = await addAccount(node.db);
  const channelId = await addChannel(node, account, { transport: "telegram" });
  await addReceiver(node.db, account.id, ["messages"], "v3");
  await addReceiver(
    node.db,
    account.id,
    ["message.add", "message.edit", "message.delete", "message.reaction"],
    "v2",
  );
  for (const batch of batches)
    await recordReports(
      node.core,
      batch.map((event) => ({ accountId: account.id, channelId, event })),
    );
  const told = await node.db.query<{ kind: string; body: string }>(
    "select kind, body from events where account_id = $1 and kind in ('messages', 'message.add', 'message.edit', 'message.delete', 'message.reaction') order by id",
    [account.id],
  );
  const [{ waiting } = { waiting: -1 }] = await node.db.query<{ waiting: number }>(
    "select count(*)::int as waiting from early_reports where account_id = $1",
    [account.id],
  );
  const items = told.filter(({ kind }) => kind === "messages").map(({ body }) => JSON.parse(body) as object);
  return {
    items,
    reactions: told
      .filter(({ kind }) => kind === "message.reaction")
      .map(({ body }) => JSON.parse(body) as object),
    kinds: told.map(({ kind }) => kind).filter((kind) => kind !== "messages"),
    waiting,
    account,
    channelId,
  };
}

test.each<[string, readonly (readonly Event[])[], readonly object[], number]>([
  [
    "edited",
    [[edited(text("new"))], [message(text("old"))]],
    [{ text: "new", isEdited: true, oldInfo: { oldText: "old" } }],
    0,
  ],
  [
    "edited, in one batch",
    [[edited(text("new")), message(text("old"))]],
    [{ text: "new", isEdited: true }],
    0,
  ],
  [
    "edited twice, and told again",
    [
      [edited(text("newer"), "m1", new Date(LATER.getTime() + 1)), edited(text("new"))],
      [edited(text("new"))],
      [message(text("old"))],
    ],
    [{ text: "newer", isEdited: true }],
    0,
  ],
  ["deleted", [[deleted()], [message(text("old"))]], [{ isDeleted: true, oldInfo: { oldText: "old" } }], 0],
  [
    "edited and deleted",
    [[edited(text("new"))], [deleted()], [message(text("old"))]],
    [{ isEdited: true, isDeleted: true }],
    0,
  ],
  [
    "an album, deleted in each possible part",
    [
      [deleted(), deleted("m1#2"), deleted("m1#3")],
      [message(photo("a", ""), "m1"), message(photo("b", ""), "m1#2")],
    ],
    [{ isDeleted: true }, { isDeleted: true }],
    1,
  ],
  ["another message", [[edited(text("new"))], [message(text("old"), "m2")]], [{ text: "old" }], 1],
])("a message that arrives after it was %s is one item", async (_, batches, expected, left) => {
  const { items, kinds, waiting } = await after(batches);
  expect(items).toMatchObject(expected);
  expect(items).toHaveLength(expected.length);
  expect(kinds).toEqual(expected.map(() => "message.add"));
  expect(waiting).toBe(left);
});

test.each<[string, readonly (readonly Event[])[], readonly (string | null)[], number]>([
  ["", [[reacted("👍")], [message(text("words"))]], ["👍"], 0],
  ["in one batch", [[reacted("👍"), message(text("words"))]], ["👍"], 0],
  [
    "told again before and after",
    [[reacted("👍")], [reacted("👍")], [message(text("words"))], [reacted("👍")]],
    ["👍"],
    0,
  ],
  [
    "that is replaced, the newer one first",
    [[reacted("🔥", 31)], [reacted("👍")], [message(text("words"))]],
    ["🔥"],
    0,
  ],
  ["that is removed", [[reacted("👍")], [reacted(null, 31)], [message(text("words"))]], ["👍", null], 0],
  ["to an edited message", [[edited(text("new")), reacted("👍")], [message(text("words"))]], ["👍"], 0],
  ["to a deleted message", [[reacted("👍")], [deleted()], [message(text("words"))]], ["👍"], 0],
  ["to another message", [[reacted("👍")], [message(text("words"), "m2")]], [], 1],
])("a reaction before its message is told after it: %s", async (_, batches, expected, left) => {
  const { kinds, reactions, waiting } = await after(batches);
  expect(kinds).toEqual(["message.add", ...expected.map(() => "message.reaction")]);
  expect(reactions).toMatchObject(expected.map((emoji) => ({ emoji })));
  expect(waiting).toBe(left);
});

test("many reactions to unknown messages leave room for edits", async () => {
  const reactions = Array.from({ length: 260 }, (_, index) => reacted("👍", 30, `old${index}`));
  const { items, waiting } = await after([reactions, [edited(text("new"))], [message(text("words"))]]);
  expect(items).toMatchObject([{ text: "new" }]);
  expect(waiting).toBe(250);
});

test("changes of the parts of a known message are not kept", async () => {
  const { items, waiting } = await after([[message(text("old"))], [deleted(), deleted("m1#2")]]);
  expect(items).toMatchObject([{ text: "old" }, { isDeleted: true }]);
  expect(waiting).toBe(0);
});

test.each<[string, MessageBody]>([
  ["an empty text", text(" ")],
  ["a kind without words", { type: "unsupported", what: "poll" }],
])("an edit with %s is none", async (_, body) => {
  const { items, waiting } = await after([[edited(body, "m2")], [message(text("words"))], [edited(body)]]);
  expect(items).toMatchObject([{ text: "words" }]);
  expect([items.length, waiting]).toEqual([1, 0]);
});

test.each<[string, MessageBody, MessageBody, object]>([
  [
    "another picture",
    photo("a", "one"),
    photo("b", "one", 11),
    { type: "image", text: "one", isEdited: true },
  ],
  [
    "a picture in place of words",
    text("one"),
    photo("b", "two"),
    { type: "image", text: "two", isEdited: true },
  ],
])("an edit to %s is reported with the file", async (_, before, next, expected) => {
  const { items } = await after([[message(before)], [edited(next)], [edited(next)]]);
  const [first, second] = items as { contentUri?: string; oldInfo?: { oldContentUri?: string } }[];
  expect(items).toHaveLength(2);
  expect(second).toMatchObject({ ...expected, contentUri: expect.any(String) });
  expect(second?.contentUri).not.toBe(first?.contentUri);
  expect(second?.oldInfo?.oldContentUri).toBe(first?.contentUri);
});

test("an edit of the words below a picture keeps the file", async () => {
  const { items } = await after([[message(photo("a", "one"))], [edited(photo("other token", "two"))]]);
  const [first, second] = items as { contentUri?: string; oldInfo?: object }[];
  expect(second).toMatchObject({ text: "two", contentUri: first?.contentUri });
  expect(second?.oldInfo).toEqual({ oldText: "one" });
});

test("a change that missed its message is applied by the upkeep", async () => {
  const { account, channelId } = await after([
    [edited(text("new"), "m2"), reacted("👍", 30, "m2")],
    [message(text("old"))],
  ]);
  // As if the message had been stored by a concurrent transaction.
  await node.db.query("update messages set external_id = 'm2' where account_id = $1", [account.id]);
  await applyMissedReports(node.core);
  const rows = await node.db.query<{ text: string; emoji: string }>(
    "select m.text, r.emoji from messages m join message_reactions r on r.message_id = m.id where m.account_id = $1 and m.channel_id = $2",
    [account.id, channelId],
  );
  expect(rows).toEqual([{ text: "new", emoji: "👍" }]);
});
