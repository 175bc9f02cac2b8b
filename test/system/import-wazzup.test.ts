import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { type HostedAccount, hostedAccount } from "../../sandbox/wazzup/account.ts";
import { dumpText } from "../../sandbox/wazzup/dump.ts";
import { type HostedOptions, type HostedService, startHosted } from "../../sandbox/wazzup/server.ts";
import { INHERITED } from "../kit/environment.ts";
import type { Account } from "../kit/service.ts";
import { must, type Stand, startStand } from "../kit/stand.ts";

const MAIN = join(import.meta.dirname, "../../src/cli/main.ts");
let stand: Stand;

beforeAll(async () => {
  stand = await startStand({ settings: { WEBHOOK_SCHEDULE: "100ms" } });
  await stand.start();
});
afterAll(() => stand.stop());

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Running {
  readonly ended: Promise<Outcome>;
  kill(): void;
}

function begin(args: readonly string[], more: Readonly<Record<string, string>> = {}): Running {
  const env = { ...INHERITED, SANDBOX: "0", ALLOW_NETWORKS: "127.0.0.0/8", ...stand.environment, ...more };
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: stand.environment["DATA_DIR"], env });
  const [out, err]: [string[], string[]] = [[], []];
  child.stdout.on("data", (text) => out.push(String(text)));
  child.stderr.on("data", (text) => err.push(String(text)));
  const ended = once(child, "close").then(([code]) => ({ code, out: out.join(""), err: err.join("") }));
  return { ended, kill: () => child.kill("SIGKILL") };
}

const run = (args: readonly string[], more?: Readonly<Record<string, string>>) => begin(args, more).ended;

let shops = 0;
/** An account whose channels are not here yet. */
const shop = (size: { contacts?: number; messages?: number } = {}): HostedAccount =>
  hostedAccount({ name: `shop ${++shops}`, ...size });

async function hosting(options: Omit<HostedOptions, "account"> & { account?: HostedAccount } = {}) {
  const hosted = await startHosted({ account: shop(), ...options });
  onTestFinished(() => hosted.close());
  return hosted;
}

function importing({ url, account: { apiKey, token } }: HostedService, into: Account, ...more: string[]) {
  const keys = ["--api-key", apiKey, "--token", token, "--requests-per-minute", "60000"];
  return ["import", "wazzup", "--account", String(into.accountId), "--v3-url", url, ...keys, ...more];
}

interface PartCounts {
  readonly read: number;
  readonly added: number;
  readonly changed: number;
  readonly same: number;
  readonly leftOut: Readonly<Record<string, number>>;
  readonly missing: string | null;
}
interface Result {
  readonly parts: Readonly<Record<string, PartCounts>>;
  readonly channels: readonly { id: string; transport: string; outcome: string; link: string | null }[];
}

async function result(args: readonly string[]): Promise<Result> {
  const { code, out, err } = await run([...args, "--json"]);
  if (code !== 0) throw new Error(`${code} ${err}`);
  return JSON.parse(out) as Result;
}

const counts = ({ parts }: Result) =>
  Object.fromEntries(
    Object.entries(parts).map(([part, { read, added, same }]) => [part, [read, added, same]]),
  );

async function pageOf(account: Account, path: string): Promise<unknown> {
  return (await must(stand.call("GET", path, undefined, { account }))).json;
}

interface StoredRow {
  readonly text: string | null;
  readonly direction: string;
  readonly type: string;
  readonly status: string;
  readonly author_name: string | null;
  readonly url: string | null;
  readonly is_edited: boolean;
  readonly is_deleted: boolean;
  readonly sent_at: Date;
}

function thread(account: Account, channelId: string, chatId: string): Promise<StoredRow[]> {
  return stand.db.query<StoredRow>(
    `select m.text, m.direction, m.type, m.status, m.author_name, m.content #>> '{attachment,url}' as url,
       m.edited_at is not null as is_edited, m.deleted_at is not null as is_deleted, m.sent_at
     from messages m join chats c on c.account_id = m.account_id and c.id = m.chat
     where m.account_id = $1 and c.channel_id = $2 and c.chat_id = $3 order by m.created_at, m.id`,
    [account.accountId, channelId, chatId],
  );
}

