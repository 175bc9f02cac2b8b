import { afterAll, beforeAll, expect, test } from "vitest";
import { type JobKey, postponeJobs } from "../../src/core/message/send-lanes.ts";
import {
  claimWebhookLanes,
  dropEvent,
  followIsolated,
  isolateChat,
  markBatch,
  parkEvents,
  postponeLane,
  releaseWebhookLane,
  type WebhookLane,
} from "../../src/core/webhook/lanes.ts";
import { type Database, openDatabase, type Queryable } from "../../src/database/database.ts";
import { newId } from "../../src/platform/ids.ts";
import { quietLog, startTestDatabase, type TestDatabase } from "../kit/database.ts";

/** A server may execute what a broken connection brought long after its client gave it up and went on. */

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
     values (1, $1, $1, $1, 'send', $2, $3) returning id, chat`,
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
  await db.tx((tx) => postponeJobs(tx, [{ job, epoch: EPOCH, attempts, unsure: false }]));
  expect(
    await db.query("select started_epoch as started, attempts from send_jobs where id = $1", [job.id]),
  ).toEqual([after]);
});

test.each([
  ["may have had its effect", true],
  ["certainly had none", false],
])("a postponed send whose request %s keeps or loses that", async (_, unsure) => {
  const job = await addJob({ started: EPOCH, attempts: 1 });
  await db.query("update send_jobs set unsure_since = now() - interval '1 hour' where id = $1", [job.id]);
  await db.tx((tx) => postponeJobs(tx, [{ job, epoch: EPOCH, attempts: 1, unsure }]));
  const rows = await db.query("select unsure_since is not null as unsure from send_jobs where id = $1", [
    job.id,
  ]);
  expect(rows).toEqual([{ unsure }]);
});

test("what an earlier claim of a webhook queue has left to say does not disturb the present one", async () => {
  const [accountId, endpointId, nodeId] = [12_345_678, newId(), newId()];
  await db.query("insert into accounts (id, name) values ($1, 'Test')", [accountId]);
  await db.query(
    "insert into webhook_endpoints (account_id, id, version, url, kinds, secret) values ($1, $2, 'v3', 'http://x', '{}', '')",
    [accountId, endpointId],
  );
  await db.query("insert into webhook_lanes (id, account_id, endpoint_id, due) values ($1, $2, $1, now())", [
    endpointId,
    accountId,
  ]);
  const claim = async () => {
    const [lane] = await claimWebhookLanes(db, nodeId, { limit: 10, maxItems: 500 });
    if (lane === undefined) throw new Error("there was nothing to claim");
    return lane;
  };
  const early = await claim();
  expect(await markBatch(db, early, 1)).toBe(true);
  await db.query(
    "insert into webhook_queue (lane, event_id, account_id, endpoint_id) values ($1, 1, $2, $1)",
    [endpointId, accountId],
  );
  expect(await releaseWebhookLane(db, early, { doneTo: 0, batchLimit: 500 })).toBe(true);
  const present = await claim();
  await releaseWebhookLane(db, early, { doneTo: 0, batchLimit: 500 });
  await postponeLane(db, early, { ms: 60_000, batchLimit: 1, keepBatch: false });
  expect(await markBatch(db, early, 2)).toBe(false);
  expect(await markBatch(db, present, 3)).toBe(true);
  await db.query("delete from webhook_queue where lane = $1", [endpointId]);
  expect(await releaseWebhookLane(db, present, { doneTo: 0, batchLimit: 500 })).toBe(false);
});

const CHAT = newId();

test.each<[string, (tx: Queryable, lane: WebhookLane) => Promise<unknown>]>([
  ["parks an event", (tx, lane) => parkEvents(tx, lane, [1], "HTTP 500")],
  ["sets a chat apart", (tx, lane) => isolateChat(tx, lane, CHAT, 0)],
  ["lets a chat follow", (tx, lane) => followIsolated(tx, lane, [CHAT])],
  ["drops an event", (tx, lane) => dropEvent(tx, lane, 1)],
])("an earlier claim of a webhook queue that %s changes nothing", async (_, act) => {
  const [accountId, endpointId, nodeId] = [12_345_679, newId(), newId()];
  await db.query("insert into accounts (id, name) values ($1, 'Test') on conflict do nothing", [accountId]);
  await db.query("delete from webhook_lanes");
  await db.query(
    `with receiver as (
       insert into webhook_endpoints (account_id, id, version, url, kinds, secret)
       values ($1, $2::uuid, 'v2', $2::uuid::text, '{}', '')),
     event as (
       insert into events (account_id, id, kind, chat, subject, body) overriding system value
       values ($1, 1, 'message.add', $3, '1', '{}') on conflict do nothing),
     queued as (insert into webhook_queue (lane, event_id, account_id, endpoint_id) values ($2, 1, $1, $2))
     insert into webhook_lanes (id, account_id, endpoint_id, due, attempts, first_failed_at)
     values ($2, $1, $2, now(), 3, now())`,
    [accountId, endpointId, CHAT],
  );
  const state = async () => ({
    lanes: await db.query("select * from webhook_lanes"),
    queue: await db.query("select * from webhook_queue where endpoint_id = $1", [endpointId]),
    parked: await db.query("select * from webhook_parked"),
  });
  const claim = async (): Promise<WebhookLane> => {
    const [lane] = await claimWebhookLanes(db, nodeId, { limit: 10, maxItems: 500 });
    if (lane === undefined) throw new Error("there was nothing to claim");
    return lane;
  };
  const early = await claim();
  await releaseWebhookLane(db, early, { doneTo: 0, batchLimit: 500 });
  await claim();
  const before = await state();
  expect(await db.tx((tx) => act(tx, early))).toBe(false);
  expect(await state()).toEqual(before);
});
