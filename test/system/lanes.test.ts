import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { publish } from "../../src/core/event/publish.ts";
import { type ChannelDemand, dueLanes } from "../../src/core/message/send-lanes.ts";
import {
  claimWebhookLanes,
  readEvents,
  releaseWebhookLane,
  wakeForgottenLanes,
} from "../../src/core/webhook/lanes.ts";
import { type Database, openDatabase, type Queryable } from "../../src/database/database.ts";
import { newId } from "../../src/platform/ids.ts";
import { quietLog, startTestDatabase, type TestDatabase } from "../kit/database.ts";

const ACCOUNT = 20_000_001;
const NODE = newId();

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await startTestDatabase();
  db = openDatabase({ connection: database.connection, log: quietLog, applicationName: "test" });
  await db.query("insert into accounts (id, name) values ($1, 'Test')", [ACCOUNT]);
});
afterAll(async () => {
  await db.close();
  await database.stop();
});

describe("a receiver's lane", () => {
  const event = {
    accountId: ACCOUNT,
    kind: "messages",
    channelId: null,
    chat: newId(),
    subject: "1",
    body: {},
  };
  const say = (tx: Queryable = db) => publish(tx, [event]);
  const claim = () => claimWebhookLanes(db, NODE, { limit: 10, maxItems: 500 });
  /** The place of its row: another one after each time it was written. */
  const place = async () => (await db.query("select ctid::text, due::text from webhook_lanes"))[0];

  beforeEach(async () => {
    for (const table of ["webhook_queue", "webhook_lanes", "webhook_endpoints"])
      await db.query(`delete from ${table}`);
    await db.query(
      "insert into webhook_endpoints (account_id, id, version, url, kinds, secret) values ($1, $2, 'v3', 'http://x', '{messages}', '')",
      [ACCOUNT, newId()],
    );
  });

  test("is to be looked for from its first event until somebody takes it", async () => {
    expect([await say(), await say()]).toEqual([true, true]);
    expect(await claim()).toHaveLength(1);
    expect(await say()).toBe(false);
  });

  test("is not written for events while somebody works on it", async () => {
    await say();
    await claim();
    const before = await place();
    for (let n = 0; n < 5; n++) await db.tx(say);
    expect(await place()).toEqual(before);
  });

  test.each([
    ["it rests after a failure", "update webhook_lanes set due = now() + interval '1 hour'"],
    [
      "its receiver is paused",
      "with paused as (update webhook_endpoints set paused_at = now()) update webhook_lanes set due = 'infinity'",
    ],
  ])("is neither written nor woken while %s", async (_, rest) => {
    await say();
    await db.query(rest);
    const before = await place();
    expect(await say()).toBe(false);
    expect(await place()).toEqual(before);
  });

  test("is given back after what is being published, and due again for it", async () => {
    await say();
    const [lane] = await claim();
    if (lane === undefined) throw new Error("there was nothing to claim");
    await db.query("delete from webhook_queue");
    const published = Promise.withResolvers<void>();
    const mayCommit = Promise.withResolvers<void>();
    const publishing = db.tx(async (tx) => {
      await say(tx);
      published.resolve();
      await mayCommit.promise;
    });
    await published.promise;
    const released = releaseWebhookLane(db, lane, { doneTo: 0, batchLimit: 500 });
    await untilOneWaits();
    mayCommit.resolve();
    expect(await released).toBe(true);
    await publishing;
    expect(await claim()).toHaveLength(1);
  });

  test("sleeps when it is given back empty, until the next event", async () => {
    await say();
    const [lane] = await claim();
    if (lane === undefined) throw new Error("there was nothing to claim");
    await db.query("delete from webhook_queue");
    expect(await releaseWebhookLane(db, lane, { doneTo: 0, batchLimit: 500 })).toBe(false);
    expect(await claim()).toHaveLength(0);
    expect(await say()).toBe(true);
    expect(await claim()).toHaveLength(1);
  });

  test("begins behind what was done, for whoever takes it next", async () => {
    await say();
    await say();
    await say();
    const [lane] = await claim();
    if (lane === undefined) throw new Error("there was nothing to claim");
    const read = (after: number) => readEvents(db, lane, { limit: 10, maxBytes: 1_000, after });
    const [first, ...others] = (await read(lane.doneTo)).events;
    if (first === undefined) throw new Error("there was nothing to read");
    expect(await releaseWebhookLane(db, lane, { doneTo: first.id, batchLimit: 500 })).toBe(true);
    const [next] = await claim();
    expect(next?.doneTo).toBe(first.id);
    expect(next?.batchTo).toBe(others.at(-1)?.id);
    expect((await read(first.id)).events).toEqual(others);
  });

  test("that sleeps although events wait is woken, unless its receiver is paused", async () => {
    await say();
    await db.query(
      "update webhook_lanes set due = 'infinity', done_to = (select max(event_id) from webhook_queue)",
    );
    await db.query("update webhook_endpoints set paused_at = now()");
    expect(await wakeForgottenLanes(db)).toEqual([]);
    await db.query("update webhook_endpoints set paused_at = null");
    expect(await wakeForgottenLanes(db)).toHaveLength(1);
    expect(await wakeForgottenLanes(db)).toEqual([]);
    const [lane] = await claim();
    if (lane === undefined) throw new Error("there was nothing to claim");
    expect(
      (await readEvents(db, lane, { limit: 10, maxBytes: 1_000, after: lane.doneTo })).events,
    ).toHaveLength(1);
  });

  async function untilOneWaits(): Promise<void> {
    for (;;) {
      const waiting = await db.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      if (waiting.length > 0) return;
    }
  }
});