async function countOf(account: Account, table: string): Promise<number> {
  const [row] = await stand.db.query<{ count: number }>(
    `select count(*)::int as count from ${table} where account_id = $1`,
    [account.accountId],
  );
  return row?.count ?? -1;
}

function nameIn(answer: object): string {
  return "name" in answer ? String(answer.name) : "";
}

test("a dry run stores nothing and asks only", async () => {
  const hosted = await hosting();
  const account = await stand.addAccount();
  const { code, out, err } = await run(importing(hosted, account, "--from", "2020-01-01", "--dry-run"));
  expect(err).not.toContain("rror");
  expect(code).toBe(0);
  expect(out).toContain("This was a dry run: nothing was stored.");
  expect(out).toMatch(/contacts +250 +250 +0 +0 +0/);
  expect(out).toMatch(/messages +9 +9 +0 +0 +0/);
  expect(out).toMatch(/whatsapp +79990000001 +after the import/);
  for (const table of ["channels", "crm_users", "contacts", "deals", "pipelines", "messages", "chats"])
    expect([table, await countOf(account, table)]).toEqual([table, 0]);
  expect(new Set(hosted.requests.map((line) => line.split(" ")[0]))).toEqual(new Set(["GET", "POST"]));
  expect(hosted.requests.filter((line) => line.startsWith("POST"))).toEqual([
    "POST /v2/messages/messages_dump",
    "POST /v2/messages/messages_dump",
  ]);
});

test("everything is here afterwards, and a repetition adds nothing", async () => {
  const hosted = await hosting();
  const account = await stand.addAccount();
  const { code, out, err } = await run(importing(hosted, account, "--from", "2020-01-01"));
  expect([code, err.includes("rror")]).toEqual([0, false]);
  for (const secret of [hosted.account.apiKey, hosted.account.token])
    expect(`${out}${err}`).not.toContain(secret);
  expect(out).toMatch(/contacts +250 +250 +0 +0 +0/);

  expect(await pageOf(account, "/v3/users")).toMatchObject([
    { id: "17", name: "Olga" },
    { id: "18", name: "Pavel" },
  ]);
  expect(await pageOf(account, "/v3/contacts?offset=200")).toMatchObject({
    count: 250,
    data: expect.arrayContaining([
      expect.objectContaining({ id: "contact-000249", name: "Client 249", responsibleUserId: "18" }),
    ]),
  });
  expect(await pageOf(account, "/v3/deals/deal-000001")).toMatchObject({
    name: "Order 1",
    contacts: ["contact-000001"],
    closed: false,
  });
  expect(await pageOf(account, "/v3/pipelines")).toEqual(hosted.account.pipelines);
  expect(await pageOf(account, "/v2/templates/wz")).toMatchObject({
    data: [{ name: "hours" }, { name: "how_to_pay" }],
  });

  const [phone, bot] = hosted.account.channels;
  expect(await pageOf(account, "/v3/channels")).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ channelId: phone?.channel_id, transport: "whatsapp", state: "unauthorized" }),
      expect.objectContaining({ channelId: bot?.channel_id, transport: "telegram", state: "unauthorized" }),
    ]),
  );
  const link = /http\S+\/connect\/whatsapp\/\S+/.exec(out)?.[0] ?? "";
  expect(link).not.toBe("");
  // The pages may still be built.
  const status = async () => (await fetch(stand.url + new URL(link).pathname)).status;
  await vi.waitUntil(async () => (await status()) !== 503, { timeout: 300_000, interval: 500 });
  expect(await status()).toBe(200);

  const rows = await thread(account, phone?.channel_id ?? "", "79100000001");
  expect(rows.map(({ text, direction, type, status }) => [text, direction, type, status])).toEqual([
    ['Hello, do you have "blue" ones?\r\n- size 42\n- size 43', "in", "text", "inbound"],
    ["😀👍🏽 second of the same second", "in", "text", "inbound"],
    ["third of the same second", "in", "text", "inbound"],
    ["=SUM(prices) is 5; yes, we do", "echo", "text", "read"],
    ["+7 999 000-00-01 is our number", "echo", "text", "delivered"],
    ["not delivered", "echo", "text", "error"],
    [null, "in", "image", "inbound"],
    ["withdrawn", "in", "text", "inbound"],
  ]);
  expect(rows[3]?.author_name).toBe("Olga");
  expect(rows[4]?.is_edited).toBe(true);
  expect(rows[6]?.url).toBe("https://files.example/pictures/1.jpg");
  expect(rows[7]?.is_deleted).toBe(true);
  expect(rows[0]?.sent_at.toISOString()).toBe("2026-03-01T10:00:00.000Z");
  const read = await pageOf(
    account,
    `/v2/chats/whatsapp/79100000001/messages?channel_id=${phone?.channel_id}`,
  );
  expect(read).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ is_history: true })]),
  });

  const again = await result(importing(hosted, account, "--from", "2020-01-01"));
  expect(counts(again)).toEqual({
    channels: [2, 0, 2],
    users: [2, 0, 2],
    contacts: [250, 0, 250],
    deals: [250, 0, 250],
    pipelines: [2, 0, 2],
    templates: [1, 0, 1],
    "canned answers": [2, 0, 2],
    messages: [9, 0, 9],
    files: [0, 0, 0],
  });
  expect(again.channels.map((channel) => channel.link)).toContain(link);
  expect(await countOf(account, "messages")).toBe(9);
  expect(hosted.requests.every((line) => !/^(PATCH|DELETE|PUT)/.test(line))).toBe(true);
});

