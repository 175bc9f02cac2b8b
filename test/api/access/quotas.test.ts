import { PassThrough, Readable } from "node:stream";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { removeExpired } from "../../../src/core/export/exports.ts";
import { markStored, removeOldFiles, type WaitingFile } from "../../../src/core/file/files.ts";
import { newId, newSecret } from "../../../src/platform/ids.ts";
import { Exporter } from "../../../src/work/exporter.ts";
import { startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { type Answer, call, outcome } from "../kit/call.ts";
import { leaseForAnHour } from "../kit/delivery.ts";
import { write } from "../kit/inbound.ts";
import { openInbox } from "../kit/inbox.ts";
import { ACCOUNT, addPartner } from "../kit/partner.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const QUOTAS = {
  accounts: 3,
  channels: 6,
  unlinkedChannels: 3,
  fileBytes: 1_000,
  waitingSends: 5,
  subscriptions: 4,
  employees: 7,
  contacts: 7,
  deals: 7,
  crmBytes: 4_000,
  cannedAnswers: 3,
  historyMessages: 0,
};

let database: TestDatabase;
/** Two nodes of one installation. */
let nodes: [TestNode, TestNode];
let account: TestAccount;

beforeAll(async () => {
  database = await startTestDatabase();
  nodes = [await startNode({ database, quotas: QUOTAS }), await startNode({ database, quotas: QUOTAS })];
});
beforeEach(async () => {
  account = await addAccount(nodes[0].db);
});
afterAll(async () => {
  for (const node of nodes) await node.stop();
  await database.stop();
});

/** The same request on both nodes at once, many times. */
function everywhere(times: number, request: (node: TestNode, index: number) => Promise<Answer>) {
  return Promise.all(
    Array.from({ length: times }, (_, index) => request(nodes[index % 2] ?? nodes[0], index)),
  );
}

function counted(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[outcome(answer)] = (counts[outcome(answer)] ?? 0) + 1;
  return counts;
}

const refusalOf = (answers: readonly Answer[]) =>
  (answers.find(({ status }) => status === 400)?.json as { data: unknown } | undefined)?.data;
const post = (node: TestNode, path: string, body: object) =>
  call(node, "POST", path, { token: account.access, body });
const createQr = (node: TestNode) => post(node, "/v2/channels", { transport: "whatsapp", credentials: {} });
/** A bot belongs to one account. */
const accountNumber = () => account.id;
const createBot = (node: TestNode, index: number) =>
  post(node, "/v2/channels", {
    transport: "telegram",
    credentials: { telegram_token: `good:${accountNumber()}${index}` },
  });

test("accounts of a partner; a repeated request needs no room, and other partners have their own quota", async () => {
  const [partner, other] = [await addPartner(nodes[0]), await addPartner(nodes[0])];
  const create = (node: TestNode, index: number, { headers } = partner) =>
    call(node, "POST", "/v2/accounts", {
      headers: { ...headers, "idempotency-key": `account-${index}` },
      body: ACCOUNT,
    });
  const answers = await everywhere(12, create);
  expect(counted(answers)).toEqual({ 200: 3, "400 QUOTA_EXCEEDED": 9 });
  expect(refusalOf(answers)).toEqual({ quota: "accounts", limit: 3 });
  const kept = answers.findIndex(({ status }) => status === 200);
  await nodes[0].db.query(
    "update idempotency_keys set status = null, answer = null, locked_until = now() - interval '1 second' where account_id = $1",
    [partner.id],
  );
  const { data } = (answers[kept] as Answer).json as { data: object };
  expect((await create(nodes[1], kept)).json).toMatchObject({ data });
  expect(outcome(await create(nodes[1], 1, other))).toBe("200");
});

