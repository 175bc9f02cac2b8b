import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createAcceptQueue, type StartedJob } from "../../src/core/message/accept.ts";
import type { AcceptedMessage } from "../../src/core/message/accepted-message.ts";
import {
  type ChatToSend,
  readJobs,
  startJobs,
  type WaitingPosition,
  waitingChats,
} from "../../src/core/message/send-jobs.ts";
import { markRestored, noticeRestore, noticeTimeline } from "../../src/core/message/timeline.ts";
import { type KnownPrimary, PrimaryMemory } from "../../src/core/primary-memory.ts";
import { type Database, openDatabase } from "../../src/database/database.ts";
import { newId } from "../../src/platform/ids.ts";
import { quietLog, startTestDatabase, type TestDatabase } from "../kit/database.ts";

const ACCOUNT = 20_000_001;
const NODE = newId();

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await startTestDatabase();
  db = openDatabase({ connection: database.connection, log: quietLog, applicationName: "test" });
  await db.query("insert into accounts (id, name) values ($1, 'Test'), ($1 + 1, 'Other')", [ACCOUNT]);
});
afterAll(async () => {
  await db.close();
  await database.stop();
});

let channelId: string;

beforeEach(async () => {
  await db.query("delete from send_jobs");
  channelId = await addChannel();
});

async function addChannel({ accountId = ACCOUNT, owner = NODE } = {}): Promise<string> {
  const id = newId();
  await db.query(
    `insert into channels (account_id, id, transport, status, credentials, owner, epoch)
     values ($1, $2, 'telegram', 'active', '', $3, 1)`,
    [accountId, id, owner],
  );
  return id;
}

async function addMessages(
  count: number,
  { chat = newId(), channel = channelId, accountId = ACCOUNT, bytes = 10 } = {},
): Promise<string> {
  await db.query(
    `with added as (
       insert into messages (account_id, id, channel_id, chat, direction, type, status, text, sent_at)
       select $1, gen_random_uuid(), $2, $3, 'out', 'text', 'queued', repeat('x', $5), now()
       from generate_series(1, $4::int) returning id)
     insert into send_jobs (account_id, channel_id, chat, message_id, kind, bytes)
     select $1, $2, $3, id, 'send', $5 from added`,
    [accountId, channel, chat, count, bytes],
  );
  return chat;
}