test("what is here with other content stays, unless it is to be replaced", async () => {
  const hosted = await hosting();
  const account = await stand.addAccount();
  const mine = [{ id: "contact-000001", responsibleUserId: "18", name: "Changed here", contactData: [] }];
  await must(stand.call("POST", "/v3/contacts", mine, { account }));
  const kept = await result(importing(hosted, account));
  expect(kept.parts["contacts"]).toMatchObject({
    added: 249,
    leftOut: { "it is here with other content, which stays; --replace takes the original's": 1 },
  });
  expect(await pageOf(account, "/v3/contacts/contact-000001")).toMatchObject({ name: "Changed here" });
  const replaced = await result(importing(hosted, account, "--replace"));
  expect(replaced.parts["contacts"]).toMatchObject({ added: 0, changed: 1, same: 249 });
  expect(await pageOf(account, "/v3/contacts/contact-000001")).toMatchObject({ name: "Client 1" });

  const other = await stand.addAccount();
  const elsewhere = await result(importing(hosted, other));
  expect(elsewhere.parts["channels"]?.leftOut).toEqual({
    "another account of this installation has a channel with this id": 2,
  });
});

test("limits, failures and broken connections of the original are waited for", async () => {
  // More requests than that come within this time also on a busy machine.
  const hosted = await hosting({ limit: 8, windowMs: 8_000, pollsPerDump: 1 });
  const account = await stand.addAccount();
  hosted.fail(2, 0);
  const running = begin(importing(hosted, account));
  await vi.waitUntil(() => hosted.requests.length > 3, { timeout: 60_000 });
  hosted.fail(2, 503);
  const { code, out, err } = await running.ended;
  expect([code, err]).toEqual([0, expect.any(String)]);
  expect(out).toMatch(/contacts +250 +250 +0 +0 +0/);
  expect(hosted.refused).toBeGreaterThan(0);
});

