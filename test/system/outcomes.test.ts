import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { follow } from "../../src/core/event/live-log.ts";
import type { Published } from "../../src/core/event/log.ts";
import { LogReaders } from "../../src/core/event/log-readers.ts";
import { publish } from "../../src/core/event/publish.ts";
import { recordOutcomes, type SendOutcome } from "../../src/core/message/outcome.ts";
import { recordOutcomeAtOnce } from "../../src/core/message/outcome-at-once.ts";
import { type Database, openDatabase } from "../../src/database/database.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { newId } from "../../src/platform/ids.ts";
import { addReceiver } from "../kit/cursors.ts";
import { holdTx, quietLog, startTestDatabase, type TestDatabase } from "../kit/database.ts";

let database: TestDatabase;
let db: Database;
let accountId = 20_000_000;
const CHANNEL = newId();
const NOW = new Date("2026-03-01T12:00:00.000Z");
const LATER = "2026-03-01T12:00:01.000Z";
const SENT_AT = new Date("2026-03-01T11:59:59.000Z");

beforeAll(async () => {
  database = await startTestDatabase();
  db = openDatabase({ connection: database.connection, log: quietLog, applicationName: "test" });
});
afterAll(async () => {
  await db.close();
  await database.stop();
});
beforeEach(async () => {
  await db.query("insert into accounts (id, name) values ($1, 'Test')", [++accountId]);
});

interface Waiting {
  readonly content?: object;
  readonly status?: string;
  readonly statusAt?: string;
  /** Of the message: by now it belongs to another chat than its job. */
  readonly chat?: string;
}

/** A message whose request has ended, with its job. */
async function addSend({ content, status = "queued", statusAt, chat }: Waiting = {}): Promise<SendOutcome> {
  const [messageId, jobChat] = [newId(), newId()];
  await db.query(
    `insert into messages (account_id, id, channel_id, chat, direction, type, status, status_at, text, content, author_id, sent_at)
     values ($1, $2, $3, $4, 'out', 'text', $5, $6, 'Hello', $7, 'ann', $8)`,
    [accountId, messageId, CHANNEL, chat ?? jobChat, status, statusAt ?? null, content ?? null, SENT_AT],
  );
  const [job] = await db.query<{ id: number }>(
    `insert into send_jobs (account_id, channel_id, chat, message_id, kind) values ($1, $2, $3, $4, 'send') returning id`,
    [accountId, CHANNEL, jobChat, messageId],
  );
  const result = { kind: "sent", externalId: messageId, chatId: "100", sentAt: SENT_AT } as const;
  return { accountId, channelId: CHANNEL, chat: jobChat, messageId, jobId: job?.id ?? 0, result };
}

const core = () =>
  ({
    db,
    clock: { ...systemClock, now: () => NOW },
    settings: { publicUrl: "http://x" },
    logReaders: new LogReaders(() => systemClock.monotonicMs()),
  }) as never;

const atOnce = (outcome: SendOutcome) => recordOutcomeAtOnce(core(), outcome);
const inTransaction = (outcome: SendOutcome): Promise<readonly Published[]> =>
  db.tx(async (tx) => publish(tx, await recordOutcomes(core(), tx, [outcome])));

/** What is stored, without the ids that differ between two messages. */
async function stored({ messageId, chat }: SendOutcome): Promise<unknown> {
  const messages = await db.query(
    `select status, status_at, external_id, sent_at, error, chat = $2 as "inChatOfJob" from messages where id = $1`,
    [messageId, chat],
  );
  const events = await db.query<{ body: string }>(
    `select kind, channel_id, chat = $2 as "inChatOfJob", subject = $1::uuid::text as "ofMessage", body, cardinality(receivers) as receivers
     from events where subject = $1::uuid::text order by id`,
    [messageId, chat],
  );
  const jobs = await db.query("select 1 from send_jobs where account_id = $1 and message_id = $2", [
    accountId,
    messageId,
  ]);
  return JSON.parse(JSON.stringify({ messages, events, jobs }).replaceAll(messageId, "MESSAGE"));
}

describe("an outcome that is stored in one statement", () => {
  test.each<[string, Waiting, Partial<SendOutcome>]>([
    ["of a sent message", {}, {}],
    ["of a failed one", {}, { result: { kind: "failed", error: { code: "X", description: 'a "b" \\ \0' } } }],
    ["of a message in another chat by now", { chat: newId() }, {}],
    ["of a message that the messenger has reported on", { status: "delivered", statusAt: LATER }, {}],
    ["of a job that another owner has ended", {}, { jobId: 0 }],
  ])("%s equals the one of a transaction", async (_, waiting, change) => {
    for (const version of ["v2", "v3"] as const)
      await addReceiver(db, accountId, ["statuses", "message.status_update"], version);
    await follow(db, accountId);
    const [one, other] = [await addSend(waiting), await addSend(waiting)].map((each) => ({
      ...each,
      ...change,
    })) as [SendOutcome, SendOutcome];
    const byKind = (published: readonly Published[] | null) => published?.map(({ kind }) => kind).toSorted();
    expect(byKind(await atOnce(one))).toEqual(byKind(await inTransaction(other)));
    expect(await stored(one)).toEqual(await stored(other));
    const before = await stored(one);
    expect(await atOnce(one)).toEqual([]);
    expect(await stored(one)).toEqual(before);
  });

  test.each<[string, Waiting, Partial<SendOutcome>]>([
    ["was written on a page", {}, { isFromApp: true }],
    ["was written on a page, which its sender did not know", { content: { fromApp: true } }, {}],
    ["has a later status", { statusAt: LATER }, {}],
  ])("stores nothing if the message %s", async (_, waiting, change) => {
    const outcome = { ...(await addSend(waiting)), ...change };
    const before = await stored(outcome);
    expect(await atOnce(outcome)).toBe(null);
    expect(await stored(outcome)).toEqual(before);
  });

  test("stores nothing if the CRM may have to be asked for the client", async () => {
    await db.query("insert into crm_settings (account_id, new_clients) values ($1, 'first_respondent')", [
      accountId,
    ]);
    const outcome = await addSend();
    expect(await atOnce(outcome)).toBe(null);
    expect(await stored(outcome)).toMatchObject({ jobs: [{}], messages: [{ status: "queued" }] });
  });

  test("stores nothing if the tables refuse it", async () => {
    const first = await addSend();
    await atOnce(first);
    const second = { ...(await addSend({ chat: first.chat })), result: first.result };
    expect(await atOnce(second)).toBe(null);
    expect(await stored(second)).toMatchObject({ jobs: [{}], messages: [{ status: "queued" }] });
  });

  test("reaches a page that was opened while it waited for the log", async () => {
    const outcome = await addSend();
    const [locked, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const opened = follow(
      {
        ...db,
        tx: (work) =>
          holdTx(db, async (tx) => {
            const done = await work(tx);
            locked.resolve();
            await mayCommit.promise;
            return done;
          }),
      },
      accountId,
    );
    await locked.promise;
    const stored = atOnce(outcome);
    await untilOneWaits();
    mayCommit.resolve();
    await opened;
    expect(await stored).toEqual([{ accountId, kind: "live" }]);
  });
});

async function untilOneWaits(): Promise<void> {
  for (;;) {
    const waiting = await db.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if (waiting.length > 0) return;
  }
}
