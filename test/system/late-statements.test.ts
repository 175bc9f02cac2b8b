import { afterAll, beforeAll, expect, test } from "vitest";
import {
  ClaimLost,
  type Cursor,
  markBatch,
  postponeCursor,
  releaseCursor,
} from "../../src/core/delivery/cursor/cursors.ts";
import { acknowledge, type Passing, passEvents } from "../../src/core/delivery/cursor/progress.ts";
import { type RetryOutcome, settleRetry } from "../../src/core/delivery/cursor/retries.ts";
import { appendEvents } from "../../src/core/event/log.ts";
import { type JobKey, postponeJobs } from "../../src/core/message/send-jobs.ts";
import { type Database, openDatabase, type Queryable } from "../../src/database/database.ts";
import { newId } from "../../src/platform/ids.ts";
import { addReceiver, claimOne, readAll } from "../kit/cursors.ts";
import { quietLog, startTestDatabase, type TestDatabase } from "../kit/database.ts";

/** A server may execute a statement of a broken connection long after its client has given it up and continued. */

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await startTestDatabase();
  db = openDatabase({ connection: database.connection, log: quietLog, applicationName: "test" });
});
afterAll(async () => {
  await db.close();
  await database.stop();
});

const EPOCH = 5;

interface JobState {
  readonly started: number | null;
  readonly attempts: number;
}

async function addJob({ started, attempts }: JobState): Promise<JobKey> {
  const [row] = await db.query<JobKey>(
    `insert into send_jobs (account_id, channel_id, chat, message_id, kind, started_epoch, attempts)
     values (1, $1, $1, $1, 'send', $2, $3)
     returning account_id as "accountId", channel_id as "channelId", chat, id`,
    [newId(), started, attempts],
  );
  if (row === undefined) throw new Error("no job was added");
  return row;
}

test.each<[string, JobState, number, JobState]>([
  ["of the attempt just made", { started: EPOCH, attempts: 1 }, 1, { started: null, attempts: 1 }],
  ["that came before any attempt", { started: null, attempts: 0 }, 1, { started: null, attempts: 1 }],
  ["that is repeated", { started: null, attempts: 1 }, 1, { started: null, attempts: 1 }],
  ["of an earlier attempt", { started: EPOCH, attempts: 2 }, 1, { started: EPOCH, attempts: 2 }],
  ["of an earlier owner", { started: EPOCH + 1, attempts: 1 }, 1, { started: EPOCH + 1, attempts: 1 }],
  ["of what a failover has lost since", { started: 0, attempts: 0 }, 1, { started: 0, attempts: 1 }],
])("the postponement %s", async (_, before, attempts, after) => {
  const job = await addJob(before);
  await db.tx((tx) => postponeJobs(tx, [{ job, epoch: EPOCH, attempts, unsure: false, ms: null }]));
  expect(
    await db.query("select started_epoch as started, attempts from send_jobs where id = $1", [job.id]),
  ).toEqual([after]);
});

test.each([
  { what: "may have had its effect", started: EPOCH, isUnsure: true, remains: true },
  { what: "certainly had none", started: EPOCH, isUnsure: false, remains: false },
  { what: "may have been followed by a lost one", started: 0, isUnsure: false, remains: true },
])(
  "a postponed send whose request $what keeps or loses that mark",
  async ({ started, isUnsure, remains }) => {
    const job = await addJob({ started, attempts: 1 });
    await db.query("update send_jobs set unsure_since = now() - interval '1 hour' where id = $1", [job.id]);
    await db.tx((tx) => postponeJobs(tx, [{ job, epoch: EPOCH, attempts: 1, unsure: isUnsure, ms: null }]));
    const rows = await db.query("select unsure_since is not null as unsure from send_jobs where id = $1", [
      job.id,
    ]);
    expect(rows).toEqual([{ unsure: remains }]);
  },
);

async function addEvents(accountId: number, count: number): Promise<void> {
  await db.query("insert into accounts (id, name) values ($1, 'Test') on conflict do nothing", [accountId]);
  for (const table of ["webhook_cursors", "webhook_endpoints"]) await db.query(`delete from ${table}`);
  await addReceiver(db, accountId);
  const event = { accountId, kind: "messages", channelId: null, chat: CHAT, subject: "1", body: {} };
  await db.tx((tx) =>
    appendEvents(
      tx,
      Array.from({ length: count }, () => event),
    ),
  );
}

const CHAT = newId();
const BATCH = { ms: 60_000, batchLimit: 1, keepBatch: false };