test("a page instead of JSON is a failure of the original, which is named if it lasts", async () => {
  const hosted = await hosting({ account: shop({ contacts: 0 }) });
  const account = await stand.addAccount();
  hosted.fail(2, 200, "<html>Please sign in to the network</html>");
  expect((await result(importing(hosted, account))).parts["channels"]).toMatchObject({ read: 2, added: 2 });

  hosted.fail(6, 200, "<html>Please sign in to the network</html>");
  const { code, err } = await run(importing(hosted, account));
  expect([code, err.trim().split("\n").at(-1)]).toEqual([
    1,
    "GET /v2/channels fails: The response is not JSON; tried 6 times",
  ]);
});

test("a repetition leaves canned answers as they were renamed, here or there", async () => {
  const account = await stand.addAccount();
  const given = shop({ contacts: 0 });
  const hosted = await hosting({ account: given });
  expect(counts(await result(importing(hosted, account)))["canned answers"]).toEqual([2, 2, 0]);
  await stand.db.query(
    `update canned_answers set name = 'mine', name_key = 'mine', version = version + 1
     where account_id = $1 and name = 'how_to_pay'`,
    [account.accountId],
  );
  const renamed = given.cannedAnswers.map((answer) => ({ ...answer, name: `${nameIn(answer)} now` }));
  const later = await hosting({ account: { ...given, cannedAnswers: renamed } });
  const { parts } = await result(importing(later, account, "--from", "2020-01-01"));
  expect(parts["canned answers"]).toMatchObject({
    added: 0,
    leftOut: { "it is here with other content, which stays": 2 },
  });
  expect(parts["messages"]?.added).toBe(9);
});

test("a list of templates that ignores the offset ends", async () => {
  const account = await stand.addAccount();
  const [template] = shop().templates;
  const templates = Array.from({ length: 100 }, (_, n) => ({
    ...template,
    templateGuid: `5e0c7f5d-6f0b-4c3e-9f57-${String(n).padStart(12, "0")}`,
  }));
  const endless = Object.assign([...templates], { slice: () => templates });
  const hosted = await hosting({ account: { ...shop({ contacts: 0 }), templates: endless } });
  expect(counts(await result(importing(hosted, account)))["templates"]).toEqual([200, 100, 0]);
});

test("refused keys end the import, and say which", async () => {
  const hosted = await hosting();
  const account = await stand.addAccount();
  const wrong = { ...hosted, account: { ...hosted.account, apiKey: "wrong" } } as HostedService;
  const { code, err } = await run([
    "import",
    "wazzup",
    "--account",
    String(account.accountId),
    "--v3-url",
    hosted.url,
    "--api-key",
    wrong.account.apiKey,
  ]);
  expect(code).toBe(1);
  expect(err.trim()).toBe(
    "The original refuses the key of --api-key: GET /v3/channels responds with 401 (INVALID_APIKEY: Invalid authorization header)",
  );
  const { err: missing, code: usage } = await run([
    "import",
    "wazzup",
    "--account",
    String(account.accountId),
  ]);
  expect([usage, missing]).toEqual([2, expect.stringContaining("--api-key missing")]);
});

test("a sidecar key takes over what it may read, from the environment", async () => {
  const hosted = await hosting();
  const account = await stand.addAccount();
  const args = ["import", "wazzup", "--account", String(account.accountId), "--v3-url", hosted.url];
  const { out, code, err } = await run([...args, "--json"], { WAZZUP_API_KEY: hosted.account.sidecarKey });
  expect([code, err]).toEqual([0, ""]);
  const { parts } = JSON.parse(out) as Result;
  expect(parts["channels"]?.added).toBe(2);
  expect(parts["contacts"]?.missing).toContain("GET /v3/contacts?offset=0 responds with 403 (FORBIDDEN");
  expect(parts["canned answers"]?.missing).toContain("needs the client access token (--token)");
});

