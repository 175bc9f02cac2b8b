import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  ClaimLost,
  claimCursors,
  markBatch,
  postponeCursor,
  releaseCursor,
} from "../../src/core/delivery/cursor/cursors.ts";
import { passEvents } from "../../src/core/delivery/cursor/progress.ts";
import { deliverNow, dropQueue } from "../../src/core/delivery/cursor/queues.ts";
import { releaseRetries } from "../../src/core/delivery/cursor/retries.ts";
import { pauseReceiver, resumeReceiver } from "../../src/core/delivery/receiver/pause.ts";
import { appendEvents } from "../../src/core/event/log.ts";
import { type Database, openDatabase, type Queryable } from "../../src/database/database.ts";
import { newId } from "../../src/platform/ids.ts";
import { addReceiver, claimOne, readAll, takeKinds } from "../kit/cursors.ts";
import { holdTx, quietLog, startTestDatabase, type TestDatabase } from "../kit/database.ts";

const NODE = newId();

let database: TestDatabase;
let db: Database;
let accountId = 20_000_000;

beforeAll(async () => {
  database = await startTestDatabase();
  db = openDatabase({ connection: database.connection, log: quietLog, applicationName: "test" });
});
afterAll(async () => {
  await db.close();
  await database.stop();
});
beforeEach(async () => {
  accountId = await addAccount();
  await db.query("delete from webhook_cursors");
});

async function addAccount(): Promise<number> {
  await db.query("insert into accounts (id, name) values ($1, 'Test')", [++numbers]);
  return numbers;
}
let numbers = accountId;

const event = (subject: string, kind = "messages", of = accountId) => ({
  accountId: of,
  kind,
  channelId: null,
  chat: newId(),
  subject,
  body: { subject },
});
const say = (subject: string, kind?: string) => db.tx((tx) => appendEvents(tx, [event(subject, kind)]));
const subjects = (bodies: readonly { readonly body: string }[]) =>
  bodies.map(({ body }) => (JSON.parse(body) as { subject: string }).subject);
const logged = () => db.query("select subject from events where account_id = $1 order by id", [accountId]);