describe("a look for due lanes", () => {
  let channelId: string;

  beforeEach(async () => {
    channelId = await addChannel();
  });

  async function addChannel(accountId = ACCOUNT): Promise<string> {
    const id = newId();
    await db.query(
      `insert into channels (account_id, id, transport, status, credentials, owner, epoch)
       values ($1, $2, 'telegram', 'active', '', $3, 1)`,
      [accountId, id, NODE],
    );
    return id;
  }

  /** A chat that is due since so many minutes. */
  async function addChat(minutes: number, of = channelId, accountId = ACCOUNT): Promise<string> {
    const chat = newId();
    await db.query(
      "insert into send_lanes (account_id, channel_id, chat, due) values ($1, $2, $3, now() - $4 * interval '1 minute')",
      [accountId, of, chat, minutes],
    );
    return chat;
  }

  async function addMessages(chat: string, count: number, bytes: number): Promise<void> {
    await db.query(
      `with added as (
         insert into messages (account_id, id, channel_id, chat, direction, type, status, text, sent_at)
         select $1, gen_random_uuid(), $2, $3, 'out', 'text', 'queued', repeat('x', $5), now()
         from generate_series(1, $4::int) returning id)
       insert into send_jobs (account_id, channel_id, chat, message_id, kind, bytes)
       select $1, $2, $3, id, 'send', $5 from added`,
      [ACCOUNT, channelId, chat, count, bytes],
    );
  }

  const demand = (options: Partial<ChannelDemand> = {}): ChannelDemand => ({
    channelId,
    epoch: 1,
    lanes: 10,
    mindsFirstContacts: false,
    inHand: [],
    lanesOfAccount: 10,
    lanesOfTransport: 10,
    ...options,
  });
  const look = (demands: readonly ChannelDemand[], { jobsPerLane = 20, maxLanes = 10 } = {}) =>
    dueLanes(db, NODE, demands, { jobsPerLane, maxLanes });

  test("leaves out what was due before the lanes that are known", async () => {
    const chats = [await addChat(3), await addChat(2), await addChat(1)];
    const found = (await look([demand({ lanes: 2 })])).toSorted((a, b) => a.dueSince - b.dueSince);
    expect(found.map(({ chat }) => chat)).toEqual(chats.slice(0, 2));
    const rest = await look([demand({ lanes: 2, dueAfter: found[1]?.dueSince })]);
    expect(rest.map(({ chat }) => chat)).toEqual(chats.slice(2));
  });

  test("leaves out what is in hand", async () => {
    const [inHand, other] = [await addChat(2), await addChat(1)];
    expect((await look([demand({ inHand: [inHand] })])).map(({ chat }) => chat)).toEqual([other]);
  });

  test("takes accounts in turns, and no more of an account than it may have", async () => {
    const other = ACCOUNT + 1;
    await db.query("insert into accounts (id, name) values ($1, 'Test')", [other]);
    const channels = [channelId, await addChannel()];
    const theirs = await addChannel(other);
    for (let n = 0; n < 6; n++) await addChat(60 + n, channels[n % 2]);
    for (let n = 0; n < 2; n++) await addChat(n, theirs, other);
    const found = async (of: Partial<ChannelDemand>, maxLanes: number) => {
      const demands = [...channels, theirs].map((id) => demand({ ...of, channelId: id }));
      const lanes = await look(demands, { maxLanes });
      const mine = lanes.filter((lane) => lane.channelId !== theirs).length;
      return [mine, lanes.length - mine];
    };
    expect(await found({}, 4)).toEqual([2, 2]);
    expect(await found({}, 10)).toEqual([6, 2]);
    expect(await found({ lanesOfAccount: 3 }, 10)).toEqual([3, 2]);
    expect(await found({ lanesOfTransport: 5 }, 10)).toEqual([5, 0]);
  });

  test("reads large messages in several looks, and tells what it left", async () => {
    const chats = await Promise.all(Array.from({ length: 10 }, () => addChat(1)));
    for (const chat of chats) await addMessages(chat, 3, 2_000_000);
    const found = await look([demand()]);
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(6);
    expect(found.map(({ jobs, found: all }) => [jobs.length, all])).toEqual(found.map(() => [1, 3]));
  });

  test("reads all messages of a chat that are small", async () => {
    const chat = await addChat(1);
    await addMessages(chat, 5, 100);
    const [lane] = await look([demand()]);
    expect([lane?.jobs.length, lane?.found]).toEqual([5, 5]);
    expect((await look([demand()], { jobsPerLane: 3 }))[0]?.jobs).toHaveLength(3);
  });

  test("finds a lane without jobs", async () => {
    const chat = await addChat(1);
    const [lane] = await look([demand()]);
    expect([lane?.chat, lane?.jobs.length, lane?.found]).toEqual([chat, 0, 0]);
  });
});