describe("accepting messages that are sent at once", () => {
  const messageTo = (chat: string, more: Partial<AcceptedMessage> = {}): AcceptedMessage => ({
    account_id: ACCOUNT,
    id: newId(),
    channel_id: channelId,
    chat,
    chat_type: "telegram",
    chat_id: chat,
    chat_name: "",
    new_chat: true,
    type: "text",
    text: "Hello",
    content: {},
    quoted_id: null,
    author_id: null,
    author_name: null,
    crm_message_id: null,
    ...more,
  });
  /** Accepts them in one batch; `null`: it was offered, and its job is not marked. */
  async function accept(
    messages: readonly AcceptedMessage[],
    { epoch = 1, isTaken = (_id: string): boolean => true } = {},
  ) {
    const ended = new Map<string, StartedJob | null>();
    const queue = createAcceptQueue(db, () => undefined);
    queue.offerTo({
      take({ id }, stored) {
        if (!isTaken(id)) return null;
        void stored.then((job) => ended.set(id, job));
        return { nodeId: NODE, epoch };
      },
    });
    const results = await Promise.all(messages.map((message) => queue.add(message)));
    await queue.close();
    return { ended, results };
  }
  const jobs = () =>
    db.query<{ message_id: string; started_epoch: number | null; attempts: number; bytes: number }>(
      "select message_id, started_epoch, attempts, bytes from send_jobs order by id",
    );

  test.each([1, 200])("marks each of %i in one statement, in their order", async (count) => {
    const messages = Array.from({ length: count }, () => messageTo(newId()));
    const { ended } = await accept(messages);
    expect(await jobs()).toEqual(
      messages.map(({ id }) => ({ message_id: id, started_epoch: 1, attempts: 1, bytes: 5 })),
    );
    expect(messages.map(({ id }) => ended.get(id)?.bytes)).toEqual(messages.map(() => 5));
    // The second message of each chat, which has a place in the list now.
    await db.query("delete from send_jobs");
    const later = messages.map(({ chat }) => messageTo(chat, { new_chat: false }));
    await accept(later);
    expect((await jobs()).map((job) => job.started_epoch)).toEqual(messages.map(() => 1));
  });

  test("marks none behind a waiting job, of another owner or term, or behind another one of the batch", async () => {
    const waiting = await addMessages(1);
    const foreign = await addChannel({ owner: newId() });
    const twice = newId();
    const [behind, other, first, second, free] = [
      messageTo(waiting),
      messageTo(newId(), { channel_id: foreign }),
      messageTo(twice),
      messageTo(twice),
      messageTo(newId()),
    ];
    const isTaken = (id: string): boolean => id !== first?.id;
    const { ended } = await accept([behind, other, first, second, free], { isTaken });
    const marks = new Map((await jobs()).map((job) => [job.message_id, job.started_epoch]));
    expect([behind, other, first, second, free].map(({ id }) => marks.get(id))).toEqual([
      null,
      null,
      null,
      null,
      1,
    ]);
    expect([behind, other, first, second].map(({ id }) => ended.get(id))).toEqual([
      null,
      null,
      undefined,
      undefined,
    ]);
    const stale = messageTo(newId());
    expect((await accept([stale], { epoch: 2 })).ended.get(stale.id)).toBeNull();
  });

  test("stores nothing again when a message is repeated, alone or in a batch", async () => {
    const [one, two] = [messageTo(newId()), messageTo(newId())];
    await accept([one, two]);
    const stored = await jobs();
    expect((await accept([one])).results).toEqual(["stored"]);
    expect((await accept([{ ...one, new_chat: false }])).ended.get(one.id)).toBeNull();
    expect((await accept([two, one])).results).toEqual(["stored", "stored"]);
    expect(await jobs()).toEqual(stored);
  });

  test("does not store a single message whose chat is gone", async () => {
    const message = messageTo(newId(), { new_chat: false });
    expect((await accept([message])).results).toEqual(["moved"]);
    expect(await jobs()).toEqual([]);
  });
});

describe("reading chats", () => {
  const wanted = (chat: string, options: Partial<ChatToSend> = {}): ChatToSend => ({
    accountId: ACCOUNT,
    channelId,
    epoch: 1,
    chat,
    mindsFirstContacts: false,
    ...options,
  });
  const read = (chats: readonly ChatToSend[], { jobsPerChat = 20, maxBytes = 8_000_000 } = {}) =>
    readJobs(db, NODE, chats, { jobsPerChat, maxBytes });
  const sizes = (found: Awaited<ReturnType<typeof read>>) => found.map((each) => each?.jobs.length ?? null);

  test("reads the first messages of each, in order", async () => {
    const [one, two] = [await addMessages(5), await addMessages(2)];
    const found = await read([wanted(two), wanted(one)], { jobsPerChat: 3 });
    expect(sizes(found)).toEqual([2, 3]);
    const ids = found[1]?.jobs.map(({ id }) => id) ?? [];
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(found.map((each) => [each?.found, each?.bytes])).toEqual([
      [2, 20],
      [3, 30],
    ]);
  });

  test("leaves out jobs that would make the result too large, but never the first", async () => {
    const chats: string[] = [];
    for (let n = 0; n < 4; n++) chats.push(await addMessages(2, { bytes: 100_000 }));
    const options = { maxBytes: 250_000 };
    const all = chats.map((chat) => wanted(chat));
    expect(sizes(await read(all, options))).toEqual([1, 1, null, null]);
    expect(sizes(await read(all, { maxBytes: 1 }))).toEqual([1, null, null, null]);
    expect(sizes(await read(all.slice(0, 1), options))).toEqual([2]);
  });

  test("reads large messages of one chat in several reads, and reports what it left", async () => {
    const chat = await addMessages(3, { bytes: 200_000 });
    const [found] = await read([wanted(chat)]);
    expect([found?.jobs.length, found?.found]).toEqual([1, 3]);
  });

  test("finds nothing in a chat of a channel that the node has lost, or of an earlier term", async () => {
    const chat = await addMessages(1);
    expect(sizes(await read([wanted(chat, { epoch: 2 })]))).toEqual([0]);
    expect(sizes(await readJobs(db, newId(), [wanted(chat)], { jobsPerChat: 1, maxBytes: 1 }))).toEqual([0]);
    expect(sizes(await read([wanted(chat)]))).toEqual([1]);
  });

  test("reads a job whose message was deleted", async () => {
    const chat = await addMessages(1);
    await db.query("delete from messages where chat = $1", [chat]);
    const [found] = await read([wanted(chat)]);
    expect(found?.jobs.map(({ status }) => status)).toEqual([null]);
  });

  test("reports how long a chat rests until its next attempt, but not that it waits for its channel's pacing", async () => {
    const chat = await addMessages(2);
    const hold = (by: string) =>
      db.query(
        `update send_jobs set held_by = $2, not_before = now() + interval '1 minute'
         where id = (select min(id) from send_jobs where chat = $1)`,
        [chat, by],
      );
    await hold("pace");
    expect((await read([wanted(chat)]))[0]?.restMs).toBe(0);
    await hold("retry");
    const [found] = await read([wanted(chat)]);
    expect(found?.restMs).toBeGreaterThan(30_000);
    expect(found?.restMs).toBeLessThanOrEqual(60_000);
  });
});

