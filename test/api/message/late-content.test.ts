import { afterAll, beforeAll, expect, test } from "vitest";
import { recordReports } from "../../../src/core/message/record.ts";
import type { InboundMessage, MessageBody, TransportEvent } from "../../../src/core/transport/events.ts";
import { addReceiver } from "../../kit/cursors.ts";
import { addAccount, addChannel, startNode, type TestNode } from "../kit/service.ts";

/** Messages whose content arrives after they were reported without it. */

let node: TestNode;

beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());

type Event = Extract<TransportEvent, { kind: "message" | "edited" | "deleted" }>;

const CHAT = { chatType: "whatsapp", chatId: "79990000002" } as const;
const REF = { ...CHAT, externalId: "m1" };
const SENT_AT = new Date("2030-01-01T12:00:00Z");
const LATER = new Date("2030-01-01T12:00:30Z");

function message(body: MessageBody, more: Partial<InboundMessage> = {}): Event {
  const about = { direction: "in", sentAt: SENT_AT, contact: { name: "Ann" } } as const;
  return { kind: "message", message: { ...REF, ...about, body, ...more } };
}

const AWAITED = message({ type: "unsupported", what: "unreadable", isAwaited: true });
const TEXT = message({ type: "text", text: "hello" });

/** What receivers get of these events, each batch of which is stored at once, and what is stored at the end. */
async function after(batches: readonly (readonly Event[])[]) {
  const account = await addAccount(node.db);
  const channelId = await addChannel(node, account, { transport: "whatsapp" });
  await addReceiver(node.db, account.id, ["messages"], "v3");
  for (const batch of batches)
    await recordReports(
      node.core,
      batch.map((event) => ({ accountId: account.id, channelId, event })),
    );
  const told = await node.db.query<{ body: string }>(
    "select body from events where account_id = $1 and kind = 'messages' order by id",
    [account.id],
  );
  const stored = await node.db.query<{ type: string; text: string | null; files: number; asks: number }>(
    `select m.type, m.text, (select count(*)::int from files f where f.account_id = m.account_id and f.message_id = m.id) as files,
            (select count(*)::int from unanswered u where u.account_id = m.account_id and u.message_id = m.id) as asks
     from messages m where m.account_id = $1`,
    [account.id],
  );
  return { told: told.map(({ body }) => JSON.parse(body) as Record<string, unknown>), stored };
}

const UNSUPPORTED = { type: "unsupported" };
const FILLED = { type: "text", text: "hello", isEdited: true, status: "inbound", isEcho: false };

test.each<[string, readonly (readonly Event[])[], readonly object[], object]>([
  ["a text", [[AWAITED], [TEXT]], [UNSUPPORTED, FILLED], { type: "text", text: "hello" }],
  [
    "a text, in the same batch",
    [[AWAITED, TEXT]],
    [UNSUPPORTED, { type: "text" }],
    { type: "text", text: "hello" },
  ],
  [
    "a text, repeated",
    [[AWAITED], [TEXT, TEXT], [TEXT], [AWAITED]],
    [UNSUPPORTED, FILLED],
    { type: "text", text: "hello" },
  ],
  [
    "another kind that is not supported",
    [[AWAITED], [message({ type: "unsupported", what: "payment" })], [TEXT]],
    [UNSUPPORTED, { ...UNSUPPORTED, isEdited: true }],
    { type: "unsupported", text: null },
  ],
  [
    "a text that was edited before it arrived",
    [
      [AWAITED],
      [{ kind: "edited", ref: REF, body: { type: "text", text: "hello, Ann" }, at: LATER }],
      [TEXT],
    ],
    [UNSUPPORTED, UNSUPPORTED, { ...FILLED, text: "hello, Ann" }],
    { type: "text", text: "hello, Ann" },
  ],
  [
    "a text that was edited before it arrived, and whose edit arrived last",
    [
      [AWAITED],
      [TEXT],
      [{ kind: "edited", ref: REF, body: { type: "text", text: "hello, Ann" }, at: LATER }],
    ],
    [UNSUPPORTED, FILLED, { ...FILLED, text: "hello, Ann", oldInfo: { oldText: "hello" } }],
    { type: "text", text: "hello, Ann" },
  ],
])("%s takes the place of the awaited message", async (_, batches, told, stored) => {
  const result = await after(batches);
  expect(result.told).toMatchObject(told);
  expect(result.told).toHaveLength(told.length);
  expect(result.stored).toMatchObject([{ ...stored, files: 0 }]);
});

test("a file takes the place of the awaited message, with its quote, and is downloaded", async () => {
  const file = { token: "t", name: "a.pdf", mimeType: "application/pdf", size: 5 };
  const quoted = { externalId: "m0", body: { type: "text", text: "the offer?" } } as const;
  const media = message({ type: "media", media: "document", file, text: "here" }, { quoted });
  const { told, stored } = await after([[AWAITED], [media]]);
  const filled = { type: "document", text: "here", isEdited: true, quotedMessage: { text: "the offer?" } };
  expect(told).toMatchObject([UNSUPPORTED, { ...filled, contentUri: expect.stringMatching(/a\.pdf$/) }]);
  expect(stored).toMatchObject([{ type: "document", text: "here", files: 1 }]);
});

test.each<[string, readonly Event[], number]>([
  ["a message of a kind that is not supported", [message({ type: "unsupported", what: "payment" }), TEXT], 1],
  ["a message with content", [message({ type: "text", text: "first" }), TEXT], 1],
  [
    "an awaited message that was deleted meanwhile",
    [AWAITED, { kind: "deleted", ref: REF, at: LATER }, TEXT],
    2,
  ],
])("%s stays as it is", async (_, events, count) => {
  const { told, stored } = await after(events.map((event) => [event]));
  expect(told).toHaveLength(count);
  expect(stored[0]?.text).not.toBe("hello");
});

test("a message whose content arrives late counts as unanswered once", async () => {
  const sentAt = new Date();
  const [awaited, text] = [AWAITED, TEXT].map((event) =>
    event.kind === "message" ? message(event.message.body, { sentAt }) : event,
  );
  if (awaited === undefined || text === undefined) throw new Error("no events");
  expect((await after([[awaited], [text]])).stored).toMatchObject([{ type: "text", asks: 1 }]);
});
