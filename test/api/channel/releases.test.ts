import Type from "typebox";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { defineTransport, type Session } from "../../../src/core/transport/connector.ts";
import type { TransportDefinition } from "../../../src/core/transport/definition.ts";
import { newId } from "../../../src/platform/ids.ts";
import { Sessions } from "../../../src/work/session/sessions.ts";
import { postbox } from "../../kit/transport.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

/** Channels that a node gives up. */

const definition = {
  ...postbox,
  connect: "qr",
  credentials: Type.Object({}),
} as const satisfies TransportDefinition;
const transport = defineTransport(definition, {
  async open(): Promise<Session> {
    return { send: () => Promise.reject(new Error("nothing is sent")), close: async () => undefined };
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

test("a disabled channel is released even if its node lost its lease while the last send ended", async () => {
  const channelId = await addChannel(node, account, { transport: "postbox" });
  const [settling, settled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lease = {
    nodeId: await addNode(),
    isValid: () => true,
    concurrency: 1,
    release: async () => undefined,
  };
  const sessions = new Sessions({
    core: node.core,
    lease: () => lease,
    onReady: () => undefined,
    settle: () => {
      settling.resolve();
      return settled.promise;
    },
  });
  sessions.start();
  await vi.waitUntil(() => sessions.open().length === 1);
  await node.db.query("update channels set status = 'disabled' where id = $1", [channelId]);
  node.core.signals.notify("channels", channelId);
  await settling.promise;
  expect(await ownerOf(channelId)).toBe(lease.nodeId);
  lease.nodeId = await addNode();
  settled.resolve();
  await vi.waitUntil(async () => (await ownerOf(channelId)) === null);
  await sessions.stop();
  await node.db.query("delete from nodes");
});
