import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { QueueDepth } from "../../../src/core/console/queue-depths.ts";
import { openPublicFile, removeOldFiles } from "../../../src/core/file/files.ts";
import { newId, newSecret } from "../../../src/platform/ids.ts";
import { Sweeper } from "../../../src/work/upkeep/sweeper.ts";
import { STORES, type TestStore } from "../../kit/file-stores.ts";
import { call, outcome } from "../kit/call.ts";
import { arrive } from "../kit/inbound.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const CONTENT = "0123456789";

let node: TestNode;
let named: { readonly account: TestAccount; readonly channelId: string };
beforeAll(async () => {
  node = await startNode();
  const account = await addAccount(node.db);
  named = { account, channelId: await addChannel(node, account, { transport: "telegram" }) };
});
afterAll(() => node.stop());

describe.each(["disk", "S3"] as const)("files on %s", (kind) => {
  let node: TestNode;
  let account: TestAccount;
  let channel: string;

  let under: TestStore;

  beforeAll(async () => {
    under = await STORES[kind]();
    node = await startNode({ files: under.store, fileStallMs: 1_000 });
    account = await addAccount(node.db);
    channel = await addChannel(node, account, { transport: "telegram" });
  });
  afterAll(async () => {
    await node.stop();
    await under.stop();
  });

  async function addFile(
    options: { mimeType?: string | null; name?: string | null; state?: string; content?: Buffer } = {},
  ): Promise<string> {
    const {
      mimeType = "image/png",
      name = "a.png",
      state = "stored",
      content = Buffer.from(CONTENT),
    } = options;
    const [id, key] = [newId(), newSecret(24)];
    const { size } = await node.core.files.put(id, Readable.from([content]), { maxBytes: content.length });
    await node.db.query(
      `insert into files (account_id, id, channel_id, key, name, mime_type, size, state, source)
     values ($1, $2, $3, $4, $5, $6, $7, $8, '{}')`,
      [account.id, id, channel, key, name, mimeType, size, state],
    );
    return key;
  }

  const get = (path: string, headers: Record<string, string> = {}) => call(node, "GET", path, { headers });

  test("of deleted chats are unavailable at once, and are removed from the store", async () => {
    const stays = await addFile();
    const kept = channel;
    channel = await addChannel(node, account, { transport: "telegram" });
    const [goes, waits] = [await addFile(), await addFile({ state: "waiting" })];
    const path = `/v2/channels/${channel}?delete_chats=true`;
    channel = kept;
    const idOf = async (key: string) =>
      (await node.db.query<{ id: string }>("select id from files where key = $1", [key]))[0]?.id ?? "";
    const ids = await Promise.all([goes, waits].map(idOf));
    expect((await call(node, "DELETE", path, { token: account.access })).status).toBe(200);
    for (const key of [goes, waits]) expect((await get(`/files/${key}`)).status).toBe(404);
    await removeOldFiles(node.core, { days: 30, limit: 100, signal: new AbortController().signal });
    for (const id of ids) expect(await under.store.size(id)).toBeUndefined();
    expect((await get(`/files/${stays}`)).text).toBe(CONTENT);
  });

  test("the link opens the file, with or without the name", async () => {
    const key = await addFile();
    for (const path of [`/files/${key}`, `/files/${key}/a.png`, `/files/${key}/another.png`]) {
      const answer = await get(path);
      expect([answer.status, answer.text]).toEqual([200, CONTENT]);
      expect(answer.headers).toMatchObject({
        "content-type": "image/png",
        "content-length": "10",
        "accept-ranges": "bytes",
        etag: `"${key}"`,
        "cache-control": "private, max-age=31536000, immutable",
        "x-content-type-options": "nosniff",
        "content-security-policy": "sandbox; default-src 'none'",
      });
    }
  });

  test("a client that takes nothing is disconnected", async () => {
    // More than the buffers of two systems hold.
    const key = await addFile({ content: Buffer.alloc(32 * 1024 * 1024) });
    const { hostname, port } = new URL(node.url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.write(`GET /files/${key} HTTP/1.1\r\nhost: x\r\n\r\n`);
    // The other end: while ours reads nothing, it does not see that the connection has ended.
    const [end] = (await once(node.http.server, "connection")) as [Socket];
    await once(socket, "readable");
    await vi.waitUntil(() => end.destroyed, { timeout: 30_000 });
  });

  test("HEAD returns only the headers", async () => {
    const answer = await call(node, "HEAD", `/files/${await addFile()}`);
    expect([answer.status, answer.headers["content-length"], answer.text]).toEqual([200, "10", ""]);
  });

  test.each([
    ["bytes=0-3", 206, "0123", "bytes 0-3/10"],
    ["bytes=7-", 206, "789", "bytes 7-9/10"],
    ["bytes=-2", 206, "89", "bytes 8-9/10"],
    ["bytes=8-100", 206, "89", "bytes 8-9/10"],
    ["bytes=0-1,4-5", 200, CONTENT, undefined],
    ["nonsense", 200, CONTENT, undefined],
    ["bytes=10-", 416, "The file does not have these bytes", "bytes */10"],
  ])("range %s: %i", async (range, status, text, contentRange) => {
    const answer = await get(`/files/${await addFile()}`, { range });
    expect([answer.status, answer.text, answer.headers["content-range"]]).toEqual([
      status,
      text,
      contentRange,
    ]);
  });

  test("a range of a file that has changed is the whole file", async () => {
    const key = await addFile();
    const range = "bytes=0-3";
    expect((await get(`/files/${key}`, { range, "if-range": '"other"' })).status).toBe(200);
    expect((await get(`/files/${key}`, { range, "if-range": `"${key}"` })).status).toBe(206);
  });

  test.each([
    ["same", 304],
    ['"other"', 200],
    ["*", 304],
  ])("if-none-match %s: %i", async (tag, status) => {
    const key = await addFile();
    const answer = await get(`/files/${key}`, { "if-none-match": tag === "same" ? `W/"x", "${key}"` : tag });
    expect(answer.status).toBe(status);
  });

  test.each([
    ["image/jpeg", "image/jpeg", "inline"],
    ["application/pdf", "application/pdf", "attachment"],
    ["image/svg+xml", "application/octet-stream", "attachment"],
    ["text/html", "application/octet-stream", "attachment"],
    ["text/javascript", "application/octet-stream", "attachment"],
    [null, "application/octet-stream", "attachment"],
  ])("%s is served as %s, %s", async (mimeType, served, place) => {
    const answer = await get(`/files/${await addFile({ mimeType, name: null })}`);
    expect([answer.headers["content-type"], answer.headers["content-disposition"]]).toEqual([served, place]);
  });

  describe("missing files", () => {
    test.each(["x", "a".repeat(32), "..%2f..%2fetc%2fpasswd", `${"a".repeat(20)}%00`])(
      "key %s",
      async (key) => {
        expect(outcome(await get(`/files/${key}`))).toBe("404 NOT_FOUND");
      },
    );

    test("a file whose download failed", async () => {
      expect(outcome(await get(`/files/${await addFile({ state: "failed" })}`))).toBe("404 NOT_FOUND");
    });
  });

  test("a pending download is waited for", async () => {
    const key = await addFile({ state: "waiting" });
    const answer = get(`/files/${key}`);
    await node.db.query("update files set state = 'stored' where key = $1", [key]);
    node.core.signals.notify("files");
    expect((await answer).text).toBe(CONTENT);
  });

  test("many that wait for downloads ask together, and no longer than their clients", async () => {
    const keys = await Promise.all(Array.from({ length: 60 }, () => addFile({ state: "waiting" })));
    const query = vi.spyOn(node.core.db, "query");
    onTestFinished(() => query.mockRestore());
    const asked = () =>
      query.mock.calls.filter(([text]) => typeof text === "object" && text.name === "files_by_key").length;
    const gone = new AbortController();
    const opened = Promise.allSettled(keys.map((key) => openPublicFile(node.core, key, gone.signal)));
    await vi.waitUntil(() => asked() > 0);
    for (let event = 1; event <= 10; event++) {
      const before = asked();
      node.core.signals.notify("files", "");
      await vi.waitUntil(() => asked() > before);
    }
    // At most two at a time for each of them, and for the second that may pass.
    expect(asked()).toBeLessThan(60);
    gone.abort();
    node.core.signals.notify("files", "");
    for (const outcome of await opened)
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "UNAVAILABLE" } });
  });

  test("old files are removed, and are then missing", async () => {
    const [old, young] = [await addFile(), await addFile()];
    await node.db.query("update files set created_at = now() - interval '30 days 1 hour' where key = $1", [
      old,
    ]);
    const before = under.everything().length;
    await removeOldFiles(node.core, { days: 30, limit: 100, signal: new AbortController().signal });
    expect(under.everything().length).toBe(before - 1);
    expect(outcome(await get(`/files/${old}`))).toBe("404 NOT_FOUND");
    expect((await get(`/files/${young}`)).text).toBe(CONTENT);
  });

  test("an unavailable store delays only the removal of old files", async () => {
    const old = await addFile();
    await node.db.query("update files set created_at = now() - interval '31 days' where key = $1", [old]);
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const { files } = node.core;
    let asked = 0;
    const remove = async (id: string): Promise<void> => {
      asked++;
      await answered;
      await files.remove(id);
    };
    const depths: QueueDepth[] = [];
    const sweeper = new Sweeper({
      core: { ...node.core, files: { ...files, remove } },
      eventRetentionDays: 30,
      auditRetentionDays: 365,
      fileRetentionDays: 30,
      onDepths: (found) => depths.push(...found),
    });
    sweeper.start();
    await vi.waitUntil(() => asked > 0 && depths.length > 0);
    answer();
    await sweeper.stop();
    expect(outcome(await get(`/files/${old}`))).toBe("404 NOT_FOUND");
  });

  test("a file that the store has lost is missing", async () => {
    const key = await addFile();
    const [row] = await node.db.query<{ id: string }>("select id from files where key = $1", [key]);
    await node.core.files.remove(row?.id ?? "");
    expect(outcome(await get(`/files/${key}`))).toBe("404 NOT_FOUND");
  });
});

test.each([
  ["../../etc/passwd", "passwd"],
  ["C:\\temp\\report\r\nSet-Cookie: a=b.txt", "reportSet-Cookie: a=b.txt"],
  ["photo_\u202egpj.exe", "photo_gpj.exe"],
  ["..", "file"],
  ["отчёт 1.pdf", "отчёт 1.pdf"],
])("a file that somebody named %j is called %j", async (given, expected) => {
  const externalId = newId();
  const media = {
    type: "media",
    media: "document",
    file: { token: externalId, name: given },
    text: "",
  } as const;
  const contact = { name: "Ann" };
  await arrive(node, named, { chatType: "telegram", chatId: "1", externalId, contact, body: media });
  const [row] = await node.db.query(
    "select f.name from files f where f.account_id = $1 and f.source ->> 'token' = $2",
    [named.account.id, externalId],
  );
  expect(row).toEqual({ name: expected });
});