/** A file with the dump of the account. */
function dumpFile(text: string | Buffer): string {
  const directory = mkdtempSync(join(tmpdir(), "trunkline-dump-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, "dump.csv");
  writeFileSync(path, text);
  return path;
}

const EVERYTHING = { startAt: 0, endAt: Number.MAX_SAFE_INTEGER, channelId: undefined };

test("faulty rows are named by their lines, and left out or refused", async () => {
  const hosted = await hosting({ account: shop({ contacts: 0, messages: 3 }) });
  const account = await stand.addAccount();
  const [head = "", ...rows] = [...dumpText(hosted.account, EVERYTHING)]
    .join("")
    .split(/(?<=\r\n)(?=inbound|outbound)/);
  const faulty = [
    head,
    rows[0],
    "inbound,whatsapp,only three\r\n",
    rows[1]?.replace(/\d{4}-\d\d-\d\dT[^,]*/, "soon"),
    ...rows.slice(2),
  ];
  const path = dumpFile(faulty.join(""));
  const list = join(path, "../left.jsonl");
  const { parts } = await result(importing(hosted, account, "--dump", path, "--left-out", list));
  expect(parts["messages"]).toMatchObject({
    read: 13,
    added: 11,
    leftOut: { "the record has 3 cells, the header has 17": 1, "the datetime is no time": 1 },
  });
  expect(
    readFileSync(list, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { part: "messages", subject: "line 4", reason: "the record has 3 cells, the header has 17" },
    { part: "messages", subject: "line 5", reason: "the datetime is no time" },
  ]);
  const strict = await run(importing(hosted, account, "--dump", path, "--strict"));
  expect([strict.code, strict.err]).toEqual([
    1,
    expect.stringContaining(`Line 4 of ${path}: the record has`),
  ]);
});

test("a file that cannot be a dump is refused before anything is stored", async () => {
  const hosted = await hosting();
  const account = await stand.addAccount();
  const empty = dumpFile("");
  for (const [path, reason] of [
    [empty, "is empty"],
    [join(empty, ".."), "is a directory"],
    [join(empty, "../none.csv"), "There is no file"],
  ] as const) {
    const { code, err } = await run(importing(hosted, account, "--dump", path));
    expect([code, err]).toEqual([1, expect.stringContaining(reason)]);
  }
  expect(hosted.requests).toEqual([]);
});

test("a dump in another encoding is refused, or read as it is", async () => {
  const hosted = await hosting({ account: shop({ contacts: 0 }) });
  const account = await stand.addAccount();
  for (const [content, shown] of [
    [gzipSync("direction,chat_id,datetime\r\n"), "is compressed with gzip, not a CSV file"],
    [Buffer.from("PK\u0003\u0004 a workbook"), "is a ZIP archive or a workbook, not a CSV file"],
  ] as const) {
    const packed = dumpFile(content);
    const { code, err } = await run(importing(hosted, account, "--dump", packed));
    expect([code, err.trim()]).toEqual([1, `${packed} ${shown}`]);
  }
  const channel = hosted.account.channels[0]?.channel_id ?? "";
  // "Привет" in windows-1251.
  const text = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
  const row = Buffer.concat([
    Buffer.from("direction;chat_id;datetime;text\ninbound;79001112233;01.02.2026 13:00:00;"),
    text,
  ]);
  const path = dumpFile(row);
  const options = ["--dump", path, "--dump-channel", channel, "--utc-offset", "+03:00"];
  const refused = await run(importing(hosted, account, ...options));
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringContaining("is not UTF-8. Name its encoding with --encoding"),
  ]);
  await result(importing(hosted, account, ...options, "--encoding", "windows-1251"));
  const again = await result(importing(hosted, account, ...options, "--encoding", "windows-1251"));
  expect(again.parts["messages"]).toMatchObject({ added: 0, same: 1 });
  const [message] = await thread(account, channel, "79001112233");
  expect([message?.text, message?.sent_at.toISOString()]).toEqual(["Привет", "2026-02-01T10:00:00.000Z"]);
});

