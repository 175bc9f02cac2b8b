import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Cursor } from "../../../src/core/delivery/cursor/cursors.ts";
import type { QueuedEvent } from "../../../src/core/delivery/cursor/events.ts";
import { passEvents } from "../../../src/core/delivery/cursor/progress.ts";
import { dropQueue } from "../../../src/core/delivery/cursor/queues.ts";
import { appendEvents } from "../../../src/core/event/log.ts";
import type { Queryable } from "../../../src/database/database.ts";
import { newId } from "../../../src/platform/ids.ts";
import { addReceiver, claimOne, readAll } from "../../kit/cursors.ts";
import { holdTx } from "../../kit/database.ts";
import { leaseForAnHour } from "../kit/delivery.ts";
import { addAccount, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

/** Chats that were diverted because of a refused item, and the end of their receiver's queue. */

let node: TestNode;
let account: TestAccount;
let nodeId: string;
let endpointId: string;

beforeEach(async () => {
  node = await startNode();
  account = await addAccount(node.db);
  endpointId = await addReceiver(node.db, account.id);
  ({ nodeId } = await leaseForAnHour(node.db));
});
afterEach(() => node.stop());

const tell = (chat: string) =>
  node.db.tx((tx) =>
    appendEvents(tx, [
      { accountId: account.id, kind: "messages", channelId: null, chat, subject: "", body: { a: 1 } },
    ]),
  );

async function divert(tx: Queryable, cursor: Cursor, events: readonly QueuedEvent[]): Promise<void> {
  const [{ id = 0, chat = null } = {}] = events;
  const aside = [{ state: "refused", ids: [id], pauseMs: 60_000 }] as const;
  await passEvents(tx, cursor, { to: id, aside, chats: [chat ?? ""], endsFailures: true });
}

test("a read finds those diverted chats of which it has events", async () => {
  const [first, second, other] = [newId(), newId(), newId()];
  for (const chat of [first, second]) {
    await tell(chat);
    const cursor = await claimOne(node.db, nodeId);
    const { events, diverted } = await readAll(node.db, cursor);
    expect(diverted).toEqual([]);
    await node.db.tx((tx) => divert(tx, cursor, events));
    await node.db.query("update webhook_cursors set claim = null, due = now() where lane = 'events'");
  }
  await tell(other);
  await tell(second);
  const { events, diverted } = await readAll(node.db, await claimOne(node.db, nodeId));
  expect(events.map(({ chat }) => chat)).toEqual([other, second]);
  expect(diverted).toEqual([second]);
});

test("a queue that is dropped while one of its chats is diverted leaves nothing", async () => {
  await tell(newId());
  const cursor = await claimOne(node.db, nodeId);
  const { events } = await readAll(node.db, cursor);
  let dropped: Promise<void> | undefined;
  await holdTx(node.db, async (tx) => {
    await divert(tx, cursor, events);
    dropped = node.db.tx((other) => dropQueue(other, { accountId: account.id, endpointId }));
    const waits =
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await vi.waitUntil(async () => (await node.db.query(waits)).length > 0);
  });
  await dropped;
  const left = "select id from webhook_cursors union all select cursor_id from webhook_retries";
  expect(await node.db.query(left)).toEqual([]);
});

test("a receiver whose queue is dropped begins with a clean record", async () => {
  await node.db.query(
    "update webhook_endpoints set failing_since = now() - interval '4 days', failures = 5, noticed = 90",
  );
  await node.db.tx((tx) => dropQueue(tx, { accountId: account.id, endpointId }));
  const [row] = await node.db.query("select failing_since, failures, noticed from webhook_endpoints");
  expect(row).toEqual({ failing_since: null, failures: 0, noticed: 0 });
});
