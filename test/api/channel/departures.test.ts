import { randomUUID } from "node:crypto";
import Type from "typebox";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { channelVault } from "../../../src/core/channel/credentials/vault.ts";
import { removeChannel } from "../../../src/core/message/remove-channel.ts";
import { PrimaryMemory } from "../../../src/core/primary-memory.ts";
import { type ChannelLink, defineTransport, type Session } from "../../../src/core/transport/connector.ts";
import type { TransportDefinition } from "../../../src/core/transport/definition.ts";
import { TransportError } from "../../../src/core/transport/errors.ts";
import { Sessions } from "../../../src/work/session/sessions.ts";
import { postbox } from "../../kit/transport.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const PATIENCE = { timeout: 30_000, interval: 20 };
const definition = {
  ...postbox,
  connect: "qr",
  credentials: Type.Object({}),
} as const satisfies TransportDefinition;
const refusal = () => new TransportError("UNKNOWN_ERROR", "the line is down", { retry: "later" });

/** What the messenger says; set by each test. */
const messenger = { logout: vi.fn<() => Promise<void>>(), leave: vi.fn<(link: Link) => Promise<void>>() };
type Link = Pick<ChannelLink, "signal" | "channelId" | "vault">;
const transport = defineTransport(definition, {
  open: async (): Promise<Session> => ({
    send: () => Promise.reject(refusal()),
    close: async () => undefined,
    logout: () => messenger.logout(),
  }),
  leave: (link) => messenger.leave(link),
});

let node: TestNode;
let account: TestAccount;
const running: Sessions[] = [];

beforeAll(async () => {
  node = await startNode({ transports: [transport] });
  account = await addAccount(node.db);
});
afterAll(() => node.stop());
beforeEach(() => {
  messenger.logout.mockReset().mockRejectedValue(refusal());
  messenger.leave.mockReset().mockResolvedValue();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((sessions) => sessions.stop()));
  await node.db.query("delete from nodes", []);
});

/** What a node does with the channels. */
async function work(): Promise<Sessions> {
  const lease = {
    nodeId: randomUUID(),
    isValid: () => true,
    concurrency: 1,
    primary: new PrimaryMemory(),
    release: async () => undefined,
  };
  await node.db.query(
    "insert into nodes (id, name, roles, lease_until) values ($1, 'n', '{sessions}', now() + interval '1 hour')",
    [lease.nodeId],
  );
  const nothing = { onReady: () => undefined, settle: async () => undefined };
  const sessions = new Sessions({ core: node.core, lease: () => lease, ...nothing });
  running.push(sessions);
  sessions.start();
  return sessions;
}

async function addWithKeys(status: "active" | "disabled"): Promise<string> {
  const channelId = await addChannel(node, account, { transport: "postbox", status });
  const vault = channelVault(node.core, { accountId: account.id, channelId, epoch: 0 });
  await vault.write([{ family: "a", id: "1", value: Buffer.from("key") }]);
  return channelId;
}

const remove = (channelId: string): Promise<void> =>
  removeChannel(node.core, { accountId: account.id }, channelId, { deleteChats: false });

async function keysOf(channelId: string): Promise<number> {
  const rows = await node.db.query("select 1 from channel_vault where channel_id = $1", [channelId]);
  return rows.length;
}

async function untilGone(channelId: string): Promise<void> {
  await vi.waitUntil(async () => (await keysOf(channelId)) === 0, PATIENCE);
  const rows = await node.db.query("select owner, leaving_until from channels where id = $1", [channelId]);
  expect(rows).toEqual([{ owner: null, leaving_until: null }]);
}

test("a session that ended its link itself needs no further attempt", async () => {
  const channelId = await addWithKeys("active");
  const sessions = await work();
  await vi.waitUntil(() => sessions.sendable().length === 1, PATIENCE);
  messenger.logout.mockResolvedValue();
  await remove(channelId);
  await untilGone(channelId);
  expect(messenger.leave).not.toHaveBeenCalled();
});

test("a session that could not is followed by another attempt with the keys", async () => {
  const channelId = await addWithKeys("active");
  const sessions = await work();
  await vi.waitUntil(() => sessions.sendable().length === 1, PATIENCE);
  const seen: number[] = [];
  messenger.leave.mockImplementation(async ({ vault }) => {
    await vault.write([{ family: "a", id: "2", value: Buffer.from("another") }]);
    seen.push((await vault.readAll("a")).size);
  });
  await remove(channelId);
  await untilGone(channelId);
  expect(messenger.logout).toHaveBeenCalledOnce();
  expect(seen).toEqual([2]);
});

test("a channel without a session is logged out too; an unreachable messenger is retried", async () => {
  const channelId = await addWithKeys("disabled");
  messenger.leave.mockRejectedValueOnce(refusal());
  await remove(channelId);
  await work();
  await untilGone(channelId);
  expect(messenger.leave).toHaveBeenCalledTimes(2);
});

test("after the time limit, the keys are deleted in any case", async () => {
  const channelId = await addWithKeys("disabled");
  messenger.leave.mockRejectedValue(refusal());
  await remove(channelId);
  await node.db.query("update channels set leaving_until = now() + interval '1 second' where id = $1", [
    channelId,
  ]);
  await work();
  await untilGone(channelId);
});

test("a node that stops leaves the rest to the next owner", async () => {
  const channelId = await addWithKeys("disabled");
  const asked = Promise.withResolvers<void>();
  messenger.leave.mockImplementation(({ signal }) => {
    asked.resolve();
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(refusal())));
  });
  await remove(channelId);
  const first = await work();
  await asked.promise;
  await first.stop();
  expect(await keysOf(channelId)).toBe(1);
  await node.db.query("delete from nodes", []);
  messenger.leave.mockReset().mockResolvedValue();
  await work();
  await untilGone(channelId);
  expect(messenger.leave).toHaveBeenCalledOnce();
});