test("after kill -9 in the middle, a repetition completes the messages in their order", async () => {
  const hosted = await hosting({ account: shop({ contacts: 0, messages: 20_000 }) });
  const account = await stand.addAccount();
  const running = begin(importing(hosted, account, "--from", "2020-01-01"));
  await vi.waitUntil(async () => (await countOf(account, "messages")) >= 3_000, {
    timeout: 120_000,
    interval: 50,
  });
  running.kill();
  await running.ended;
  const stored = await countOf(account, "messages");
  expect(stored).toBeLessThan(20_009);
  const { parts } = await result(importing(hosted, account, "--from", "2020-01-01"));
  expect(parts["messages"]).toMatchObject({ read: 20_009, leftOut: {} });
  expect((parts["messages"]?.added ?? 0) + (parts["messages"]?.same ?? 0)).toBe(20_009);
  expect(parts["messages"]?.same).toBeGreaterThanOrEqual(3_000);
  expect(await countOf(account, "messages")).toBe(20_009);
  const [misplaced] = await stand.db.query<{ count: number }>(
    `select count(*)::int as count from (
       select substring(text from '^Message (\\d+)')::int as n,
         lag(substring(text from '^Message (\\d+)')::int) over (partition by chat order by created_at, id) as before
       from messages where account_id = $1 and text like 'Message %') m where n < before`,
    [account.accountId],
  );
  expect(misplaced?.count).toBe(0);
});

