import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createMessenger, startSending } from "../kit/sending.ts";
import { addAccount, addChannel, startNode, type TestNode } from "../kit/service.ts";

const WIDE = { perSecond: 1_000, burst: 1_000 };
const messenger = createMessenger({ channel: WIDE, chat: WIDE, jitterMs: 0 });

let node: TestNode;
let stop: () => Promise<void>;

beforeAll(async () => {
  node = await startNode({ transports: [messenger.transport] });
  stop = await startSending(node, { graceMs: 1 });
});
afterAll(async () => {
  await stop();
  await node.stop();
});

test("a lost connection is stored even if the database fails at that moment", async () => {
  const channelId = await addChannel(node, await addAccount(node.db), { transport: "whatsapp" });
  await vi.waitUntil(() => messenger.opened.includes(channelId));
  const tx = vi.spyOn(node.core.db, "tx").mockRejectedValueOnce(new Error("the database is restarting"));
  await messenger.tell(channelId, { kind: "link", state: { status: "lost", detail: "no network" } });
  const statusOf = () =>
    node.db.query<{ status: string }>("select status from channels where id = $1", [channelId]);
  await vi.waitUntil(async () => (await statusOf())[0]?.status === "init");
  expect(tx.mock.settledResults[0]?.type).toBe("rejected");
});

test("a loss that waits for the database does not overtake the reconnection", async () => {
  const channelId = await addChannel(node, await addAccount(node.db), { transport: "whatsapp" });
  await vi.waitUntil(() => messenger.opened.includes(channelId));
  const { db } = node.core;
  const [begun, mayStart] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const original = db.tx.bind(db);
  const tx = vi.spyOn(db, "tx").mockImplementationOnce(async (work) => {
    begun.resolve();
    await mayStart.promise;
    return original(work);
  });
  onTestFinished(() => tx.mockRestore());
  await messenger.tell(channelId, { kind: "link", state: { status: "lost", detail: "no network" } });
  await begun.promise;
  const lost = tx.mock.results[0]?.value;
  const profile = { messengerId: channelId, name: "Shop" };
  const reconnected = messenger.tell(channelId, { kind: "link", state: { status: "active", profile } });
  // It would be stored by then.
  for (let turn = 0; turn < 50; turn++) await db.query("select 1");
  mayStart.resolve();
  await Promise.all([lost, reconnected]);
  expect(await db.query("select status from channels where id = $1", [channelId])).toEqual([
    { status: "active" },
  ]);
});
