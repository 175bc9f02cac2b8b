import Type from "typebox";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { PrimaryMemory } from "../../../src/core/primary-memory.ts";
import { defineTransport, type Session } from "../../../src/core/transport/connector.ts";
import type { TransportDefinition } from "../../../src/core/transport/definition.ts";
import { newId } from "../../../src/platform/ids.ts";
import type { Lease } from "../../../src/work/lease.ts";
import { Sessions } from "../../../src/work/session/sessions.ts";
import { holdTimers } from "../../kit/timers.ts";
import { postbox } from "../../kit/transport.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

/** Channels that a node gives up. */

const definition = {
  ...postbox,
  connect: "qr",
  credentials: Type.Object({}),
} as const satisfies TransportDefinition;
const SETTLE_LIMIT_MS = 10_000;
const CLOSE_LIMIT_MS = 5_000;
/** How many sessions were closed: in the current turn of the event loop, and in one turn at most. */
const closed = { now: 0, most: 0 };
/** Channels whose opening has begun, in that order. */
const opened: string[] = [];
/** What the closing of a channel's session waits for. */
let untilClosed: (channelId: string) => Promise<void> | undefined = () => undefined;
const transport = defineTransport(definition, {
  async open(link): Promise<Session> {
    opened.push(link.channelId);
    const profile = { messengerId: link.channelId, name: "Shop" };
    await link.emit({ kind: "link", state: { status: "active", profile } });
    return {
      send: () => Promise.reject(new Error("nothing is sent")),
      async close() {
        if (closed.now === 0) setImmediate(() => (closed.now = 0));
        closed.most = Math.max(closed.most, ++closed.now);
        await untilClosed(link.channelId);
      },
    };
  },
});

let node: TestNode;
let account: TestAccount;

beforeAll(async () => {
  node = await startNode({ transports: [transport] });
  account = await addAccount(node.db);
});
afterAll(() => node.stop());

async function addNode(): Promise<string> {
  const id = newId();
  await node.db.query(
    "insert into nodes (id, name, roles, lease_until) values ($1, 'n', '{sessions}', now() + interval '1 hour')",
    [id],
  );
  return id;
}

async function ownerOf(channelId: string): Promise<string | null> {
  const [row] = await node.db.query<{ owner: string | null }>("select owner from channels where id = $1", [
    channelId,
  ]);
  return row?.owner ?? null;
}

/** What a node with this lease does with the channels; `settle` as in `Sessions`. */
function startSessions(lease: Lease, settle: (channelId: string) => Promise<void>): Sessions {
  const sessions = new Sessions({ core: node.core, lease: () => lease, onReady: () => undefined, settle });
  sessions.start();
  onTestFinished(async () => {
    await sessions.stop();
    await node.db.query("delete from nodes");
    await node.db.query("update channels set status = 'disabled', owner = null");
  });
  return sessions;
}

const leaseOf = (nodeId: string) => ({
  nodeId,
  isValid: () => true,
  concurrency: 1,
  primary: new PrimaryMemory(),
  release: async () => undefined,
});

