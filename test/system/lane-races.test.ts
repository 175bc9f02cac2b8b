import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AcceptedMessage, createAcceptQueue } from "../../src/core/message/accept.ts";
import { repairLanes } from "../../src/core/message/lane-repair.ts";
import { dueLanes, lookAgain, releaseLanes } from "../../src/core/message/send-lanes.ts";
import { dropQueue, freeStrayCursors, reclaimCursors } from "../../src/core/webhook/cursors.ts";
import { pauseReceiver, resumeReceiver } from "../../src/core/webhook/pause.ts";
import type { Database } from "../../src/database/database.ts";
import { newId } from "../../src/platform/ids.ts";
import { cancelStranded } from "../../src/work/stranded.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../api/kit/service.ts";

/** Statements of two connections in the orders in which accepted messages were left without anybody who looks at them. */

const NODE = newId();

let node: TestNode;
let account: TestAccount;

beforeAll(async () => {
  node = await startNode();
  account = await addAccount(node.db);
});
afterAll(() => node.stop());

interface Chat {
  readonly channelId: string;
  readonly chat: string;
}

async function newChats(): Promise<[Chat, Chat]> {
  const { channelId, chat } = await newChat();
  const [first = "", second = ""] = [chat, newId()].toSorted();
  return [
    { channelId, chat: first },
    { channelId, chat: second },
  ];
}

async function newChat(): Promise<Chat> {
  const channelId = await addChannel(node, account, { transport: "whatsapp" });
  await node.db.query("update channels set owner = $2, epoch = 1 where id = $1", [channelId, NODE]);
  return { channelId, chat: newId() };
}

/** Accepts a message as the interface does, in this transaction where one is given. */
async function accept({ channelId, chat }: Chat, db: Pick<Database, "query"> = node.db): Promise<void> {
  const message: AcceptedMessage = {
    account_id: account.id,
    id: newId(),
    channel_id: channelId,
    chat,
    chat_type: "whatsapp",
    chat_id: chat,
    chat_name: "Customer",
    new_chat: true,
    type: "text",
    text: "accepted",
    content: {},
    quoted_id: null,
    author_id: null,
    author_name: null,
    crm_message_id: null,
  };
  await createAcceptQueue(db as Database, () => undefined).add(message);
}

/** What the channel's owner finds to do, as jobs of the chat. */
async function found({ channelId }: Chat) {
  const demand = { channelId, epoch: 1, mindsFirstContacts: false, inHand: [] };
  const room = { lanes: 10, lanesOfAccount: 10, lanesOfTransport: 10 };
  return dueLanes(node.db, NODE, [{ ...demand, ...room }], { jobsPerLane: 10, maxLanes: 10 });
}

/** Holds a transaction open behind its statements, until `commit` is called. */
async function held(work: (tx: Pick<Database, "query">) => Promise<void>) {
  const done = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const committed = node.db.tx(async (tx) => {
    await work(tx);
    done.resolve();
    await mayCommit.promise;
  });
  await done.promise;
  return async () => {
    mayCommit.resolve();
    await committed;
  };
}

async function untilOneWaitsForALock(): Promise<void> {
  for (;;) {
    const waiting = await node.db.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if (waiting.length > 0) return;
  }
}

test("a message that is accepted while its channel's messages are cancelled is found later", async () => {
  const chat = await newChat();
  await accept(chat);
  await node.db.query("update channels set status = 'disabled', owner = null where id = $1", [
    chat.channelId,
  ]);
  const commit = await held((tx) => accept(chat, tx));
  const cancelled = cancelStranded(node.core);
  await untilOneWaitsForALock();
  await commit();
  expect(await cancelled).toBe(1);
  await node.db.query("update channels set status = 'active', owner = $2 where id = $1", [
    chat.channelId,
    NODE,
  ]);
  expect((await found(chat)).flatMap(({ jobs }) => jobs)).toHaveLength(1);
});

test("a release that is repeated after its queue was removed and begun anew leaves the new one alone", async () => {
  const chat = await newChat();
  await accept(chat);
  const [lane] = await found(chat);
  if (lane === undefined) throw new Error("there was nothing to send");
  const { jobs: _, dueSince: __, found: ___, ...ours } = lane;
  const release = () =>
    node.db.tx((tx) => releaseLanes(tx, [{ ...ours, exhausted: true, delayMs: 0, held: null }]));
  await node.db.query("delete from send_jobs where chat = $1", [chat.chat]);
  await release();
  await node.db.query("delete from send_lanes where chat = $1 and due = 'infinity'", [chat.chat]);
  await accept(chat);
  await release();
  expect((await found(chat)).flatMap(({ jobs }) => jobs)).toHaveLength(1);
});

