import { randomUUID } from "node:crypto";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from "vitest";
import { removeExpired } from "../../../src/core/export/exports.ts";
import {
  claimExports,
  type ExportJob,
  finishExport,
  releaseExport,
  saveProgress,
} from "../../../src/core/export/queue.ts";
import { fileUrl } from "../../../src/core/file/file-url.ts";
import { newId, newSecret } from "../../../src/platform/ids.ts";
import { Exporter } from "../../../src/work/exporter.ts";
import { parseCsv } from "../../kit/csv.ts";
import { STORES } from "../../kit/file-stores.ts";
import { call, outcome } from "../kit/call.ts";
import { leaseForAnHour, startDelivery } from "../kit/delivery.ts";
import { startReceiver } from "../kit/receiver.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const DAY_MS = 86_400_000;
const HEAD =
  "direction,transport,chat_id,user_name,user_username,user_phone,datetime,channel_id,chat_type,message_id,type,status,text,content_uri,author_name,is_edited,is_deleted,reactions,old_text,old_content_uri";
const PERIOD = { start_at: "2026-01-01T00:00:00Z", end_at: "2026-02-01T00:00:00Z" };

let node: TestNode;
let account: TestAccount;
let channel: string;
let undo: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());
beforeEach(async () => {
  account = await addAccount(node.db);
  channel = await addChannel(node, account, { transport: "telegram" });
});
afterEach(async () => {
  for (const step of undo.toReversed()) await step();
  undo = [];
  // What is left in the queue would be the next test's first.
  await node.db.query("delete from message_exports where finished_at is null");
});

const dump = (body: object, headers: Record<string, string> = {}, owner = account) =>
  call(node, "POST", "/v2/messages/messages_dump", { token: owner.access, body, headers });
const look = (id: string, owner = account) =>
  call(node, "GET", `/v2/messages/messages_dump/${id}`, { token: owner.access });

async function request(body: object = PERIOD, owner = account): Promise<string> {
  const { json } = await dump(body, {}, owner);
  return (json as { data: { export_id: string } }).data.export_id;
}

interface State {
  readonly status: string;
  readonly url: string | null;
}

async function stateOf(id: string, owner = account): Promise<State> {
  const { json } = await look(id, owner);
  return (json as { data: State }).data;
}

/** Polls until the export has this status. */
async function until(id: string, status: string): Promise<State> {
  return vi.waitUntil(
    async () => {
      const state = await stateOf(id);
      return state.status === status ? state : undefined;
    },
    { interval: 20 },
  );
}

async function startExporter(options: { timeSliceMs?: number } = {}): Promise<void> {
  const lease = await leaseForAnHour(node.db);
  const exporter = new Exporter({ core: node.core, lease: () => lease, retentionMs: DAY_MS, ...options });
  exporter.start();
  undo.push(() => exporter.stop());
}

/** The file's bytes. */
async function download(url: string | null): Promise<string> {
  const { pathname, search } = new URL(url ?? "");
  const answer = await call(node, "GET", pathname + search);
  expect(answer.status).toBe(200);
  return answer.text;
}

async function exported(body: object = PERIOD): Promise<string[][]> {
  const { url } = await until(await request(body), "done");
  return parseCsv((await download(url)).replace("\ufeff", ""));
}

interface Given {
  readonly text?: string | null;
  readonly at?: string;
  readonly name?: string;
  readonly username?: string | null;
  readonly phone?: string | null;
  readonly chatType?: string;
  readonly chatId?: string;
  readonly on?: string;
  readonly set?: Readonly<Record<string, unknown>>;
}

let chats = 0;
let lastId = "";

/** Ids of one millisecond have no order; these have. */
function nextId(): string {
  let id = newId();
  while (id <= lastId) id = newId();
  lastId = id;
  return id;
}