test("a disabled channel is released even if its node lost its lease while the last send ended", async () => {
  const channelId = await addChannel(node, account, { transport: "postbox" });
  const [settling, settled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lease = leaseOf(await addNode());
  const sessions = startSessions(lease, () => {
    settling.resolve();
    return settled.promise;
  });
  await vi.waitUntil(() => sessions.open().length === 1);
  await node.db.query("update channels set status = 'disabled' where id = $1", [channelId]);
  node.core.signals.notify("channels", channelId);
  await settling.promise;
  expect(await ownerOf(channelId)).toBe(lease.nodeId);
  lease.nodeId = await addNode();
  settled.resolve();
  await vi.waitUntil(async () => (await ownerOf(channelId)) === null);
});

/** Steps of a channel that leaves, each of which waits to be ended. */
function holdLeaving(channelId: string) {
  const begun = { settle: Promise.withResolvers<void>(), close: Promise.withResolvers<void>() };
  const end = { settle: Promise.withResolvers<void>(), close: Promise.withResolvers<void>() };
  const hold = async (step: "settle" | "close", of: string): Promise<void> => {
    if (of !== channelId) return;
    begun[step].resolve();
    await end[step].promise;
  };
  const settle = vi.fn((of: string) => hold("settle", of));
  untilClosed = (of) => hold("close", of);
  onTestFinished(() => {
    for (const { resolve } of Object.values(end)) resolve();
    untilClosed = () => undefined;
  });
  return { settle, begun, end };
}

test("a channel that leaves delays no other, and is opened again only after its release", async () => {
  // The node waits for the end of the sends, and of the session, as long as they take.
  holdTimers(SETTLE_LIMIT_MS, CLOSE_LIMIT_MS);
  const leaving = await addChannel(node, account, { transport: "postbox" });
  const { settle, begun, end } = holdLeaving(leaving);
  const otherAccount = await addAccount(node.db);
  const lease = leaseOf(await addNode());
  const sessions = startSessions(lease, settle);
  const isOpen = (id: string) => sessions.open().some(({ channelId }) => channelId === id);
  const openAnother = async () => {
    const id = await addChannel(node, otherAccount, { transport: "postbox" });
    node.core.signals.notify("channels", id);
    await vi.waitUntil(() => isOpen(id));
  };
  const setStatus = (status: string) =>
    node.db.query("update channels set status = $2 where id = $1", [leaving, status]);
  await vi.waitUntil(() => isOpen(leaving));
  await setStatus("disabled");
  await openAnother();
  await begun.settle.promise;
  await openAnother();
  await setStatus("active");
  end.settle.resolve();
  await begun.close.promise;
  await openAnother();
  const timesOpened = () => opened.filter((id) => id === leaving).length;
  expect([await ownerOf(leaving), timesOpened()]).toEqual([lease.nodeId, 1]);
  expect(settle.mock.calls.filter(([of]) => of === leaving)).toHaveLength(1);
  end.close.resolve();
  await vi.waitUntil(() => timesOpened() === 2);
});

describe("a node that releases half of its channels", () => {
  const CHANNELS = 300;
  const HALF = CHANNELS / 2;
  let sessions: Sessions;

  beforeEach(async () => {
    for (let n = 0; n < CHANNELS; n++) await addChannel(node, account, { transport: "postbox" });
    sessions = startSessions(leaseOf(await addNode()), async () => undefined);
    await vi.waitUntil(() => sessions.open().length === CHANNELS);
  });

  const unowned = async (): Promise<number> => {
    const rows = await node.db.query(
      "select 1 from channels where owner is null and deleted_at is null and status = 'active'",
    );
    return rows.length;
  };

  test("closes a limited number in one turn of the event loop, and releases them with few statements", async () => {
    closed.most = 0;
    const query = vi.spyOn(node.core.db, "query");
    onTestFinished(() => query.mockRestore());
    await addNode();
    await vi.waitUntil(async () => (await unowned()) === HALF);
    expect(closed.most).toBeLessThan(HALF / 2);
    const released = query.mock.calls.filter(
      ([statement]) => typeof statement === "object" && /release/.test(statement.name),
    );
    expect(released.length).toBeLessThan(HALF / 5);
  });

  test("tries again if the database fails", async () => {
    const { query } = node.core.db;
    let failures = 0;
    const failing = vi.spyOn(node.core.db, "query").mockImplementation((statement, values) => {
      const isRelease = typeof statement === "object" && /release/.test(statement.name);
      if (!isRelease || failures > 0) return query(statement, values) as never;
      failures++;
      return Promise.reject(new Error("the database is restarting"));
    });
    onTestFinished(() => failing.mockRestore());
    await addNode();
    await vi.waitUntil(async () => (await unowned()) === HALF);
    expect(failures).toBe(1);
    expect(sessions.open()).toHaveLength(HALF);
  });
});