test("waiting chats are made due beside a batch of messages for the same chats", async () => {
  const [first, second] = await newChats();
  for (const chat of [second, first]) {
    await accept(chat);
    await node.db.query(
      "update send_lanes set due = clock_timestamp() + interval '1 hour', held_by = 'pace' where chat = $1",
      [chat.chat],
    );
  }
  const begun = Promise.withResolvers<void>();
  const mayGoOn = Promise.withResolvers<void>();
  const accepting = node.db.tx(async (tx) => {
    await accept(first, tx);
    begun.resolve();
    await mayGoOn.promise;
    await accept(second, tx);
  });
  await begun.promise;
  const looking = lookAgain(node.db, first.channelId);
  await untilOneWaitsForALock();
  mayGoOn.resolve();
  await Promise.all([accepting, looking]);
  expect(await found(first)).toHaveLength(2);
});

test("a job knows how long its message is", async () => {
  const chat = await newChat();
  await accept(chat);
  const [job] = await node.db.query("select bytes from send_jobs where chat = $1", [chat.chat]);
  expect(job).toEqual({ bytes: "accepted".length });
});

test.each([
  ["rests", "update send_lanes set due = 'infinity' where chat = $1"],
  ["is gone", "delete from send_lanes where chat = $1"],
])("a chat whose queue %s although it has a message is found by the repair", async (_, strand) => {
  const chat = await newChat();
  await accept(chat);
  await node.db.query(strand, [chat.chat]);
  expect(await found(chat)).toEqual([]);
  expect(await repairAll()).toContain(chat.chat);
  expect((await found(chat)).flatMap(({ jobs }) => jobs)).toHaveLength(1);
  expect(await repairAll()).toEqual([]);
});

test("the repair looks at all chats, some thousands in each step", async () => {
  await node.db.query(
    `insert into send_jobs (account_id, channel_id, chat, message_id, kind)
     select $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'send' from generate_series(1, 5000)`,
    [account.id],
  );
  expect(await repairAll()).toHaveLength(5_000);
});

async function repairAll(): Promise<string[]> {
  const all: string[] = [];
  for (let after: string | null = null; ; ) {
    const { repaired, next } = await repairLanes(node.db, after);
    all.push(...repaired);
    if (next === null) return all;
    after = next;
  }
}

describe("whoever changes several cursors of a receiver takes them in one order:", () => {
  const CLAIMED = newId();

  test.each<[string, string, (endpointId: string) => Promise<unknown>]>([
    ["a pause", "null", (endpointId) => pauseReceiver(node.db, { ...of(), endpointId }, "asked", "")],
    ["a resumption", "null", (endpointId) => resumeReceiver(node.db, { ...of(), endpointId })],
    ["the removal of its queues", "null", (endpointId) => dropQueue(node.db, endpointId)],
    ["the reclaim from a dead node", `'${CLAIMED}'`, () => reclaimCursors(node.db)],
    ["the release of strays", `'${CLAIMED}'`, () => freeStrayCursors(node.db, CLAIMED, [])],
  ])("%s", async (name, claim, change) => {
    const endpointId = newId();
    await node.db.query("delete from webhook_cursors");
    await node.db.query(
      `insert into webhook_endpoints (account_id, id, version, url, kinds, secret, paused_at)
       values ($1, $2::uuid, 'v2', $2::uuid::text, '{}', '', case when $3 then now() end)`,
      [account.id, endpointId, name === "a resumption"],
    );
    const cursors = [newId(), newId()].toSorted();
    for (const cursor of cursors.toReversed())
      await node.db.query(
        `insert into webhook_cursors (id, account_id, endpoint_id, position, claim) values ($3, $1, $2, 0, ${claim})`,
        [account.id, endpointId, cursor],
      );
    const locked = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    const other = node.db.tx(async (tx) => {
      await tx.query(LOCK, [cursors[0]]);
      locked.resolve();
      await mayGoOn.promise;
      await tx.query(LOCK, [cursors[1]]);
    });
    await locked.promise;
    const changing = change(endpointId);
    changing.catch(() => undefined);
    await untilOneWaitsForALock();
    mayGoOn.resolve();
    await Promise.all([other, changing]);
  });

  const of = () => ({ accountId: account.id });
  const LOCK = "select 1 from webhook_cursors where id = $1 for no key update";
});
