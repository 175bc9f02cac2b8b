import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { channelVault, releaseDeletedChannel } from "../../../src/core/channel/credentials/vault.ts";
import { removeChannel } from "../../../src/core/message/remove-channel.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

let node: TestNode;
let account: TestAccount;

beforeAll(async () => {
  node = await startNode();
  account = await addAccount(node.db);
});
afterAll(() => node.stop());

const ownedBy = async (owner: string) => {
  const channelId = await addChannel(node, account, { transport: "whatsapp" });
  await node.db.query("update channels set owner = $2, epoch = 7 where id = $1", [channelId, owner]);
  return { accountId: account.id, channelId, epoch: 7 };
};

const open = async (epoch = 0) => {
  const channelId = await addChannel(node, account, { transport: "whatsapp" });
  return { channelId, vault: channelVault(node.core, { accountId: account.id, channelId, epoch }) };
};
const entry = (family: string, id: string, value: string | null) => ({
  family,
  id,
  value: value === null ? null : Buffer.from(value),
});
const texts = (found: ReadonlyMap<string, Uint8Array>): Record<string, string> =>
  Object.fromEntries([...found].map(([id, value]) => [id, Buffer.from(value).toString()]));

test("stores entries by family and id, in one batch; the last of equal keys counts", async () => {
  const { vault } = await open();
  await vault.write([
    entry("a", "1", "one"),
    entry("a", "2", "two"),
    entry("b", "1", "other"),
    entry("a", "1", "uno"),
  ]);
  expect(texts(await vault.read("a", ["1", "2", "3"]))).toEqual({ "1": "uno", "2": "two" });
  expect(texts(await vault.readAll("b"))).toEqual({ "1": "other" });
  await vault.write([entry("a", "1", null), entry("a", "2", "zwei")]);
  expect(texts(await vault.readAll("a"))).toEqual({ "2": "zwei" });
  await vault.clear();
  expect([...(await vault.readAll("a")), ...(await vault.readAll("b"))]).toEqual([]);
});

test.each([
  ["with NUL", "3EB0\0"],
  ["longer than an index takes", randomBytes(4_000).toString("hex")],
  ["with half a character", "\ud83d"],
])("stores an entry whose id is %s", async (_, id) => {
  const { vault } = await open();
  await vault.write([entry("a", id, "one"), entry("a", "2", "two"), entry("a", id, "uno")]);
  expect(texts(await vault.read("a", ["2", id, `${id}3`]))).toEqual({ [id]: "uno", "2": "two" });
  const [name = ""] = [...(await vault.readAll("a")).keys()].filter((each) => each !== "2");
  await vault.write([entry("a", name, "eins")]);
  expect(texts(await vault.read("a", [id]))).toEqual({ [id]: "eins" });
  await vault.write([entry("a", id, null)]);
  expect(texts(await vault.readAll("a"))).toEqual({ "2": "two" });
});

test.each(["a write", "a deletion", "the end of all"])(
  "an abandoned write that the server executes after %s has no effect",
  async (what) => {
    const { channelId } = await open();
    const executed: Parameters<typeof node.db.query>[] = [];
    const db = {
      ...node.core.db,
      query: (...asked: Parameters<typeof node.db.query>) => {
        executed.push(asked);
        return node.db.query(...asked);
      },
    };
    const vault = channelVault({ ...node.core, db } as typeof node.core, {
      accountId: account.id,
      channelId,
      epoch: 0,
    });
    await vault.write([entry("session", "1", "old"), entry("inbox", "1", "old")]);
    if (what === "a write") await vault.write([entry("session", "1", "new"), entry("inbox", "1", null)]);
    else if (what === "a deletion")
      await vault.write([entry("session", "1", null), entry("inbox", "1", null)]);
    else await vault.clear();
    const [abandoned] = executed;
    if (abandoned === undefined) throw new Error("nothing was written");
    await node.db.query(...abandoned);
    expect(texts(await vault.readAll("session"))).toEqual(what === "a write" ? { "1": "new" } : {});
    expect(texts(await vault.readAll("inbox"))).toEqual({});
  },
);

test("writes in the order of the calls", async () => {
  const { vault } = await open();
  const values = Array.from({ length: 50 }, (_, index) => String(index));
  await Promise.all(values.map((value) => vault.write([entry("a", "1", value)])));
  expect(texts(await vault.readAll("a"))).toEqual({ "1": "49" });
});

test("stores hundreds of keys in one write", async () => {
  const { vault } = await open();
  const ids = Array.from({ length: 812 }, (_, id) => String(id));
  await vault.write(ids.map((id) => entry("pre-key", id, `key ${id}`)));
  expect((await vault.read("pre-key", ids)).size).toBe(812);
});

test("is sealed, each entry bound to its row", async () => {
  const { channelId, vault } = await open();
  await vault.write([entry("a", "1", "a private key"), entry("a", "2", "another")]);
  const rows = await node.db.query<{ value: Buffer }>(
    "select value from channel_vault where channel_id = $1",
    [channelId],
  );
  expect(rows.some(({ value }) => value.includes("private"))).toBe(false);
  await node.db.query(
    "update channel_vault set value = (select value from channel_vault where channel_id = $1 and id = '2') where channel_id = $1 and id = '1'",
    [channelId],
  );
  await expect(vault.read("a", ["1"])).rejects.toThrow("damaged or does not belong");
});

test("only the owner writes; others get an error", async () => {
  const { channelId, vault } = await open();
  await vault.write([entry("a", "1", "mine")]);
  await node.db.query("update channels set epoch = epoch + 1 where id = $1", [channelId]);
  await expect(vault.write([entry("a", "1", "late"), entry("a", "2", "late")])).rejects.toThrow(
    "another node",
  );
  await expect(vault.clear()).rejects.toThrow("another node");
  expect(texts(await vault.readAll("a"))).toEqual({ "1": "mine" });
});

test("is deleted with its channel, by the node that owns it; until then its sessions may write", async () => {
  const { channelId, vault } = await open();
  const [owner, other] = [randomUUID(), randomUUID()];
  const forget = async (by: string): Promise<number> => {
    await releaseDeletedChannel(node.core, { accountId: account.id, channelId, epoch: 0 }, by);
    return (await vault.readAll("a")).size;
  };
  await vault.write([entry("a", "1", "x")]);
  await node.db.query("update channels set owner = $2 where id = $1", [channelId, owner]);
  expect(await forget(owner)).toBe(1);
  await removeChannel(node.core, { accountId: account.id }, channelId, { deleteChats: false });
  await vault.write([entry("a", "2", "y")]);
  expect(await forget(other)).toBe(2);
  expect(await forget(owner)).toBe(0);
  await expect(vault.write([entry("a", "1", "late")])).rejects.toThrow("was deleted");
});

test("a node that had the same epoch before a failover writes nothing", async () => {
  const [before, now] = [randomUUID(), randomUUID()];
  const key = await ownedBy(now);
  const [stale, current] = [before, now].map((owner) => channelVault(node.core, { ...key, owner }));
  await current?.write([entry("a", "1", "new")]);
  await expect(stale?.write([entry("a", "1", "old")])).rejects.toThrow("belongs to another node now");
  await expect(stale?.clear()).rejects.toThrow("belongs to another node now");
  expect(texts((await current?.readAll("a")) ?? new Map())).toEqual({ "1": "new" });
});