test("channels that are not linked yet", async () => {
  const answers = await everywhere(12, createQr);
  expect(counted(answers)).toEqual({ 200: 3, "400 QUOTA_EXCEEDED": 9 });
  expect(refusalOf(answers)).toEqual({ quota: "unlinkedChannels", limit: 3 });
  // Another kind of channel needs no person, and a linked one is none of them.
  expect(outcome(await createBot(nodes[0], 0))).toBe("200");
  await nodes[0].db.query(
    "update channels set messenger_id = id::text where account_id = $1 and transport = 'whatsapp'",
    [account.id],
  );
  expect(counted(await everywhere(4, createQr))).toEqual({ 200: 2, "400 QUOTA_EXCEEDED": 2 });
});

test("channels; a deleted one frees its slot, and other accounts have their own quota", async () => {
  const answers = await everywhere(12, createBot);
  expect(counted(answers)).toEqual({ 200: 6, "400 QUOTA_EXCEEDED": 6 });
  expect(refusalOf(answers)).toEqual({ quota: "channels", limit: 6 });
  const created = answers.find(({ status }) => status === 200)?.json as
    | { data: { channel_id: string }[] }
    | undefined;
  await call(nodes[0], "DELETE", `/v2/channels/${created?.data[0]?.channel_id}`, { token: account.access });
  expect(outcome(await createBot(nodes[1], 50))).toBe("200");
  expect(outcome(await createBot(nodes[1], 51))).toBe("400 QUOTA_EXCEEDED");
  account = await addAccount(nodes[0].db);
  expect(outcome(await createBot(nodes[0], 52))).toBe("200");
});

test("subscriptions; existing ones may be requested again", async () => {
  const subscribe = (node: TestNode, index: number) =>
    post(node, "/v2/webhooks", {
      data: [{ url: `http://127.0.0.1:9/${index}`, event: "message.add" }],
    });
  const answers = await everywhere(12, subscribe);
  expect(counted(answers)).toEqual({ 200: 4, "400 QUOTA_EXCEEDED": 8 });
  expect(refusalOf(answers)).toEqual({ quota: "subscriptions", limit: 4 });
  const again = answers.findIndex(({ status }) => status === 200);
  expect(outcome(await subscribe(nodes[0], again))).toBe("200");
});

test("employees; existing ones may be changed", async () => {
  const save = (node: TestNode, path: string, ids: readonly number[]) => {
    const users = ids.map((id) => ({ id: String(id), name: `Person ${id}` }));
    const token = path === "/v3/users" ? account.api : account.access;
    return call(node, "POST", path, { token, body: path === "/v3/users" ? users : { users } });
  };
  const answers = await everywhere(8, (node, index) => save(node, "/v3/users", [index * 2, index * 2 + 1]));
  expect(counted(answers)).toEqual({ 200: 3, "400 QUOTA_EXCEEDED": 5 });
  expect(refusalOf(answers)).toEqual({ quota: "employees", limit: 7 });
  const listed = await call(nodes[1], "GET", "/v3/users", { token: account.api });
  const ids = (listed.json as { id: string }[]).map(({ id }) => Number(id));
  expect(ids).toHaveLength(6);
  expect(outcome(await save(nodes[0], "/v3/users", ids))).toBe("200");
  expect(outcome(await save(nodes[0], "/v2/users", [100, 101]))).toBe("400 QUOTA_EXCEEDED");
  expect(outcome(await save(nodes[0], "/v2/users", [100]))).toBe("200");
});

