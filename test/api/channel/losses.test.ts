import { afterAll, beforeAll, expect, test, vi } from "vitest";
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