describe("polling all waiting jobs", () => {
  const look = async (options: { after?: WaitingPosition | null; limit?: number } = {}) =>
    waitingChats(db, NODE, { after: null, limit: 100, ...options });

  test("finds each chat of the node's channels once, with its first job", async () => {
    const other = await addChannel({ accountId: ACCOUNT + 1 });
    const foreign = await addChannel({ owner: newId() });
    const chats = [await addMessages(3), await addMessages(1)];
    chats.push(await addMessages(2, { channel: other, accountId: ACCOUNT + 1 }));
    await addMessages(1, { channel: foreign });
    const found = await look();
    expect(found.map(({ chat }) => chat).toSorted()).toEqual(chats.toSorted());
    const heads = await db.query("select chat, min(id) as head from send_jobs group by chat");
    for (const { chat, head } of found) expect(heads).toContainEqual({ chat, head });
    expect(new Set(found.map(({ epoch }) => epoch))).toEqual(new Set([1]));
  });

  test("continues where the last one ended, until it has seen all", async () => {
    const channels = [channelId, await addChannel(), await addChannel(), await addChannel()];
    const chats: string[] = [];
    for (let n = 0; n < 20; n++) chats.push(await addMessages(2, { channel: channels[(n * n) % 4] ?? "" }));
    const found: string[] = [];
    for (let after: WaitingPosition | null = null; ; ) {
      const rows = await look({ after, limit: 3 });
      found.push(...rows.map(({ chat }) => chat));
      after = rows.at(-1) ?? null;
      if (rows.length < 3) break;
    }
    expect(found).toHaveLength(20);
    expect(found.toSorted()).toEqual(chats.toSorted());
  });
});

