import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  openCredentials,
  stateContext,
  vaultContext,
} from "../../../src/core/channel/credentials/credentials.ts";
import { channelVault } from "../../../src/core/channel/credentials/vault.ts";
import { type RotationStep, reseal } from "../../../src/core/key/rotation.ts";
import { SEALED_COLUMNS } from "../../../src/core/key/sealed-columns.ts";
import { createSeal, type Seal } from "../../../src/platform/seal.ts";
import { startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { call } from "../kit/call.ts";
import { startReceiver } from "../kit/receiver.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const [OLD, NEW] = ["the old key of this test", "the new key of this test"];
const derivationKey = randomBytes(32);
const ENTRIES = 900;

let database: TestDatabase;
/** A node from before the rotation, and one that has both keys and seals with the new one. */
let before: TestNode;
let node: TestNode;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let account: TestAccount;

beforeAll(async () => {
  database = await startTestDatabase();
  before = await startNode({ database, seal: createSeal(OLD, { derivationKey }) });
  node = await startNode({ database, seal: createSeal(NEW, { other: OLD, derivationKey }) });
  receiver = await startReceiver(() => 200);
});
beforeEach(async () => {
  account = await addAccount(before.db);
});
afterAll(async () => {
  await before.stop();
  await node.stop();
  await receiver.stop();
  await database.stop();
});

async function resealAll(seal: Seal = node.core.seal): Promise<RotationStep[]> {
  const last = new Map<string, RotationStep>();
  for await (const step of reseal({ db: node.db, seal })) last.set(`${step.table}.${step.column}`, step);
  return [...last.values()];
}

/** How many values another key than the new one sealed. */
async function leftOver(): Promise<number> {
  const counts = await Promise.all(
    SEALED_COLUMNS.map(async ({ table, column }) => {
      const rows = await node.db.query(
        `select 1 from ${table} where ${column} is not null and substring(${column} from 1 for 5) <> $1`,
        [node.core.seal.header],
      );
      return rows.length;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

const key = (channelId: string) => ({ accountId: account.id, channelId, epoch: 0 });

async function sealedChannel(): Promise<string> {
  const id = await addChannel(before, account, { transport: "telegram", credentials: { token: "secret" } });
  await before.db.query("update channels set epoch = 0 where id = $1", [id]);
  return id;
}

describe("while nodes continue writing", () => {
  test("everything is sealed with the new key, after an interruption, and no write is lost", async () => {
    const channelId = await sealedChannel();
    await before.db.query(
      "insert into channel_state (account_id, channel_id, key, value) values ($1, $2, $3, $4)",
      [account.id, channelId, "cursor", before.core.seal.seal("17", stateContext(channelId, "cursor"))],
    );
    const vault = channelVault(before.core, key(channelId));
    const id = (index: number) => `entry-${index}`;
    await vault.write(
      Array.from({ length: ENTRIES }, (_, index) => ({
        family: "keys",
        id: id(index),
        value: Buffer.from(`old ${index}`),
      })),
    );
    await call(before, "PATCH", "/v3/webhooks", {
      token: account.api,
      body: { webhooksUri: receiver.url, crmKey: "k-1" },
    });
    expect(await leftOver()).toBeGreaterThan(ENTRIES);

    // A crash after some batches.
    let steps = 0;
    for await (const step of reseal({ db: node.db, seal: node.core.seal }))
      if (step.table === "channel_vault" && ++steps === 2) break;
    const half = await leftOver();
    expect(half).toBeGreaterThan(0);
    expect(half).toBeLessThan(ENTRIES);

    const written = channelVault(node.core, key(channelId));
    const writes = Array.from({ length: 90 }, (_, index) =>
      written.write([{ family: "keys", id: id(index * 10), value: Buffer.from(`new ${index}`) }]),
    );
    const [columns] = await Promise.all([resealAll(), ...writes]);
    expect(columns.every(({ unreadable }) => unreadable === 0)).toBe(true);
    await resealAll();
    expect(await leftOver()).toBe(0);

    // A node that has the new key alone finds everything.
    const after = await startNode({ database, seal: createSeal(NEW, { derivationKey }) });
    try {
      const found = await channelVault(after.core, key(channelId)).readAll("keys");
      expect(found.size).toBe(ENTRIES);
      for (let index = 0; index < ENTRIES; index++)
        expect(Buffer.from(found.get(id(index)) ?? []).toString()).toBe(
          index % 10 === 0 ? `new ${index / 10}` : `old ${index}`,
        );
      const [row] = await after.db.query<{ credentials: Buffer }>(
        "select credentials from channels where id = $1",
        [channelId],
      );
      expect(openCredentials(after.core, channelId, row?.credentials ?? Buffer.alloc(0))).toEqual({
        token: "secret",
      });
      receiver.received.length = 0;
      await call(after, "PATCH", "/v3/webhooks", {
        token: account.api,
        body: { webhooksUri: `${receiver.url}/again` },
      });
      expect(receiver.received).toMatchObject([{ headers: { authorization: "Bearer k-1" } }]);
    } finally {
      await after.stop();
    }
  });

  test("a value that changes between reading and writing keeps the new value", async () => {
    const channelId = await sealedChannel();
    const vault = channelVault(before.core, key(channelId));
    await vault.write([{ family: "keys", id: "one", value: Buffer.from("first") }]);
    const rows = reseal({
      db: interrupted(async () => {
        await channelVault(node.core, key(channelId)).write([
          { family: "keys", id: "one", value: Buffer.from("second") },
        ]);
      }),
      seal: node.core.seal,
    });
    for await (const _step of rows);
    const found = await channelVault(node.core, key(channelId)).readAll("keys");
    expect(Buffer.from(found.get("one") ?? []).toString()).toBe("second");
  });

  /** The database, with something that happens just before a vault's value is replaced. */
  function interrupted(happens: () => Promise<void>): TestNode["db"] {
    return {
      ...node.db,
      query: async (statement, values) => {
        if (String(statement).startsWith("update channel_vault")) await happens();
        return node.db.query(statement, values);
      },
    };
  }
});

test("a value that neither key opens is counted and kept", async () => {
  const channelId = await sealedChannel();
  const foreign = createSeal("a third key of this test").seal("x", vaultContext(channelId, "keys", "one"));
  await node.db.query("insert into channel_vault values ($1, $2, 'keys', 'one', $3)", [
    account.id,
    channelId,
    foreign,
  ]);
  const columns = await resealAll();
  expect(columns.find(({ table }) => table === "channel_vault")).toMatchObject({
    unreadable: 1,
    resealed: 0,
  });
  const [row] = await node.db.query<{ value: Buffer }>(
    "select value from channel_vault where channel_id = $1",
    [channelId],
  );
  expect(row?.value).toEqual(foreign);
});

test("the page of an unlinked channel has another address afterwards", async () => {
  const create = { transport: "wapi", credentials: {} };
  const { json } = await call(before, "POST", "/v2/channels", { token: account.access, body: create });
  const [{ channel_id: id = "", url = "" } = {}] = (json as { data: Record<string, string>[] }).data;
  // As the page does with its own address.
  const opens = async (address: string): Promise<boolean> => {
    const [transport = "", ticket = ""] = address.split("/").slice(-2);
    const { status } = await call(node, "POST", "/app/api/sessions", { body: { transport, ticket } });
    return status === 200;
  };
  expect(await opens(url)).toBe(true);
  await resealAll();
  const [row] = await node.db.query<{ url: string }>("select url from channels where id = $1", [id]);
  expect(row?.url).not.toBe(url);
  expect(await opens(row?.url ?? "")).toBe(true);
  expect(await opens(url)).toBe(false);
});

test("every column of bytes is known: sealed, a hash, or text of messages", async () => {
  const UNSEALED = [
    "idempotency_keys.request_hash",
    "inbound_dead_letters.digest",
    "login_attempts.subject",
    // Messages are not sealed either.
    "message_exports.tail",
    "oauth_codes.challenge",
    "oauth_codes.hash",
    "oauth_machine_tokens.hash",
    "oauth_refresh_tokens.hash",
    "operator_links.hash",
    "operator_returns.hash",
    "operator_sessions.hash",
    "page_tickets.hash",
    "page_tickets.session_hash",
    "tokens.hash",
  ];
  const columns = await node.db.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = current_schema() and data_type = 'bytea'`,
  );
  const sealed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  expect(columns.map(({ name }) => name).toSorted()).toEqual([...UNSEALED, ...sealed].toSorted());
});
