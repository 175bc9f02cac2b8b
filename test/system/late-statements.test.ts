import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Cursor,
  markBatch,
  postponeCursor,
  releaseCursor,
} from "../../src/core/delivery/cursor/cursors.ts";
import {
  acknowledge,
  divertEvents,
  followDiverted,
  parkEvents,
  passEvents,
} from "../../src/core/delivery/cursor/progress.ts";
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
])("the postponement %s", async (_, before, attempts, after) => {
  const job = await addJob(before);
  await db.tx((tx) => postponeJobs(tx, [{ job, epoch: EPOCH, attempts, unsure: false, ms: null }]));
  expect(
    await db.query("select started_epoch as started, attempts from send_jobs where id = $1", [job.id]),
  ).toEqual([after]);
});

test.each([
  ["may have had its effect", true],
  ["certainly had none", false],
])("a postponed send whose request %s keeps or loses that mark", async (_, unsure) => {
  const job = await addJob({ started: EPOCH, attempts: 1 });
  await db.query("update send_jobs set unsure_since = now() - interval '1 hour' where id = $1", [job.id]);
  await db.tx((tx) => postponeJobs(tx, [{ job, epoch: EPOCH, attempts: 1, unsure, ms: null }]));
  const rows = await db.query("select unsure_since is not null as unsure from send_jobs where id = $1", [
    job.id,
  ]);
  expect(rows).toEqual([{ unsure }]);
});

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
  expect(await markBatch(db, early, { to: 1, limit: 500 })).toBe(true);
  await releaseCursor(db, early, 500);
  const present = await claimOne(db, nodeId);
  await releaseCursor(db, early, 500);
  await postponeCursor(db, early, BATCH);
  expect(await markBatch(db, early, { to: 2, limit: 500 })).toBe(false);
  expect(await markBatch(db, present, { to: 3, limit: 500 })).toBe(true);
});

test.each<[string, (tx: Queryable, cursor: Cursor, now: Now) => Promise<unknown>]>([
  ["parks an event", (tx, cursor, now) => parkEvents(tx, cursor, { ...now, reason: "HTTP 500" })],
  ["sets a chat apart", (tx, cursor, now) => divertEvents(tx, cursor, { ...now, chat: CHAT, pauseMs: 0 })],
  ["diverts a following event", (tx, cursor, now) => followDiverted(tx, cursor, { ...now, chat: CHAT })],
  ["passes an event", (tx, cursor, { ids, progress }) => passEvents(tx, cursor, { ids, progress })],
  [
    "has fixed a batch",
    async (tx, cursor, { ids: [id = 0] }) => {
      await postponeCursor(tx, cursor, BATCH);
      return markBatch(tx, cursor, { to: id, limit: 500 });
    },
  ],
])("an earlier claim of a receiver that %s changes nothing", async (_, act) => {
  const nodeId = newId();
  await addEvents(12_345_679, 1);
  const state = async () => ({
    cursors: await db.query("select * from webhook_cursors"),
    kept: await db.query("select * from webhook_kept"),
    parked: await db.query("select * from webhook_parked"),
  });
  const early = await claimOne(db, nodeId);
  const { events } = await readAll(db, early);
  const ids = events.map(({ id }) => id);
  await releaseCursor(db, early, 500);
  await claimOne(db, nodeId);
  const before = await state();
  const progress = { position: ids[0] ?? 0, taken: [] };
  expect(await db.tx((tx) => act(tx, early, { events, ids, progress }))).toBe(false);
  expect(await state()).toEqual(before);
});

interface Now {
  readonly events: Awaited<ReturnType<typeof readAll>>["events"];
  readonly ids: readonly number[];
  readonly progress: { readonly position: number; readonly taken: readonly number[] };
}

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
  const progress = { position: id, taken: [] };
  expect(await acknowledge(db, early, { attempt, progress, batchLimit: 500 })).toBe(false);
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