describe("after a standby was promoted", () => {
  const current = async () => {
    const [row] = await db.query<{ timeline: string }>("select current_timeline() as timeline");
    return row?.timeline ?? "";
  };
  const remembering = (known: Partial<KnownPrimary>): PrimaryMemory => {
    const memory = new PrimaryMemory();
    memory.note({ nodeId: NODE, renewals: 5, timeline: "lost", isSynchronous: true, ...known });
    return memory;
  };
  const nothing = () => new PrimaryMemory();
  const notice = (memory = nothing()) => noticeTimeline({ db, log: quietLog }, memory);
  const job = async (chat: string) => {
    const [found] = await readJobs(
      db,
      NODE,
      [{ accountId: ACCOUNT, channelId, epoch: 1, chat, mindsFirstContacts: false }],
      { jobsPerChat: 1, maxBytes: 1 },
    );
    const [first] = found?.jobs ?? [];
    if (first === undefined) throw new Error("the chat has no job");
    return first;
  };
  const start = async (chat: string, memory = nothing()) => {
    const node = { nodeId: NODE, timeline: memory.known?.timeline ?? null };
    return (await startJobs(db, node, [{ job: await job(chat), epoch: 1 }])).size === 1;
  };
  /** The promoted server has this many renewals of the node's lease; null: not even its row. */
  const promote = async (renewals: number | null = null) => {
    await db.query("update database_timeline set timeline = 'lost'");
    await db.query("delete from nodes");
    if (renewals !== null)
      await db.query(
        "insert into nodes (id, name, roles, lease_until, renewals) values ($1, 'test', '{}', now(), $2)",
        [NODE, renewals],
      );
  };
  const marks = async () => {
    const rows = await db.query<{ started_epoch: number | null }>(
      "select started_epoch from send_jobs order by id",
    );
    return rows.map(({ started_epoch: epoch }) => epoch);
  };

  const lastIds = () =>
    db.query<{ value: number }>(
      "select last_value as value from log_ids union all select last_value from send_jobs_id_seq",
    );

  test.each([
    [
      "to another database",
      async () => {
        await db.query("update database_timeline set database_id = 'another'");
        await noticeRestore({ db });
      },
    ],
    ["by an import", () => markRestored(db)],
  ])("the same happens when a backup was restored %s", async (_, restore) => {
    const waiting = await addMessages(1);
    await promote(5);
    await restore();
    expect(await start(waiting)).toBe(false);
    await notice(remembering({ timeline: await current() }));
    expect(await marks()).toEqual([0]);
    expect(await start(waiting)).toBe(true);
  });

  test("ids that were used since a restored backup are skipped, once", async () => {
    const before = await lastIds();
    await db.query("update database_timeline set database_id = 'another'");
    await noticeRestore({ db });
    await noticeRestore({ db });
    const after = await lastIds();
    expect(after.map(({ value }, index) => value - (before[index]?.value ?? 0))).toEqual([2 ** 24, 2 ** 24]);
  });

  test.each([
    { node: "that remembers nothing", known: null, isMarked: true },
    { node: "that saw no synchronous standby", known: { isSynchronous: false }, isMarked: true },
    { node: "that saw one, and finds its last renewal", known: {}, isMarked: false },
    { node: "whose last renewal was not acknowledged", known: { renewals: 4 }, isMarked: false },
    { node: "whose last renewal is missing", known: { renewals: 6 }, isMarked: true },
    { node: "whose lease is missing", known: { nodeId: newId() }, isMarked: true },
    { node: "that used another database", known: { timeline: "another" }, isMarked: true },
  ])("a node $node marks waiting jobs: $isMarked", async ({ known, isMarked }) => {
    const memory = known === null ? nothing() : remembering(known);
    const waiting = await addMessages(2);
    await promote(5);
    expect(await start(waiting, memory)).toBe(false);
    await notice(memory);
    expect(await marks()).toEqual(isMarked ? [0, 0] : [null, null]);
    expect(await start(waiting, memory)).toBe(true);
    // Only once.
    await addMessages(1);
    await notice(memory);
    expect((await marks()).at(-1)).toBeNull();
  });

  test.each(["retry", "pace"])("a chat that rests (%s) may have sent by then", async (by) => {
    const resting = await addMessages(1);
    await db.query(
      "update send_jobs set held_by = $2, not_before = now() + interval '1 hour' where chat = $1",
      [resting, by],
    );
    await promote();
    await notice();
    expect(await marks()).toEqual([0]);
  });

  test("a job may have been sent as early as it was accepted, or first started", async () => {
    await addMessages(3);
    await db.query(`update send_jobs set created_at = now() - interval '3 hours'`);
    const [first] = await db.query<{ id: number }>("select min(id) as id from send_jobs");
    await db.query(
      "update send_jobs set unsure_since = now() - interval '2 hours', started_epoch = 1 where id = $1",
      [first?.id],
    );
    await promote();
    await notice();
    const ages = await db.query(
      "select started_epoch, round(extract(epoch from now() - unsure_since) / 3600)::int as hours from send_jobs order by id",
    );
    expect(ages).toEqual([
      { started_epoch: 1, hours: 2 },
      { started_epoch: 0, hours: 3 },
      { started_epoch: 0, hours: 3 },
    ]);
  });

  test("a node whose memory contradicts the one that noticed it first marks what was waiting then", async () => {
    const [waiting, doubtful] = [await addMessages(1), remembering({ isSynchronous: false })];
    await promote(5);
    await notice(remembering({}));
    expect(await marks()).toEqual([null]);
    const later = await addMessages(1);
    expect([await start(waiting, doubtful), await start(later, doubtful)]).toEqual([false, false]);
    await notice(doubtful);
    expect(await marks()).toEqual([0, null]);
    expect([await start(waiting, doubtful), await start(later, doubtful)]).toEqual([true, true]);
  });
});
