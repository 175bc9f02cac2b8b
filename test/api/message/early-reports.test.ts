import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyMissedReports, storeEarlyReports } from "../../../src/core/message/early-reports.ts";
import { TransportError } from "../../../src/core/transport/errors.ts";
import type { TransportEvent } from "../../../src/core/transport/events.ts";
import { newId } from "../../../src/platform/ids.ts";
import { startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { call } from "../kit/call.ts";
import { createMessenger, startSending, type TestMessenger } from "../kit/sending.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

/** Reports about a message that overtake the messenger's answer to its sending. */

const WIDE = { perSecond: 1_000, burst: 1_000 };

let database: TestDatabase;
let messenger: TestMessenger;
let node: TestNode;
let account: TestAccount;
let channelId: string;
let stop: () => Promise<void>;
let chats = 0;

beforeAll(async () => {
  database = await startTestDatabase();
  messenger = createMessenger(
    { channel: WIDE, chat: WIDE, jitterMs: 0 },
    { receipts: ["delivered", "read"], resend: "unsafe" },
  );
  node = await startNode({ transports: [messenger.transport], database });
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "whatsapp" });
  stop = await startSending(node, { pacing: false });
  await node.db.query(
    "insert into webhook_endpoints (account_id, id, version, url, kinds, secret) values ($1, $2, 'v3', '', $3, $4)",
    [account.id, newId(), ["statuses"], randomBytes(32)],
  );
});
afterAll(async () => {
  await stop();
  await node.stop();
  await database.stop();
});

interface Held {
  readonly externalId: string;
  /** The messenger responds; resolves when the message's statuses have been published. */
  answer(statuses: readonly string[]): Promise<void>;
  report(from: TestNode, event: EarlyEvent): Promise<void>;
}
type EarlyEvent = "delivered" | "read" | "failed" | "read up to it" | "read up to now";

/** A message whose request has left, and whose answer is held back. */
async function held(chatId: string): Promise<Held> {
  const answered = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const externalId = `of ${chatId}`;
  messenger.name = (to) => `of ${to}`;
  messenger.hinder = (to) => {
    if (to !== chatId) return;
    left.resolve();
    return answered.promise;
  };
  const recipient = { chat_type: "whatsapp", chat_id: chatId };
  await call(node, "POST", "/v2/messages", {
    token: account.access,
    body: { channel_id: channelId, recipient, text: "Hello" },
  });
  await left.promise;
  return {
    externalId,
    report: (from, event) =>
      from.core.reports.add({
        accountId: account.id,
        channelId,
        event: eventOf(event, { chatType: "whatsapp", chatId, externalId }),
      }),
    async answer(statuses) {
      answered.resolve();
      await expect.poll(() => toldOf(chatId)).toEqual(statuses);
    },
  };
}

type Fate = Extract<TransportEvent, { kind: "receipt" | "failed" | "readUpTo" }>;

function eventOf(
  event: EarlyEvent,
  ref: { readonly chatType: "whatsapp"; readonly chatId: string; readonly externalId: string },
): Fate {
  const at = new Date();
  const { chatType, chatId, externalId } = ref;
  switch (event) {
    case "delivered":
    case "read":
      return { kind: "receipt", ref, status: event, at };
    case "failed":
      return { kind: "failed", ref, error: { code: "BAD_CONTACT", description: "They left" }, at };
    case "read up to it":
      return { kind: "readUpTo", chatType, chatId, upTo: { externalId }, at };
    case "read up to now":
      return { kind: "readUpTo", chatType, chatId, upTo: { sentAt: new Date(Date.now() + 60_000) }, at };
  }
}

async function toldOf(chatId: string): Promise<string[]> {
  const rows = await node.db.query<{ body: string }>(
    `select e.body from events e join chats c on c.id = e.chat
     where c.chat_id = $1 and e.kind = 'statuses' order by e.id`,
    [chatId],
  );
  return rows.map(({ body }) => (JSON.parse(body) as { status: string }).status);
}

const kept = async (): Promise<number> => (await node.db.query("select 1 from early_reports")).length;

test.each<[string, readonly EarlyEvent[], readonly string[]]>([
  ["a receipt", ["delivered"], ["sent", "delivered"]],
  ["two receipts", ["delivered", "read"], ["sent", "delivered", "read"]],
  ["a receipt that is repeated", ["delivered", "delivered"], ["sent", "delivered"]],
  ["a failure", ["failed"], ["sent", "error"]],
  ["a reading up to the message", ["read up to it"], ["sent", "read"]],
  ["a reading up to a time", ["read up to now"], ["sent", "read"]],
])(
  "%s that overtakes the response is published after it, although the node that received it has died",
  async (_, events, statuses) => {
    const message = await held(`7900111000${++chats}`);
    const other = await startNode({ transports: [messenger.transport], database });
    for (const event of events) await message.report(other, event);
    await other.stop();
    await message.answer(statuses);
    await expect.poll(kept).toBe(0);
  },
);

test("a receipt between two attempts is published after the outcome", async () => {
  const message = await held(`7900111000${++chats}`);
  await node.db.query("update send_jobs set started_epoch = null");
  await message.report(node, "delivered");
  await message.answer(["sent", "delivered"]);
  await expect.poll(kept).toBe(0);
});

test("a single node finds the reports that it stored", async () => {
  node.core.signals.setOthers(false);
  const message = await held(`7900111000${++chats}`);
  await message.report(node, "delivered");
  await message.answer(["sent", "delivered"]);
  await expect.poll(kept).toBe(0);
  node.core.signals.setOthers(true);
});