describe.each(["contacts", "deals"] as const)("%s", (kind) => {
  const entity = (id: number, more: number) =>
    kind === "contacts"
      ? {
          id: String(id),
          responsibleUserId: "1",
          name: "x",
          contactData: Array.from({ length: more }, (_, chat) => ({
            chatType: "telegram",
            chatId: `${id}${chat}`,
          })),
        }
      : {
          id: String(id),
          responsibleUserId: "1",
          name: "x",
          contacts: Array.from({ length: more }, (_, contact) => `${id}${contact}`),
        };
  const save = (node: TestNode, ids: readonly number[], more = 1) =>
    call(node, "POST", `/v3/${kind}`, { token: account.api, body: ids.map((id) => entity(id, more)) });
  const remove = (ids: readonly string[]) =>
    call(nodes[0], "PATCH", `/v3/${kind}/bulk_delete`, { token: account.api, body: ids });
  const usage = async () => {
    const [row] = await nodes[0].db.query<{ contacts: number; deals: number; bytes: number }>(
      "select contacts, deals, bytes from crm_usage where account_id = $1",
      [account.id],
    );
    return row;
  };

  test("are counted over nodes; existing ones may be changed, and deleted ones free their room", async () => {
    const answers = await everywhere(8, (node, index) => save(node, [index * 2 + 10, index * 2 + 11]));
    expect(counted(answers)).toEqual({ 200: 3, "400 QUOTA_EXCEEDED": 5 });
    expect(refusalOf(answers)).toEqual({ quota: kind, limit: 7 });
    const rows = await nodes[0].db.query<{ id: string }>(`select id from ${kind} where account_id = $1`, [
      account.id,
    ]);
    const ids = rows.map(({ id }) => Number(id));
    const before = await usage();
    expect(outcome(await save(nodes[1], ids))).toBe("200");
    expect(await usage()).toEqual(before);
    expect(outcome(await save(nodes[1], [90, 91]))).toBe("400 QUOTA_EXCEEDED");
    expect(outcome(await remove(ids.map(String)))).toBe("200");
    expect(await usage()).toMatchObject({ contacts: 0, deals: 0, bytes: 0 });
    expect(outcome(await save(nodes[1], [90, 91]))).toBe("200");
  });

  test("are limited by their bytes, also when they grow", async () => {
    expect(outcome(await save(nodes[0], [1], 50))).toBe("200");
    const refused = await save(nodes[1], [1], 70);
    expect(refusalOf([refused])).toEqual({ quota: "crmBytes", limit: 4_000 });
    expect(outcome(await save(nodes[1], [2], 40))).toBe("400 QUOTA_EXCEEDED");
    expect(outcome(await save(nodes[1], [1], 20))).toBe("200");
    expect(outcome(await save(nodes[1], [2], 20))).toBe("200");
  });
});

test("canned answers; those that exist may be changed", async () => {
  const { token } = await openInbox(nodes[0], account.api);
  const add = (node: TestNode, index: number) =>
    call(node, "POST", "/app/api/canned-answers", {
      token,
      body: { id: newId(), name: `answer-${index}`, text: "Yes" },
    });
  const answers = await everywhere(12, add);
  expect(counted(answers)).toEqual({ 201: 3, "400 QUOTA_EXCEEDED": 9 });
  expect(refusalOf(answers)).toEqual({ quota: "cannedAnswers", limit: 3 });
  const kept = answers.find(({ status }) => status === 201)?.json as { id: string };
  const one = (method: "PATCH" | "DELETE", rest: string, body: object) =>
    call(nodes[1], method, `/app/api/canned-answers/${kept.id}${rest}`, { token, body });
  expect(outcome(await one("PATCH", "", { ...kept, text: "No" }))).toBe("200");
  expect(outcome(await one("DELETE", "?version=2", {}))).toBe("200");
  expect(outcome(await add(nodes[1], 50))).toBe("201");
  expect(outcome(await add(nodes[0], 51))).toBe("400 QUOTA_EXCEEDED");
});

test("messages waiting to be sent", async () => {
  const channelId = await addChannel(nodes[0], account, { transport: "telegram" });
  const send = (node: TestNode, index: number) =>
    post(node, "/v2/messages", {
      channel_id: channelId,
      recipient: { chat_type: "telegram", chat_id: String(index % 3) },
      text: `message ${index}`,
    });
  const answers = await everywhere(40, send);
  expect(counted(answers)).toEqual({ 200: 5, "400 QUOTA_EXCEEDED": 35 });
  expect(refusalOf(answers)).toEqual({ quota: "waitingSends", limit: 5 });
  await nodes[0].db.query(
    "delete from send_jobs where id in (select id from send_jobs where account_id = $1 limit 2)",
    [account.id],
  );
  expect(counted(await everywhere(10, send))).toEqual({ 200: 2, "400 QUOTA_EXCEEDED": 8 });
});