/** Publishes in a transaction that stays open until `commit` is called. */
async function held(work: (tx: Queryable) => Promise<unknown>) {
  const done = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const committed = holdTx(db, async (tx) => {
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

async function untilOneWaits(): Promise<void> {
  for (;;) {
    const waiting = await db.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if (waiting.length > 0) return;
  }
}

test("a claim of a queue that was dropped changes nothing of the queue that the receiver has since", async () => {
  const endpointId = await addReceiver(db, accountId);
  await say("one");
  const stale = await claimOne(db, NODE);
  await db.tx((tx) => dropQueue(tx, { accountId, endpointId }));
  await takeKinds(db, endpointId, ["messages"]);
  await say("two");
  const fresh = await claimOne(db, NODE);
  await expect(markBatch(db, stale, { to: fresh.position + 1, limit: 1 })).rejects.toThrow(ClaimLost);
  await releaseCursor(db, stale, 1);
  await markBatch(db, fresh, { to: fresh.position + 1, limit: 1 });
});

describe("the log of an account", () => {
  test("contains the events that have subscribers, and reports the receivers with new events", async () => {
    expect(await say("nobody is there")).toEqual([]);
    await addReceiver(db, accountId, ["messages"]);
    expect(await say("taken")).toEqual([{ accountId, kind: "messages" }]);
    expect(await say("not taken", "statuses")).toEqual([]);
    expect(await logged()).toEqual([{ subject: "taken" }]);
  });

  test("numbers events in the order of the commits, and accounts do not wait for each other", async () => {
    await addReceiver(db, accountId);
    const other = await addAccount();
    await addReceiver(db, other);
    const commit = await held((tx) => appendEvents(tx, [event("first")]));
    await db.tx((tx) => appendEvents(tx, [event("of another", "messages", other)]));
    const second = say("second");
    await untilOneWaits();
    expect(await logged()).toEqual([]);
    await commit();
    await second;
    expect(await logged()).toEqual([{ subject: "first" }, { subject: "second" }]);
  });

  test("of several accounts in different orders does not deadlock", async () => {
    const other = await addAccount();
    for (const id of [accountId, other]) await addReceiver(db, id);
    const both = [event("a"), event("b", "messages", other)];
    for (let round = 0; round < 20; round++)
      await Promise.all([
        db.tx((tx) => appendEvents(tx, both)),
        db.tx((tx) => appendEvents(tx, both.toReversed())),
      ]);
    expect(await logged()).toHaveLength(40);
  });
});

describe("a receiver", () => {
  const none = (options = { everywhere: true }) =>
    claimCursors(db, NODE, { limit: 10, accounts: [], ...options }).then((found) => found.length === 0);

  test("is found while there are events for it, notified or not, until a node claims it", async () => {
    await addReceiver(db, accountId);
    expect(await none()).toBe(true);
    await say("one");
    expect(await none({ everywhere: false })).toBe(true);
    const cursor = await claimOne(db, NODE, { accounts: [accountId] });
    expect(await none()).toBe(true);
    await releaseCursor(db, cursor, 500);
    await claimOne(db, NODE);
  });

  test.each([
    ["nobody works on it", () => undefined],
    ["somebody does", () => claimOne(db, NODE)],
    ["it rests after a failure", async () => postponeCursor(db, await claimOne(db, NODE), REST)],
  ])("is not written for an event while %s", async (_, prepare) => {
    await addReceiver(db, accountId);
    await say("one");
    await prepare();
    const rows = () => db.query("select ctid::text, xmax::text from webhook_cursors");
    const before = await rows();
    await say("two");
    expect(await rows()).toEqual(before);
  });
  const REST = { ms: 3_600_000, batchLimit: 500, keepBatch: true };

  test("resting after a failure is found when its time has come, without a notification", async () => {
    await addReceiver(db, accountId);
    await say("one");
    await postponeCursor(db, await claimOne(db, NODE), REST);
    expect(await none()).toBe(true);
    await db.query("update webhook_cursors set due = now()");
    await claimOne(db, NODE, { accounts: [] });
  });

  describe("whose address changes during a request does not rest after its failure", () => {
    const move = (tx: Queryable, endpointId: string) =>
      tx.query("update webhook_endpoints set url = 'https://crm.example/new' where id = $1", [endpointId]);

    test("if it changed before the failure was stored", async () => {
      const endpointId = await addReceiver(db, accountId);
      await say("one");
      const cursor = await claimOne(db, NODE);
      await move(db, endpointId);
      await deliverNow(db, { accountId, endpointId });
      await postponeCursor(db, cursor, REST);
      const { attempts } = await claimOne(db, NODE);
      expect(attempts).toBe(1);
    });

    test("if both are stored at the same time", async () => {
      const endpointId = await addReceiver(db, accountId);
      await say("one");
      const cursor = await claimOne(db, NODE);
      const commit = await held(async (tx) => {
        await move(tx, endpointId);
        await deliverNow(tx, { accountId, endpointId });
      });
      const postponed = postponeCursor(db, cursor, REST);
      await untilOneWaits();
      await commit();
      await postponed;
      await claimOne(db, NODE);
    });
  });

  test("that is paused is not found, and resumes at its position", async () => {
    const endpointId = await addReceiver(db, accountId);
    await say("one");
    await pauseReceiver(db, { accountId, endpointId }, "asked", "");
    await say("two");
    expect(await none()).toBe(true);
    await resumeReceiver(db, { accountId, endpointId });
    const { events } = await readAll(db, await claimOne(db, NODE));
    expect(subjects(events)).toEqual(["one", "two"]);
  });

  test("released while an event is being published is found for it", async () => {
    await addReceiver(db, accountId);
    await say("one");
    const cursor = await claimOne(db, NODE);
    const [one] = (await readAll(db, cursor)).events;
    const commit = await held((tx) => appendEvents(tx, [event("two")]));
    await db.tx((tx) => passEvents(tx, cursor, { to: one?.id ?? 0, endsFailures: true }));
    await releaseCursor(db, cursor, 500);
    expect(await none()).toBe(true);
    await commit();
    expect(subjects((await readAll(db, await claimOne(db, NODE))).events)).toEqual(["two"]);
  });

  test("continues after what was delivered, and reads the kept events before that first", async () => {
    await addReceiver(db, accountId);
    for (const subject of ["one", "two", "three", "four"]) await say(subject);
    const cursor = await claimOne(db, NODE);
    const [, two, three] = (await readAll(db, cursor)).events;
    const aside = [{ state: "kept", ids: [two?.id ?? 0] }] as const;
    await db.tx((tx) => passEvents(tx, cursor, { to: three?.id ?? 0, aside, endsFailures: true }));
    await releaseCursor(db, cursor, 500);
    expect(subjects((await readAll(db, await claimOne(db, NODE))).events)).toEqual(["two", "four"]);
  });

  test("continues its series of failures after a later event is skipped", async () => {
    await addReceiver(db, accountId);
    for (const subject of ["refused", "skipped"]) await say(subject);
    await postponeCursor(db, await claimOne(db, NODE), { ...REST, ms: 0 });
    const cursor = await claimOne(db, NODE);
    const [refused, skipped] = (await readAll(db, cursor)).events;
    const aside = [{ state: "kept", ids: [refused?.id ?? 0] }] as const;
    await db.tx((tx) => passEvents(tx, cursor, { to: skipped?.id ?? 0, aside, endsFailures: false }));
    await releaseCursor(db, cursor, 500);
    const { attempts, firstFailedAt } = await claimOne(db, NODE);
    expect({ attempts, firstFailedAt }).toEqual({ attempts: 1, firstFailedAt: cursor.firstFailedAt });
  });

  test("gets the events subscribed to when they happened, in one order, regardless of its present subscriptions", async () => {
    const endpointId = await addReceiver(db, accountId, ["messages"]);
    await addReceiver(db, accountId, ["messages", "statuses"]);
    const takes = (...kinds: readonly string[]) => takeKinds(db, endpointId, kinds);
    const both = async (text: string) => {
      await say(`message ${text}`);
      await say(`status ${text}`, "statuses");
    };
    await both("1");
    await takes("messages", "statuses");
    await takes("messages", "statuses");
    await both("2");
    await takes("statuses");
    await takes("messages");
    await takes("statuses");
    await both("3");
    await takes();
    await both("4");
    await takes("messages");
    await both("5");
    const cursors = await claimCursors(db, NODE, { limit: 10, accounts: [accountId] });
    const mine = cursors.find(({ id }) => id === endpointId);
    if (mine === undefined) throw new Error("there was nothing to claim");
    expect(subjects((await readAll(db, mine)).events)).toEqual([
      "message 1",
      "message 2",
      "status 2",
      "status 3",
      "message 5",
    ]);
  });

  test("created while an event is being published gets what follows", async () => {
    await addReceiver(db, accountId);
    const commit = await held((tx) => appendEvents(tx, [event("before")]));
    const endpointId = await addReceiver(db, accountId);
    await commit();
    await say("after");
    const cursors = await claimCursors(db, NODE, { limit: 10, accounts: [accountId] });
    const mine = cursors.find(({ id }) => id === endpointId);
    if (mine === undefined) throw new Error("there was nothing to claim");
    expect(subjects((await readAll(db, mine)).events)).toEqual(["after"]);
  });

  test("with a refused event that is not due does not search the log for it", async () => {
    const endpointId = await addReceiver(db, accountId);
    await say("refused");
    const cursor = await claimOne(db, NODE, { accounts: [accountId] });
    const [{ id = 0, chat = null } = {}] = (await readAll(db, cursor)).events;
    const aside = [{ state: "refused", ids: [id], pauseMs: 60_000 }] as const;
    await db.tx((tx) => passEvents(tx, cursor, { to: id, aside, chats: [chat ?? ""], endsFailures: true }));
    await releaseCursor(db, cursor, 500);
    await db.tx((tx) =>
      appendEvents(
        tx,
        Array.from({ length: 501 }, (_, n) => event(`${n}`)),
      ),
    );
    expect((await claimOne(db, NODE, { accounts: [accountId] })).id).toBe(endpointId);
  });

  describe("with a refused event", () => {
    const divert = async (pauseMs: number) => {
      await say("refused");
      const cursor = await claimOne(db, NODE, { accounts: [accountId] });
      const [{ id = 0, chat = null } = {}] = (await readAll(db, cursor)).events;
      const aside = [{ state: "refused", ids: [id], pauseMs }] as const;
      await db.tx((tx) => passEvents(tx, cursor, { to: id, aside, chats: [chat ?? ""], endsFailures: true }));
      await releaseCursor(db, cursor, 500);
    };
    const untilDue = async () => {
      const rows = await db.query<{ ms: number }>(
        "select extract(epoch from due - now()) * 1000 as ms from webhook_cursors where lane = 'retries' and claim is null",
      );
      return Number(rows[0]?.ms);
    };

    test("is found when its next attempt is due, without a notification", async () => {
      const endpointId = await addReceiver(db, accountId);
      await divert(60_000);
      expect(await none({ everywhere: false })).toBe(true);
      await db.tx((tx) => deliverNow(tx, { accountId, endpointId }));
      const retries = await claimOne(db, NODE, { accounts: [] });
      expect(retries.lane).toBe("retries");
      await releaseRetries(db, retries);
      expect(await claimOne(db, NODE, { accounts: [] })).toMatchObject({ lane: "retries" });
    });

    test("rests until the next of its attempts, also one that was added while a node had it", async () => {
      await addReceiver(db, accountId);
      await divert(0);
      const retries = await claimOne(db, NODE, { accounts: [] });
      await db.query("update webhook_retries set due = now() + interval '1 day' where state = 'refused'");
      await divert(3_600_000);
      await releaseRetries(db, retries);
      expect(await none({ everywhere: false })).toBe(true);
      expect(await untilDue()).toBeGreaterThan(0);
      expect(await untilDue()).toBeLessThanOrEqual(3_600_000);
    });

    test("is due with one that is added at the same time as its claim ends", async () => {
      await addReceiver(db, accountId);
      await divert(0);
      const retries = await claimOne(db, NODE, { accounts: [] });
      await db.query("update webhook_retries set due = now() + interval '1 day' where state = 'refused'");
      await say("refused too");
      const cursor = await claimOne(db, NODE, { accounts: [accountId] });
      const [{ id = 0, chat = null } = {}] = (await readAll(db, cursor)).events;
      const aside = [{ state: "refused", ids: [id], pauseMs: 0 }] as const;
      const passing = { to: id, aside, chats: [chat ?? ""], endsFailures: true };
      const commit = await held((tx) => passEvents(tx, cursor, passing));
      const released = releaseRetries(db, retries);
      for (let waiting = 0; waiting === 0; )
        waiting = (
          await db.query(
            "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          )
        ).length;
      await commit();
      await released;
      expect(await claimOne(db, NODE, { accounts: [] })).toMatchObject({ lane: "retries" });
    });

    test("that no longer waits rests for ever", async () => {
      await addReceiver(db, accountId);
      await divert(0);
      const retries = await claimOne(db, NODE, { accounts: [] });
      await db.query("delete from webhook_retries");
      await releaseRetries(db, retries);
      const rows = await db.query(
        "select due = 'infinity' as rests from webhook_cursors where lane = 'retries'",
      );
      expect(rows).toEqual([{ rests: true }]);
    });
  });

  test("of a rare kind passes what others take, in steps", async () => {
    const endpointId = await addReceiver(db, accountId, ["statuses"]);
    await addReceiver(db, accountId, ["messages"]);
    const many = (count: number) =>
      db.tx((tx) =>
        appendEvents(
          tx,
          Array.from({ length: count }, (_, n) => event(`${n}`)),
        ),
      );
    const mine = async () =>
      (await claimCursors(db, NODE, { limit: 10, accounts: [accountId] })).find(
        ({ id }) => id === endpointId,
      );
    await many(500);
    expect(await mine()).toBeUndefined();
    await many(1);
    const cursor = await mine();
    if (cursor === undefined) throw new Error("there was nothing to claim");
    const { events, readTo } = await readAll(db, cursor);
    expect(events).toEqual([]);
    await releaseCursor(db, cursor, 500, readTo);
    expect(await mine()).toBeUndefined();
    await say("rare", "statuses");
    expect(subjects((await readAll(db, (await mine()) ?? cursor)).events)).toEqual(["rare"]);
  });
});