/** A message in a chat of its own. */
async function addMessage(given: Given = {}): Promise<string> {
  const { text = "hello", at = "2026-01-10T10:00:00Z", name = "Ann", username = null, phone = null } = given;
  const { chatType = "telegram", chatId = String(++chats), on = channel, set = {} } = given;
  const [id, chat] = [nextId(), newId()];
  await node.db.query(
    "insert into chats (account_id, id, channel_id, chat_type, chat_id, name, username, phone) values ($1, $2, $3, $4, $5, $6, $7, $8)",
    [account.id, chat, on, chatType, chatId, name, username, phone],
  );
  const columns = { direction: "in", type: "text", status: "inbound", text, sent_at: at, ...set };
  const names = Object.keys(columns);
  await node.db.query(
    `insert into messages (account_id, id, channel_id, chat, ${names.join(", ")})
     values ($1, $2, $3, $4, ${names.map((_, index) => `$${index + 5}`).join(", ")})`,
    [account.id, id, on, chat, ...Object.values(columns)],
  );
  return id;
}

describe("the request", () => {
  test.each([
    [{}, "400 VALIDATION_ERROR end_at start_at"],
    [{ ...PERIOD, start_at: null }, "400 VALIDATION_ERROR start_at"],
    [{ ...PERIOD, start_at: 5 }, "400 VALIDATION_ERROR start_at"],
    [{ start_at: "yesterday", end_at: "2026-02-30" }, "400 VALIDATION_ERROR start_at"],
    [{ start_at: "2026-13-01", end_at: "2026-02-30T00:00:00Z" }, "400 VALIDATION_ERROR end_at start_at"],
    [{ start_at: PERIOD.end_at, end_at: PERIOD.start_at }, "400 VALIDATION_ERROR end_at"],
    [{ start_at: PERIOD.end_at, end_at: PERIOD.end_at }, "400 VALIDATION_ERROR end_at"],
    [{ start_at: "0001-01-01", end_at: "9999-12-31" }, "400 VALIDATION_ERROR end_at start_at"],
    [{ start_at: "1969-12-31", end_at: "2026-01-01" }, "400 VALIDATION_ERROR start_at"],
    [{ start_at: "2099-01-01", end_at: "2100-01-01" }, "400 VALIDATION_ERROR start_at"],
    [{ ...PERIOD, channel_id: "x" }, "400 VALIDATION_ERROR channel_id"],
    [{ ...PERIOD, limit: 5 }, "400 VALIDATION_ERROR limit"],
    [{ ...PERIOD, channel_id: randomUUID() }, "404 CHANNEL_NOT_FOUND"],
    [{ ...PERIOD, channel_id: null }, "200"],
    [{ start_at: "1970-01-01", end_at: "2100-01-01" }, "200"],
    [{ start_at: "2026-01-01T00:00:00+0300", end_at: "2026-01-02T00:00:00+03" }, "200"],
  ])("%j: %s", async (body, expected) => {
    expect(outcome(await dump(body))).toBe(expected);
  });

  test("another account's channel does not exist", async () => {
    const other = await addAccount(node.db);
    const theirs = await addChannel(node, other, { transport: "telegram" });
    expect(outcome(await dump({ ...PERIOD, channel_id: theirs }))).toBe("404 CHANNEL_NOT_FOUND");
  });

  test("is pending, without a link; no other account sees it", async () => {
    const answer = await dump(PERIOD);
    expect(answer.json).toEqual({
      data: { status: "pending", export_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      meta: { timestamp: expect.any(Number) },
    });
    const id = (answer.json as { data: { export_id: string } }).data.export_id;
    expect((await look(id)).json).toEqual({
      data: { status: "pending", url: null },
      meta: { timestamp: expect.any(Number) },
    });
    const other = await addAccount(node.db);
    expect(outcome(await look(id, other))).toBe("404 EXPORT_NOT_FOUND");
    expect(outcome(await look(randomUUID()))).toBe("404 EXPORT_NOT_FOUND");
    expect(outcome(await look("x"))).toBe("404 EXPORT_NOT_FOUND");
  });

  test("the same Idempotency-Key causes one request", async () => {
    const key = { "idempotency-key": randomUUID() };
    const [first, second] = [await dump(PERIOD, key), await dump(PERIOD, key)];
    expect(second.text).toBe(first.text);
    const rows = await node.db.query("select id from message_exports where account_id = $1", [account.id]);
    expect(rows).toHaveLength(1);
  });

  test("a hundred may wait", async () => {
    await node.db.query(
      "insert into message_exports (account_id, id, start_at, end_at) select $1, gen_random_uuid(), now(), now() from generate_series(1, 100)",
      [account.id],
    );
    const key = { "idempotency-key": randomUUID() };
    expect(outcome(await dump(PERIOD, key))).toBe("400 EXPORT_QUEUE_FULL");
    await node.db.query("delete from message_exports where account_id = $1", [account.id]);
    // The refusal is not stored.
    expect((await dump(PERIOD, key)).status).toBe(200);
  });

  test("a hundred may wait, also of requests at the same moment", async () => {
    await node.db.query(
      "insert into message_exports (account_id, id, start_at, end_at) select $1, gen_random_uuid(), now(), now() from generate_series(1, 99)",
      [account.id],
    );
    const answers = await Promise.all(Array.from({ length: 10 }, () => dump(PERIOD)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe("the file", () => {
  beforeEach(() => startExporter());

  test("has all columns, a byte order mark and CR LF, byte for byte", async () => {
    const first = await addMessage({ name: "Ann Lee", username: "ann", phone: "79001112233", chatId: "5" });
    const second = await addMessage({
      text: null,
      chatId: "6",
      name: "",
      at: "2026-01-10T10:00:00.123Z",
      set: {
        direction: "out",
        type: "image",
        status: "read",
        content: JSON.stringify({ attachment: { url: "https://example.com/a.png" } }),
        author_name: "Bob",
        edited_at: "2026-01-10T10:01:00Z",
        deleted_at: "2026-01-10T10:02:00Z",
        old_info: JSON.stringify({ oldText: "=old", oldFile: { key: "k", name: "a b.png" } }),
      },
    });
    const reactions = [
      ["ann", "=Ann", "👍"],
      ["", "", "🔥"],
      ["bob", "Bob", null],
    ];
    for (const [person, name, emoji] of reactions)
      await node.db.query(
        "insert into message_reactions (account_id, message_id, person, name, emoji, at) values ($1, $2, $3, $4, $5, now())",
        [account.id, first, person, name, emoji],
      );
    const { url } = await until(await request(), "done");
    expect(await download(url)).toBe(
      [
        `\ufeff${HEAD}`,
        `inbound,telegram,5,Ann Lee,ann,79001112233,2026-01-10T10:00:00.000Z,${channel},telegram,${first},text,inbound,hello,,,false,false,"👍 =Ann, 🔥 us",,`,
        `outbound,telegram,6,,,,2026-01-10T10:00:00.123Z,${channel},telegram,${second},image,read,,https://example.com/a.png,Bob,true,true,,'=old,${fileUrl(node.core.settings.publicUrl, "k", "a b.png")}`,
        "",
      ].join("\r\n"),
    );
  });

  test("has only the header line if there are no messages", async () => {
    const { url } = await until(await request(), "done");
    expect(await download(url)).toBe(`\ufeff${HEAD}\r\n`);
  });

  test.each([
    ["plain", "plain"],
    ["", ""],
    ["a,b", "a,b"],
    ['say "hi"', 'say "hi"'],
    ["two\nlines", "two\nlines"],
    ["two\r\nlines", "two\r\nlines"],
    [" =1", " =1"],
    ["a=1", "a=1"],
    ["=1+1", "'=1+1"],
    ["+7 900", "'+7 900"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t'=1"],
    ["\r=1", "'\r'=1"],
    ["\n=1", "'\n'=1"],
    ["\t1", "'\t1"],
    ["＝1", "'＝1"],
    ["＋1", "'＋1"],
    ["－1", "'－1"],
    ["＠1", "'＠1"],
    ['=HYPERLINK("http://x","y")', '\'=HYPERLINK("http://x","y")'],
    ['","=1', '","=1'],
    ["a;=1+1", "a;'=1+1"],
    ["a\t@SUM(A1)", "a\t'@SUM(A1)"],
    ["a\n=1", "a\n'=1"],
    ["a\r\n+1\r\n-1", "a\r\n'+1\r\n'-1"],
    ["a;＝1;－1", "a;'＝1;'－1"],
    ["a\n\n;\t=1", "a\n\n;\t'=1"],
    ['a;"=1"', 'a;"\'=1"'],
    ["a; =1", "a; =1"],
    ["=1;=2", "'=1;'=2"],
    ["\t;=1", "'\t;'=1"],
    ["a;b\tc\nd = 1 - 2", "a;b\tc\nd = 1 - 2"],
    ["'quoted", "'quoted"],
    ["Привет 👋", "Привет 👋"],
    ["'); drop table messages; --", "'); drop table messages; --"],
  ])("has the text %j as %j, and every other cell of a person's likewise", async (given, expected) => {
    await addMessage({
      text: given,
      name: given,
      username: given,
      phone: given,
      // Chats of this type are never stored under a phone or username.
      chatType: "vk",
      chatId: given === "" ? "1" : given,
      set: { author_name: given },
    });
    const [, row = []] = await exported();
    const [, , chatId, name, username, phone] = row;
    expect([chatId, name, username, phone, row[12], row[14]]).toEqual([
      given === "" ? "1" : given === "-1" ? "-1" : expected,
      ...Array.from({ length: 5 }, () => expected),
    ]);
  });

  test("shows the bare phone or username of a chat whose id is not known", async () => {
    await addMessage({ chatId: "+79001112233" });
    await addMessage({ chatId: "@ann" });
    await addMessage({ chatId: "@=1+1" });
    const rows = (await exported()).slice(1);
    expect(rows.map((row) => row[2])).toEqual(["79001112233", "ann", "'=1+1"]);
  });

  test("leaves the ids of groups unchanged", async () => {
    await addMessage({
      chatType: "telegroup",
      chatId: "-1001234567",
      set: { sender: '{"id":"7","name":"Eve"}' },
    });
    await addMessage({ chatId: "-1+1" });
    const rows = (await exported()).slice(1);
    expect(rows.map((row) => [row[2], row[8], row[14]])).toEqual([
      ["-1001234567", "telegroup", "Eve"],
      ["'-1+1", "telegram", ""],
    ]);
  });

  test.each([null, "", "photo.png", "отчёт №5 (2).pdf", "a b%c'd\"e/f?g#h&i=j+k~!*.txt", "😀.gif"])(
    "links a received file named %j as webhooks do",
    async (name) => {
      const [fileId, key] = [newId(), newSecret(24)];
      await node.db.query(
        "insert into files (account_id, id, channel_id, key, name, state, source) values ($1, $2, $3, $4, $5, 'stored', '{}')",
        [account.id, fileId, channel, key, name],
      );
      await addMessage({ set: { type: "document", file_id: fileId } });
      const [, row = []] = await exported();
      expect(row[13]).toBe(fileUrl(node.core.settings.publicUrl, key, name));
    },
  );

  test("has the period with both its ends, of that channel, of this account alone", async () => {
    const inside = [
      await addMessage({ at: PERIOD.start_at }),
      await addMessage({ at: "2026-01-31T23:59:59.999Z" }),
      await addMessage({ at: PERIOD.end_at }),
    ];
    await addMessage({ at: "2025-12-31T23:59:59.999Z" });
    await addMessage({ at: "2026-02-01T00:00:00.001Z" });
    const second = await addChannel(node, account, { transport: "viber" });
    const elsewhere = await addMessage({ on: second, chatType: "viber" });
    const ours = account;
    account = await addAccount(node.db);
    channel = await addChannel(node, account, { transport: "telegram" });
    await addMessage();
    account = ours;
    const ids = async (body: object) => (await exported(body)).slice(1).map((row) => row[9]);
    expect(await ids(PERIOD)).toEqual([...inside, elsewhere]);
    expect(await ids({ ...PERIOD, channel_id: second.toUpperCase() })).toEqual([elsewhere]);
    expect(await ids({ start_at: "2026-01-31T23:00:00+03:00", end_at: "2026-02-01" })).toEqual(
      inside.slice(1),
    );
  });

  test("has long messages after short ones", async () => {
    const first = await addMessage();
    const fill = (from: number, to: number, text: string) =>
      node.db.query(
        `insert into messages (account_id, id, channel_id, chat, direction, type, status, text, sent_at)
         select $1, ('ffffffff-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, $2,
                (select chat from messages where account_id = $1 and id = $3), 'in', 'text', 'inbound', $4, '2026-01-10'
         from generate_series($5::int, $6::int) n`,
        [account.id, channel, first, text, from, to],
      );
    await fill(1, 3_000, "short");
    // More than may be in memory at a time.
    await fill(3_001, 3_260, "long ".repeat(20_000));
    const lengths = (await exported()).slice(1).map((row) => row[12]?.length);
    expect(lengths).toEqual(Array.from({ length: 3_261 }, (_, index) => (index <= 3_000 ? 5 : 100_000)));
  });

  test("spans many pages", async () => {
    const chat = await addMessage({ at: "2025-01-01" });
    await node.db.query(
      `insert into messages (account_id, id, channel_id, chat, direction, type, status, text, sent_at)
       select $1, gen_random_uuid(), $2, (select chat from messages where account_id = $1 and id = $3), 'in', 'text', 'inbound',
              repeat('текст ', n % 50) || n, '2026-01-10' from generate_series(1, 3000) n`,
      [account.id, channel, chat],
    );
    // Ids begin with the time of storing; random ones may lie before the beginning of the period.
    await node.db.query("update messages set id = ('7' || substr(id::text, 2))::uuid where account_id = $1", [
      account.id,
    ]);
    const numbers = (await exported()).slice(1).map((row) => Number(/\d+$/.exec(row[12] ?? "")?.[0]));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 3_000 }, (_, index) => index + 1));
  });
});

describe("the link", () => {
  let path: string;

  beforeEach(async () => {
    await startExporter();
    const { url } = await until(await request(), "done");
    const { pathname, search } = new URL(url ?? "");
    path = pathname + search;
  });

  test("needs no token and serves a download", async () => {
    const answer = await call(node, "GET", path);
    expect([answer.status, answer.text]).toEqual([200, `\ufeff${HEAD}\r\n`]);
    const name = "messages_2026-01-01_2026-02-01.csv";
    expect(answer.headers).toMatchObject({
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${name}"; filename*=UTF-8''${name}`,
      "cache-control": "private, no-cache",
      "accept-ranges": "bytes",
      "x-content-type-options": "nosniff",
    });
    const part = await call(node, "GET", path, { headers: { range: "bytes=3-11" } });
    expect([part.status, part.text]).toEqual([206, "direction"]);
    const head = await call(node, "HEAD", path);
    expect([head.status, head.text, head.headers["content-length"]]).toEqual([
      200,
      "",
      String(Buffer.byteLength(answer.text)),
    ]);
  });

  test.each([
    ["without a signature", (good: string) => good.replace(/&signature=.*/, "")],
    ["with another signature", (good: string) => good.replace(/signature=./, "signature=")],
    ["with another name", (good: string) => good.replace("messages_", "massages_")],
    ["with another end", (good: string) => good.replace(/expires=\d/, "expires=9")],
    ["of another export", (good: string) => good.replace(/exports\/[^/]+/, `exports/${newId()}`)],
    ["to somewhere else", (good: string) => good.replace(/exports\/[^/]+/, "exports/..%2f..%2fetc")],
  ])("opens nothing %s", async (_, change) => {
    expect(change(path)).not.toBe(path);
    expect(outcome(await call(node, "GET", change(path)))).toBe("404 NOT_FOUND");
  });

  test("opens nothing once it has expired", async () => {
    const later = { ...node.core.clock, now: () => new Date(Date.now() + DAY_MS + 1_000) };
    const clock = vi.spyOn(node.core.clock, "now").mockImplementation(later.now);
    undo.push(async () => clock.mockRestore());
    expect(outcome(await call(node, "GET", path))).toBe("404 NOT_FOUND");
  });

  test("and the export are deleted with the file after their retention", async () => {
    const [row] = await node.db.query<{ id: string }>(
      "update message_exports set expires_at = now() where account_id = $1 returning id",
      [account.id],
    );
    expect(await node.core.files.size(row?.id ?? "")).toBeGreaterThan(0);
    expect(outcome(await look(row?.id ?? ""))).toBe("404 EXPORT_NOT_FOUND");
    expect(await removeExpired(node.core, { limit: 10, signal: new AbortController().signal })).toBe(1);
    expect(await node.core.files.size(row?.id ?? "")).toBeUndefined();
    expect(await removeExpired(node.core, { limit: 10, signal: new AbortController().signal })).toBe(0);
    expect(outcome(await look(row?.id ?? ""))).toBe("404 EXPORT_NOT_FOUND");
  });
});

describe("the webhook", () => {
  let status = (_body: string) => 200;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;

  beforeEach(async () => {
    status = () => 200;
    receiver = await startReceiver((body) => status(body));
    undo.push(() => receiver.stop());
    await startExporter();
  });

  const deliver = async (options: Parameters<typeof startDelivery>[1] = {}) =>
    undo.push(await startDelivery(node, options));
  const settings = () =>
    call(node, "PATCH", "/v3/webhooks", {
      token: account.api,
      body: { webhooksUri: receiver.url, subscriptions: {} },
    });
  const events = (): unknown[] =>
    receiver.received
      .filter(({ body }) => body.includes("messages_dump"))
      .map(({ body }) => JSON.parse(body));

  test("reports the file at the v3 address, with all switches off, once", async () => {
    expect((await settings()).text).toBe("OK");
    const id = await request();
    const { url } = await until(id, "done");
    await deliver();
    await vi.waitUntil(() => events().length > 0);
    expect(events()).toEqual([
      {
        event: "messages_dump.status_update",
        data: [{ export_id: id, status: "done", url }],
        meta: { idempotency_key: expect.any(String), timestamp: expect.any(Number) },
      },
    ]);
    expect((await stateOf(id)).status).toBe("done");
  });

  test("goes to its subscriber, and then not to the v3 address", async () => {
    const own = await startReceiver(() => 200);
    undo.push(() => own.stop());
    await settings();
    const body = { data: [{ url: own.url, event: "messages_dump.status_update" }] };
    expect((await call(node, "POST", "/v2/webhooks", { token: account.access, body })).status).toBeLessThan(
      300,
    );
    await deliver();
    const id = await request();
    await vi.waitUntil(() => own.received.some((post) => post.body.includes(id)));
    expect(events()).toEqual([]);
  });

  test("that a receiver refuses makes it webhook_failed, until it is accepted", async () => {
    await settings();
    status = () => 503;
    await deliver();
    const id = await request();
    const { url } = await until(id, "webhook_failed");
    expect(await download(url)).toContain("direction");
    status = () => 200;
    await until(id, "done");
  });

  test("that was parked makes it webhook_failed, until it is replayed", async () => {
    await settings();
    // It is this item that it refuses; it takes tests.
    status = (body) => (body.includes("messages_dump") ? 500 : 200);
    await deliver({ schedule: { delaysMs: [10], lifetimeMs: 100 } });
    const id = await request();
    await vi.waitUntil(
      async () =>
        (
          await node.db.query("select 1 from webhook_retries where account_id = $1 and state = 'parked'", [
            account.id,
          ])
        ).length > 0,
    );
    expect((await stateOf(id)).status).toBe("webhook_failed");
    status = () => 200;
    await call(node, "POST", "/v3/webhooks/replay", { token: account.api, body: { parked: true } });
    await until(id, "done");
  });

  test("of a receiver that is paused because it failed makes it webhook_failed", async () => {
    await settings();
    status = () => 500;
    await deliver({ pauseAfterMs: 50 });
    const id = await request();
    await vi.waitUntil(
      async () =>
        (
          await node.db.query(
            "select 1 from webhook_endpoints where account_id = $1 and paused_at is not null",
            [account.id],
          )
        ).length > 0,
    );
    expect((await stateOf(id)).status).toBe("webhook_failed");
  });
});

describe("the queue", () => {
  const claim = async (limit: number, lease = leaseForAnHour(node.db)) =>
    claimExports(node.db, (await lease).nodeId, { limit, inHand: [] });
  const idsOf = (jobs: readonly ExportJob[]): string[] => jobs.map(({ id }) => id);
  const done = { afterId: newId(), messages: 0, isRead: true, draft: { bytes: 1, writer: 1 }, tail: null };

  test("runs one export of each account at a time, the longest-waiting first", async () => {
    const other = await addAccount(node.db);
    const ours = [await request(), await request(), await request()];
    const theirs = [await request(PERIOD, other), await request(PERIOD, other)];
    const [first] = await claim(1);
    expect(first?.id).toBe(ours[0]);
    expect((await stateOf(ours[0] ?? "")).status).toBe("processing");
    expect((await stateOf(ours[1] ?? "")).status).toBe("pending");
    const order = [first];
    for (let slice = 0; slice < 4; slice++) {
      const before = order.at(-1);
      if (before !== undefined) await finishExport(node.core, before, DAY_MS);
      order.push((await claim(1))[0]);
    }
    expect(order.map((job) => job?.id)).toEqual([ours[0], theirs[0], ours[1], theirs[1], ours[2]]);
    await request();
    expect(await claim(10)).toEqual([]);
  });

  test("continues a long export where it was, after others had their time slice", async () => {
    const other = await addAccount(node.db);
    const [long, short] = [await request(), await request(PERIOD, other)];
    const [first] = await claim(1);
    if (first === undefined) throw new Error("nothing was claimed");
    const progress = { ...done, isRead: false, messages: 5 };
    expect(await saveProgress(node.db, first, progress)).toBe(true);
    await releaseExport(node.db, first);
    expect((await stateOf(long)).status).toBe("processing");
    expect(idsOf(await claim(1))).toEqual([short]);
    const [again] = await claim(1);
    expect(again).toMatchObject({ id: long, claimVersion: 2, progress });
  });

  test("gives the export of a dead node to another; late writes of the dead one have no effect", async () => {
    const id = await request();
    const lease = leaseForAnHour(node.db);
    const [dead] = await claim(1, lease);
    if (dead === undefined) throw new Error("nothing was claimed");
    const append = (job: ExportJob, draft: typeof job.progress.draft, text: string) =>
      node.core.files.append(id, draft, { writer: job.claimVersion, bytes: [Buffer.from(text)] });
    const draft = await append(dead, null, "one ");
    expect(await saveProgress(node.db, dead, { ...done, isRead: false, draft })).toBe(true);
    expect(await claim(1)).toEqual([]);
    await node.db.query("update nodes set lease_until = now() where id = $1", [(await lease).nodeId]);
    const [alive] = await claim(1);
    if (alive === undefined) throw new Error("nothing was claimed");
    expect(alive.progress.draft).toEqual(draft);
    const more = await append(alive, draft, "two");
    await append(dead, draft, "of the dead, and longer");
    expect(await saveProgress(node.db, dead, done)).toBe(false);
    expect(await finishExport(node.core, dead, DAY_MS)).toBe(false);
    await node.core.files.complete(id, more);
    await node.core.files.complete(id, more);
    expect((await node.core.files.open(id).toArray()).join("")).toBe("one two");
    expect(await finishExport(node.core, alive, DAY_MS)).toBe(true);
    expect(await finishExport(node.core, alive, DAY_MS)).toBe(false);
  });

  test("reclaims exports that this node has claimed but lost track of", async () => {
    const id = await request();
    const lease = await leaseForAnHour(node.db);
    const take = (inHand: string[]) => claimExports(node.db, lease.nodeId, { limit: 1, inHand });
    expect(idsOf(await take([]))).toEqual([id]);
    expect(await take([id])).toEqual([]);
    expect((await take([])).map(({ claimVersion }) => claimVersion)).toEqual([2]);
  });

  test("restarts if the written part is lost", async () => {
    await addMessage();
    const id = await request();
    const [job] = await claim(1);
    if (job === undefined) throw new Error("nothing was claimed");
    await saveProgress(node.db, job, { ...done, isRead: false, draft: { bytes: 10_000, writer: 1 } });
    await releaseExport(node.db, job);
    await startExporter();
    const { url } = await until(id, "done");
    expect(parseCsv((await download(url)).replace("\ufeff", ""))).toHaveLength(2);
  });

  test("continues after the file store was full for a while", async () => {
    const full = vi.spyOn(node.core.files, "append").mockRejectedValueOnce(new Error("no room"));
    undo.push(async () => full.mockRestore());
    await startExporter();
    await until(await request(), "done");
    expect(full).toHaveBeenCalledTimes(2);
  });
});

/** One short message and 220 that make 15 MB. */
async function addLongMessages(): Promise<void> {
  const first = await addMessage();
  await node.db.query(
    `insert into messages (account_id, id, channel_id, chat, direction, type, status, text, sent_at)
     select $1, ('ffffffff-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, $2,
            (select chat from messages where account_id = $1 and id = $3), 'in', 'text', 'inbound', repeat('long ', 14000), '2026-01-10'
     from generate_series(1, 220) n`,
    [account.id, channel, first],
  );
}

const LONG_LENGTHS = [4, 5, ...Array.from({ length: 220 }, () => 70_000)];

test("an export of several time slices is one file", async () => {
  await addLongMessages();
  const append = vi.spyOn(node.core.files, "append");
  onTestFinished(() => append.mockRestore());
  await startExporter({ timeSliceMs: 0 });
  const id = await request();
  const { url } = await until(id, "done");
  // None has to copy what those before have written.
  expect(new Set(append.mock.calls.map(([, , { writer }]) => writer)).size).toBe(1);
  const lengths = parseCsv((await download(url)).replace("\ufeff", "")).map((row) => row[12]?.length);
  expect(lengths).toEqual(LONG_LENGTHS);
  const [row] = await node.db.query<{ claim_version: number }>(
    "select claim_version from message_exports where id = $1",
    [id],
  );
  expect(row?.claim_version).toBeGreaterThanOrEqual(3);
});

test("an export of few messages among many takes turns too, and continues where it was", async () => {
  const quiet = await addChannel(node, account, { transport: "telegram" });
  await addMessage({ on: quiet, text: "one" });
  const loud = await addMessage();
  await node.db.query(
    `insert into messages (account_id, id, channel_id, chat, direction, type, status, text, sent_at)
     select $1, ('ffffffff-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, $2,
            (select chat from messages where account_id = $1 and id = $3), 'in', 'text', 'inbound', 'loud', '2026-01-10'
     from generate_series(1, 600) n`,
    [account.id, channel, loud],
  );
  await startExporter({ timeSliceMs: 0 });
  const id = await request({ ...PERIOD, channel_id: quiet });
  const { url } = await until(id, "done");
  const rows = parseCsv((await download(url)).replace("\ufeff", ""));
  expect(rows.slice(1).map((row) => row[12])).toEqual(["one"]);
  const [row] = await node.db.query<{ claim_version: number; messages: number; tail: Buffer | null }>(
    "select claim_version, messages, tail from message_exports where id = $1",
    [id],
  );
  expect(row).toMatchObject({ messages: 1, tail: null });
  expect(row?.claim_version).toBeGreaterThan(3);
});

test.each([3_600_000, 0])(
  "exports go to an S3 store as well, in time slices of %s ms",
  async (timeSliceMs) => {
    const under = await STORES.S3();
    undo.push(() => under.stop());
    const store = vi.spyOn(node.core, "files", "get").mockReturnValue(under.store);
    undo.push(async () => store.mockRestore());
    await addLongMessages();
    await startExporter({ timeSliceMs });
    const id = await request();
    const { url } = await until(id, "done");
    const lengths = parseCsv((await download(url)).replace("\ufeff", "")).map((row) => row[12]?.length);
    expect(lengths).toEqual(LONG_LENGTHS);
    expect(under.everything()).toEqual([id]);
    const parts = under.s3?.requests.flatMap((each) => /partNumber=(\d+)/.exec(each)?.[1] ?? []);
    expect(parts).toEqual(["1", "2", "3"]);
  },
);