test("late statements of an earlier claim of a receiver do not affect the present one", async () => {
  const nodeId = newId();
  await addEvents(12_345_678, 1);
  const early = await claimOne(db, nodeId);
  await markBatch(db, early, { to: 1, limit: 500 });
  await releaseCursor(db, early, 500);
  const present = await claimOne(db, nodeId);
  await releaseCursor(db, early, 500);
  await expect(postponeCursor(db, early, BATCH)).rejects.toThrow(ClaimLost);
  await expect(markBatch(db, early, { to: 2, limit: 500 })).rejects.toThrow(ClaimLost);
  await markBatch(db, present, { to: 3, limit: 500 });
});

const pass =
  (passing: (id: number) => Omit<Passing, "to" | "endsFailures">) =>
  (tx: Queryable, cursor: Cursor, id: number) =>
    passEvents(tx, cursor, { to: id, endsFailures: true, ...passing(id) });
test.each<[string, (tx: Queryable, cursor: Cursor, id: number) => Promise<unknown>]>([
  ["parks an event", pass((id) => ({ aside: [{ state: "parked", ids: [id], reason: "HTTP 500" }] }))],
  ["diverts a chat", pass((id) => ({ aside: [{ state: "refused", ids: [id], pauseMs: 0 }], chats: [CHAT] }))],
  [
    "diverts a following event",
    pass((id) => ({ aside: [{ state: "following", ids: [id] }], chats: [CHAT] })),
  ],
  ["keeps an event", pass((id) => ({ aside: [{ state: "kept", ids: [id] }] }))],
  ["passes an event", pass(() => ({}))],
  ["rests", (tx, cursor) => postponeCursor(tx, cursor, BATCH)],
  ["has fixed a batch", (tx, cursor, id) => markBatch(tx, cursor, { to: id, limit: 500 })],
])("an earlier claim of a receiver that %s changes nothing", async (_, act) => {
  const nodeId = newId();
  await addEvents(12_345_679, 1);
  const early = await claimOne(db, nodeId);
  const [first] = (await readAll(db, early)).events;
  await releaseCursor(db, early, 500);
  await claimOne(db, nodeId);
  const before = await state();
  await expect(db.tx((tx) => act(tx, early, first?.id ?? 0))).rejects.toThrow(ClaimLost);
  expect(await state()).toEqual(before);
});

const state = async () => ({
  cursors: await db.query("select * from webhook_cursors order by id"),
  retries: await db.query("select * from webhook_retries order by event_id"),
});

test.each<[string, RetryOutcome]>([
  ["delivered an event", { kind: "delivered" }],
  ["postpones a refused event", { kind: "refused", pauseMs: 60_000 }],
  ["parks a refused event", { kind: "parked", reason: "HTTP 500" }],
])("an earlier claim of retries that %s changes nothing", async (_, outcome) => {
  const nodeId = newId();
  await addEvents(12_345_681, 1);
  const cursor = await claimOne(db, nodeId);
  const [event] = (await readAll(db, cursor)).events;
  if (event === undefined) throw new Error("there is no event");
  const aside = [{ state: "refused", ids: [event.id], pauseMs: 0 }] as const;
  await db.tx((tx) => passEvents(tx, cursor, { to: event.id, aside, chats: [CHAT], endsFailures: true }));
  await releaseCursor(db, cursor, 500);
  const early = await claimOne(db, nodeId);
  expect(early.lane).toBe("retries");
  await releaseCursor(db, early, 1);
  await claimOne(db, nodeId);
  const before = await state();
  expect(await db.tx((tx) => settleRetry(tx, early, { event, outcome, attempt: null }))).toBe("lost");
  expect(await state()).toEqual(before);
});

test.each([
  ["nobody has the receiver", false, 1],
  ["somebody has it", true, 2],
])("an acknowledgement that arrives after its claim counts while %s", async (_, isTaken, left) => {
  const nodeId = newId();
  await addEvents(12_345_680, 2);
  const early = await claimOne(db, nodeId);
  const [first] = (await readAll(db, early)).events;
  const id = first?.id ?? 0;
  await releaseCursor(db, early, 500);
  if (isTaken) await claimOne(db, nodeId);
  const attempt = { ...ATTEMPT, eventIds: [id] };
  expect(await acknowledge(db, early, { attempt, position: id, batchLimit: 500 })).toBe(false);
  await db.query("update webhook_cursors set claim = null, due = now()");
  expect((await readAll(db, await claimOne(db, nodeId))).events).toHaveLength(left);
});

const ATTEMPT = {
  deliveryId: "msg_1",
  purpose: "delivery",
  at: new Date(),
  durationMs: 1,
  kinds: [],
  channels: [],
  status: 200,
  failure: null,
  answer: null,
  sent: {},
  received: null,
} as const;