test("a report applied late is published once, whichever node finds it", async () => {
  const message = await held("79001110777");
  await message.report(node, "delivered");
  await Promise.all([applyMissedReports(node.core), applyMissedReports(node.core)]);
  expect(await kept()).toBe(1);
  await message.answer(["sent", "delivered"]);
  await message.report(node, "delivered");
  expect([await toldOf("79001110777"), await kept()]).toEqual([["sent", "delivered"], 0]);
});

test("an unknown outcome does not override the messenger's report", async () => {
  const chatId = "79001110776";
  messenger.hinder = async () => {
    const [message] = await node.db.query<{ id: string }>("select id from messages order by id desc limit 1");
    const ref = {
      chatType: "whatsapp",
      chatId,
      externalId: `of ${chatId}`,
      messageId: message?.id ?? "",
    } as const;
    await node.core.reports.add({
      accountId: account.id,
      channelId,
      event: { kind: "receipt", ref, status: "sent", at: new Date() },
    });
    throw new TransportError("UNKNOWN_ERROR", "no answer", { retry: "unknown" });
  };
  const recipient = { chat_type: "whatsapp", chat_id: chatId };
  const body = { channel_id: channelId, recipient, text: "Hello" };
  await call(node, "POST", "/v2/messages", { token: account.access, body });
  const jobs = () => node.db.query("select 1 from send_jobs where kind = 'send'");
  await expect.poll(async () => (await toldOf(chatId)).length > 0 && (await jobs()).length === 0).toBe(true);
  expect(await toldOf(chatId)).toEqual(["sent"]);
});

/** As a process leaves it behind that dies before it applies it. */
async function keepReading({ externalId }: Held, chatId: string): Promise<void> {
  await node.db.query(
    `insert into early_reports (account_id, channel_id, chat, external_id, event)
     select account_id, channel_id, chat, external_id, $2 from messages where external_id = $1`,
    [
      externalId,
      JSON.stringify({
        kind: "receipt",
        ref: { chatType: "whatsapp", chatId, externalId },
        status: "read",
        at: { $date: new Date().toISOString() },
      }),
    ],
  );
}

test("a report that was not applied is found by the upkeep", async () => {
  const message = await held("79001110778");
  await message.answer(["sent"]);
  await keepReading(message, "79001110778");
  await applyMissedReports(node.core);
  expect([await toldOf("79001110778"), await kept()]).toEqual([["sent", "read"], 0]);
});

test("the upkeep finds a report behind many older ones that are not due", async () => {
  const message = await held("79001110781");
  await message.answer(["sent"]);
  const other = await addAccount(node.db);
  await node.db.query(
    `insert into early_reports (account_id, channel_id, chat, external_id, event, kept_at)
     select $1, gen_random_uuid(), gen_random_uuid(), 'unknown', '{}', now() - interval '1 hour'
     from generate_series(1, 1500)`,
    [other.id],
  );
  await keepReading(message, "79001110781");
  for (let run = 0; run < 3; run++) await applyMissedReports(node.core);
  expect(await toldOf("79001110781")).toEqual(["sent", "read"]);
  await node.db.query("delete from early_reports");
});

test("reports are stored only for messages that the channel is sending, up to the account's limit", async () => {
  const message = await held("79001110779");
  const about = (externalId: string, chatId = "79001110779") =>
    node.core.reports.add({
      accountId: account.id,
      channelId,
      event: eventOf("delivered", { chatType: "whatsapp", chatId, externalId }),
    });
  await about("of another program", "79001110780");
  expect(await kept()).toBe(0);
  await Promise.all(Array.from({ length: 3_000 }, (_, index) => about(`another ${index}`)));
  const most = await kept();
  expect(most).toBeGreaterThanOrEqual(1_000);
  expect(most).toBeLessThan(1_000 + 256);
  await message.answer(["sent"]);
  await node.db.query("delete from early_reports");
});

test("a receipt reads no more than the first jobs of a long queue", async () => {
  const chat = newId();
  await node.db.query(
    `insert into send_jobs (account_id, channel_id, chat, message_id, kind, not_before)
     select $1, $2, $3, gen_random_uuid(), 'send', now() + interval '1 hour' from generate_series(1, 2000)`,
    [account.id, channelId, chat],
  );
  const [last] = await node.db.query<{ message_id: string }>(
    `with last as (select message_id from send_jobs where chat = $3 order by id desc limit 1)
     insert into messages (account_id, id, channel_id, chat, direction, type, status, text, sent_at)
     select $1, message_id, $2, $3, 'out', 'text', 'queued', 'Hello', now() from last returning id as message_id`,
    [account.id, channelId, chat],
  );
  const event = {
    kind: "receipt",
    status: "read",
    ref: { chatType: "whatsapp", chatId: "1", externalId: "unknown" },
    at: new Date(),
  } as const;
  const fetched = await node.db.tx(async (tx) => {
    // Of this transaction, and of earlier ones of its connection.
    const readJobs = async () => {
      const [row] = await tx.query<{ rows: number }>(
        "select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = 'send_jobs'",
      );
      return row?.rows ?? 0;
    };
    const before = await readJobs();
    const of = { accountId: account.id, channelId, chat };
    const named = { ...event, ref: { ...event.ref, messageId: last?.message_id ?? "" } };
    const { chats: kept } = await storeEarlyReports(tx, [
      { ...of, event },
      { ...of, event: named },
    ]);
    expect(kept).toEqual([chat]);
    return (await readJobs()) - before;
  });
  await node.db.query("delete from send_jobs where chat = $1", [chat]);
  await node.db.query("delete from messages where chat = $1", [chat]);
  expect(fetched).toBeLessThan(500);
});