test("files of messages stay where they are, or are stored here", async () => {
  const hosted = await hosting({ account: shop({ contacts: 0 }) });
  const account = await stand.addAccount();
  const channelId = hosted.account.channels[0]?.channel_id ?? "";
  const picture = Buffer.from("a picture, more or less");
  hosted.contents.set("one.png", picture);
  const pictureOf = (name: string) => ({
    channelId,
    chatType: "whatsapp",
    chatId: "79100000009",
    contact: "Client 9",
    dateTime: "2026-03-02T10:00:00.000",
    isInbound: true,
    type: "image",
    status: "inbound",
    text: "",
    contentUri: `${hosted.url}/content/${name}`,
  });
  await hosted.receive(pictureOf("one.png"));
  await hosted.receive(pictureOf("lost.png"));
  const linked = await result(importing(hosted, account, "--from", "2020-01-01"));
  expect(linked.parts["messages"]).toMatchObject({ added: 11 });
  const links = async () => (await thread(account, channelId, "79100000009")).map(({ url }) => url);
  expect(await links()).toEqual([`${hosted.url}/content/one.png`, `${hosted.url}/content/lost.png`]);

  const stored = await result(importing(hosted, account, "--files"));
  expect(stored.parts["files"]).toMatchObject({ read: 3, added: 1, missing: null });
  expect(Object.values(stored.parts["files"]?.leftOut ?? {}).reduce((sum, count) => sum + count, 0)).toBe(2);
  expect(await links()).toEqual([null, `${hosted.url}/content/lost.png`]);
  const read = JSON.stringify(
    await pageOf(account, `/v2/chats/whatsapp/79100000009/messages?channel_id=${channelId}`),
  );
  const path = /\/files\/[^"]+one\.png/.exec(read)?.[0] ?? "";
  const file = await fetch(stand.url + path);
  expect([file.status, file.headers.get("content-type"), await file.text()]).toEqual([
    200,
    "image/png",
    picture.toString(),
  ]);

  const again = await result(importing(hosted, account, "--from", "2020-01-01", "--files"));
  expect(again.parts["messages"]).toMatchObject({ added: 0, same: 11 });
  expect(again.parts["files"]).toMatchObject({ read: 2, added: 0 });
});

test("both services run side by side; linked channels keep their ids; the switch moves the webhooks", async () => {
  const hosted = await hosting({ account: shop({ contacts: 1 }) });
  const account = await stand.addAccount();
  const { receiver } = stand;
  hosted.webhooks.webhooksUri = `${receiver.url}/crm`;
  hosted.webhooks.subscriptions["messagesAndStatuses"] = true;
  const channelId = hosted.account.channels[1]?.channel_id ?? "";
  await result(importing(hosted, account, "--from", "2020-01-01"));

  // Before the switch, the CRM hears of the original alone.
  const message = {
    channelId,
    chatType: "telegram",
    chatId: "4242",
    contact: "Person 4242",
    dateTime: new Date().toISOString().replace(/\.\d+Z$/, ".000"),
    isInbound: true,
    type: "text",
    status: "inbound",
    text: "seen by both",
  };
  const texts = () => receiver.taken().map(({ text }) => text);
  await hosted.receive(message);
  expect(texts().filter((text) => text === "seen by both")).toHaveLength(1);

  const bot = await stand.telegram.addBot(["4242"]);
  await must(
    stand.call(
      "POST",
      `/v2/channels/${channelId}/reinit`,
      { credentials: { telegram_token: bot.token } },
      { account },
    ),
  );
  await vi.waitUntil(
    async () =>
      JSON.stringify(await pageOf(account, `/v2/channels/${channelId}`)).includes('"status":"active"'),
    { timeout: 60_000 },
  );
  // The times of both are those of the messenger.
  const near = async (text: string) => {
    await bot.write("4242", text);
    await vi.waitUntil(
      async () => (await thread(account, channelId, "4242")).some((row) => row.text === text),
      { timeout: 60_000 },
    );
    const row = (await thread(account, channelId, "4242")).find((each) => each.text === text);
    await hosted.receive({
      ...message,
      text,
      dateTime: (row?.sent_at ?? new Date()).toISOString().replace(/\.\d+Z$/, ".000"),
    });
  };
  await near("also received here");
  const again = await result(importing(hosted, account, "--from", "2020-01-01"));
  expect(again.parts["messages"]).toMatchObject({ read: 11, added: 1, same: 10 });
  const here = (await thread(account, channelId, "4242")).map(({ text }) => text);
  expect(here.filter((text) => text === "also received here")).toHaveLength(1);
  expect(here).toContain("seen by both");

  const access = [
    "--account",
    String(account.accountId),
    "--v3-url",
    hosted.url,
    "--api-key",
    hosted.account.apiKey,
  ];
  receiver.takesTests = false;
  const refused = await run(["import", "wazzup", "switch", ...access, "--turn-off-original"]);
  receiver.takesTests = true;
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringContaining("Nothing was changed at the original"),
  ]);
  expect(hosted.webhooks.webhooksUri).toBe(`${receiver.url}/crm`);

  const kept = await run(["import", "wazzup", "switch", ...access]);
  expect([kept.code, kept.out]).toEqual([0, expect.stringContaining("Wazzup still sends them too")]);
  expect(hosted.webhooks.webhooksUri).toBe(`${receiver.url}/crm`);
  const off = await run(["import", "wazzup", "switch", ...access, "--turn-off-original"]);
  expect([off.code, off.out]).toEqual([0, expect.stringContaining("Wazzup sends no webhooks any more")]);
  expect(hosted.webhooks.webhooksUri).toBe("");
  expect(await pageOf(account, "/v3/webhooks")).toMatchObject({
    webhooksUri: `${receiver.url}/crm`,
    subscriptions: { messagesAndStatuses: true, channelsUpdates: false },
  });

  await bot.write("4242", "after the switch");
  await receiver.until(() => texts().includes("after the switch"));
  const item = receiver.taken().find(({ text }) => text === "after the switch");
  expect(item).toMatchObject({ channelId, chatId: "4242" });
  await must(
    stand.call(
      "POST",
      "/v2/messages",
      { channel_id: channelId, recipient: { chat_type: "telegram", chat_id: "4242" }, text: "answered here" },
      { account },
    ),
  );
  await bot.untilSent(1);
  const repeated = await run(["import", "wazzup", "switch", ...access, "--turn-off-original"]);
  expect([repeated.code, repeated.err]).toEqual([
    1,
    expect.stringContaining("the addresses are here already"),
  ]);
  expect(await pageOf(account, "/v3/webhooks")).toMatchObject({ webhooksUri: `${receiver.url}/crm` });
});