test("a refusal is not stored for an Idempotency-Key, and a stored message is not counted again", async () => {
  const channelId = await addChannel(nodes[0], account, { transport: "telegram" });
  const send = (key: string) =>
    call(nodes[0], "POST", "/v2/messages", {
      token: account.access,
      headers: { "idempotency-key": key },
      body: { channel_id: channelId, recipient: { chat_type: "telegram", chat_id: "1" }, text: "hello" },
    });
  for (const key of ["1", "2", "3", "4", "5"]) expect(outcome(await send(key))).toBe("200");
  expect(outcome(await send("6"))).toBe("400 QUOTA_EXCEEDED");
  // The answer was lost before it was kept: the same message is stored again.
  await nodes[0].db.query("delete from idempotency_keys where account_id = $1 and key = '5'", [account.id]);
  const [job] = await nodes[0].db.query<{ message_id: string }>(
    "select message_id from send_jobs where account_id = $1 order by id desc limit 1",
    [account.id],
  );
  const [row] = await nodes[0].db.query<Record<string, string>>(
    "select m.chat, c.chat_id from messages m join chats c on c.account_id = m.account_id and c.id = m.chat where m.id = $1",
    [job?.message_id],
  );
  expect(
    await nodes[1].core.accept.add({
      account_id: account.id,
      id: job?.message_id ?? "",
      channel_id: channelId,
      chat: row?.["chat"] ?? "",
      chat_type: "telegram",
      chat_id: "1",
      chat_name: "",
      new_chat: false,
      type: "text",
      text: "hello",
      content: {},
      quoted_id: null,
      author_id: null,
      author_name: null,
      crm_message_id: null,
    }),
  ).toBe("stored");
  await nodes[0].db.query("delete from send_jobs where message_id = $1", [job?.message_id]);
  expect(outcome(await send("6"))).toBe("200");
});

test("bytes of files, over nodes, until old ones are removed", async () => {
  const channelId = await addChannel(nodes[0], account, { transport: "telegram" });
  const files = await Promise.all(Array.from({ length: 8 }, () => addFile(channelId)));
  const store = (node: TestNode, file: WaitingFile) =>
    markStored(node.db, file, { size: 300, mimeType: null, name: null, maxBytes: QUOTAS.fileBytes });
  const stored = await Promise.all(files.map((file, index) => store(nodes[index % 2] ?? nodes[0], file)));
  expect(stored.filter((outcome) => outcome === "stored")).toHaveLength(3);
  expect(stored.filter((outcome) => outcome === "full")).toHaveLength(5);
  expect(await usedBytes()).toBe(900);
  // Said twice, after an answer that was lost.
  const kept = files[stored.indexOf("stored")];
  if (kept !== undefined) expect(await store(nodes[1], kept)).toBe("stored");
  expect(await usedBytes()).toBe(900);

  const dump = () => post(nodes[0], "/v2/messages/messages_dump", PERIOD);
  expect(outcome(await dump())).toBe("200");
  await nodes[0].db.query("update message_exports set draft = '{\"bytes\":100}' where account_id = $1", [
    account.id,
  ]);
  const refused = await dump();
  expect(outcome(refused)).toBe("400 QUOTA_EXCEEDED");
  expect(refusalOf([refused])).toEqual({ quota: "fileBytes", limit: 1_000 });

  await nodes[0].db.query("update files set created_at = now() - interval '40 days' where account_id = $1", [
    account.id,
  ]);
  const { signal } = new AbortController();
  while ((await removeOldFiles(nodes[0].core, { days: 30, limit: 2, signal })) > 0);
  expect(await usedBytes()).toBe(0);
  expect(outcome(await dump())).toBe("200");
});

test("uploads while they are received, and what an interrupted one has left until it is removed", async () => {
  const { token } = await openInbox(nodes[0], account.api);
  const upload = (content: Readable | string) =>
    fetch(`${nodes[0].url}/app/api/files?name=a.txt`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "text/plain" },
      body: content as never,
      duplex: "half",
    } as RequestInit);
  const first = new PassThrough();
  first.write("x".repeat(600));
  const uploading = upload(first);
  await vi.waitUntil(async () => (await usedBytes()) === 600);
  const refused = await upload("x".repeat(500));
  expect(await refused.json()).toMatchObject({ error: "QUOTA_EXCEEDED", data: { quota: "fileBytes" } });
  first.end();
  expect((await uploading).status).toBe(201);
  expect(await usedBytes()).toBe(600);

  // As after a crash.
  await nodes[0].db.query(
    "update files set state = 'waiting', created_at = now() - interval '7 hours' where account_id = $1",
    [account.id],
  );
  expect(
    await removeOldFiles(nodes[0].core, { days: 30, limit: 2, signal: new AbortController().signal }),
  ).toBe(1);
  expect(await usedBytes()).toBe(0);
});

test("bytes of finished exports, until they are removed", async () => {
  const [node] = nodes;
  const lease = await leaseForAnHour(node.db);
  const exporter = new Exporter({ core: node.core, lease: () => lease, retentionMs: 86_400_000 });
  onTestFinished(() => exporter.stop());
  exporter.start();
  const channelId = await addChannel(node, account, { transport: "telegram" });
  await write(node, { account, channelId }, [["1", "x".repeat(600)]]);
  const dump = () =>
    post(node, "/v2/messages/messages_dump", { start_at: "2026-01-01", end_at: "2100-01-01" });
  expect(outcome(await dump())).toBe("200");
  await vi.waitUntil(async () => {
    const rows = await node.db.query(
      "select 1 from message_exports where account_id = $1 and finished_at is not null",
      [account.id],
    );
    return rows.length > 0;
  });
  // There is room to begin another one, but not for its file.
  expect(outcome(await dump())).toBe("200");
  const open = () =>
    node.db.query<{ failures: number }>(
      "select failures from message_exports where account_id = $1 and finished_at is null",
      [account.id],
    );
  await vi.waitUntil(async () => ((await open())[0]?.failures ?? 0) > 0);
  await node.db.query(
    "update message_exports set expires_at = now() where account_id = $1 and finished_at is not null",
    [account.id],
  );
  expect(await removeExpired(node.core, { limit: 10, signal: new AbortController().signal })).toBe(1);
  await node.db.query("update message_exports set due = now() where account_id = $1", [account.id]);
  node.core.signals.notify("exports");
  await vi.waitUntil(async () => (await open()).length === 0);
});

const PERIOD = { start_at: "2026-01-01T00:00:00Z", end_at: "2026-02-01T00:00:00Z" };

async function usedBytes(): Promise<number | undefined> {
  const rows = await nodes[0].db.query<{ bytes: number }>(
    "select file_bytes as bytes from account_usage where account_id = $1",
    [account.id],
  );
  return rows[0]?.bytes;
}

/** A file that is about to be fetched; its bytes are there already. */
async function addFile(channelId: string): Promise<WaitingFile> {
  const id = newId();
  await nodes[0].db.query(
    "insert into files (account_id, id, channel_id, key, state, source) values ($1, $2, $3, $4, 'waiting', '{}')",
    [account.id, id, channelId, newSecret(24)],
  );
  await nodes[0].core.files.put(id, Readable.from([Buffer.alloc(300)]), { maxBytes: 1_000 });
  return {
    accountId: account.id,
    partnerId: null,
    id,
    channelId,
    source: {} as never,
    attempts: 1,
    progress: null,
    neededBytes: null,
    isAvatar: false,
    chat: null,
    messageId: null,
  };
}
