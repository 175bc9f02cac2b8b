import { PassThrough, Readable } from "node:stream";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import {
  markFetchFailed,
  markStored,
  takeWaitingFiles,
  type WaitingFile,
} from "../../../src/core/file/files.ts";
import type { FileResume, OpenedFile } from "../../../src/core/transport/connector.ts";
import { TransportError } from "../../../src/core/transport/errors.ts";
import { FileFetcher } from "../../../src/work/file-fetcher.ts";
import type { Sessions } from "../../../src/work/session/sessions.ts";
import { arrive } from "../kit/inbound.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const HOUR_MS = 3_600_000;
const CONTENT = { size: 4, mimeType: null, name: null };

let node: TestNode;
let account: TestAccount;
let channelId: string;
/** Of other accounts, whose files are fetched too. */
const others: { account: TestAccount; channelId: string }[] = [];

beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());
beforeEach(async () => {
  others.length = 0;
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, { transport: "whatsapp" });
});

/** A message with a file arrives. */
const receive = (token: string, to = channelId): Promise<void> =>
  arrive(
    node,
    { account, channelId: to },
    {
      chatType: "whatsapp",
      chatId: "79001110004",
      externalId: token,
      contact: { name: "Customer" },
      body: { type: "media", media: "image", file: { token }, text: "" },
    },
  );

interface FileRow {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  /** Whether it is claimed, or rests. */
  readonly isLater: boolean;
}

async function fileOf(token: string): Promise<FileRow | undefined> {
  const [row] = await node.db.query<FileRow & Record<string, unknown>>(
    `select id, state, attempts, due > now() + interval '10 minutes' as "isLater" from files
     where account_id = $1 and source ->> 'token' = $2`,
    [account.id, token],
  );
  return row;
}

/** As after the eleven minutes of a claim. */
const endClaims = () =>
  node.db.query("update files set due = now() - interval '1 second' where account_id = $1", [account.id]);

type Open = (file: { token: string }, resume?: FileResume) => OpenedFile;

/** Fetches the files of the channel. A file whose name begins with "slow" has only its first bytes until it is ended. */
async function startFetching({
  extendEveryMs = HOUR_MS,
  quota = 0,
  open: openFile,
}: {
  extendEveryMs?: number;
  quota?: number;
  open?: Open;
} = {}) {
  const streams = new Map<string, PassThrough>();
  const openSimply: Open = ({ token }) => {
    if (token === "blocked") throw new TransportError("GENERAL_ERROR", "The address is not public");
    const stream = new PassThrough();
    streams.set(token, stream);
    stream.write("fi");
    if (!token.startsWith("slow")) stream.end("le");
    return { stream };
  };
  const open = openFile ?? openSimply;
  const session = {
    openFile: async (file: { token: string }, _signal: AbortSignal, resume?: FileResume) =>
      open(file, resume),
  };
  const channels = [channelId];
  const sessions = {
    sendable: () => [
      ...channels.map((id) => ({ accountId: account.id, channelId: id })),
      ...others.map(({ account: { id: accountId }, channelId: id }) => ({ accountId, channelId: id })),
    ],
    get: () => ({ session, link: { signal: new AbortController().signal } }),
  } as unknown as Sessions;
  const timing = { silentMs: HOUR_MS, longestMs: HOUR_MS, extendEveryMs };
  const { settings } = node.core;
  const quotas = { ...settings.quotas, fileBytes: quota };
  const core = { ...node.core, settings: { ...settings, quotas } };
  const fetcher = new FileFetcher({ core, sessions, timing });
  fetcher.start();
  onTestFinished(() => fetcher.stop());
  return { fetcher, streams, channels };
}

const untilStored = (token: string): Promise<unknown> =>
  vi.waitUntil(async () => (await fileOf(token))?.state === "stored", { interval: 10 });

test("a download that outlasts its claim is not started again by its node, and is stored", async () => {
  const { streams } = await startFetching();
  await receive("slow");
  await vi.waitUntil(() => streams.has("slow"));
  await endClaims();
  await receive("next");
  await untilStored("next");
  expect(await fileOf("slow")).toMatchObject({ state: "waiting", attempts: 1 });
  streams.get("slow")?.end("le");
  await untilStored("slow");
  const { id = "", attempts } = (await fileOf("slow")) ?? {};
  expect([attempts, await node.core.files.size(id)]).toEqual([1, 4]);
});

test("a refusal for good ends a download at the first attempt, and its link is missing at once", async () => {
  await startFetching();
  await receive("blocked");
  await vi.waitUntil(async () => (await fileOf("blocked"))?.state === "failed", { interval: 10 });
  expect(await fileOf("blocked")).toMatchObject({ attempts: 1 });
  const [row] = await node.db.query<{ key: string }>("select key from files where account_id = $1", [
    account.id,
  ]);
  const answer = await fetch(`${node.url}/files/${row?.key}`);
  expect(answer.status).toBe(404);
  await answer.body?.cancel();
});

test("the accounts of a partner leave places to others", async () => {
  const [row] = await node.db.query<{ id: number }>(
    "insert into partners (id, email, name, password) values (123456789, 'slow@crm.example', '', '') returning id",
  );
  const own = account;
  for (let index = 0; index < 5; index++) {
    account = await addAccount(node.db);
    await node.db.query("update accounts set partner_id = $2 where id = $1", [account.id, row?.id]);
    const channel = await addChannel(node, account, { transport: "whatsapp" });
    for (let file = 0; file < 20; file++) await receive(`slow ${account.id} ${file}`, channel);
    others.push({ account, channelId: channel });
  }
  account = own;
  const { streams } = await startFetching();
  await vi.waitUntil(() => streams.size >= 32);
  await receive("next");
  await untilStored("next");
  const slow = [...streams.keys()].filter((token) => token.startsWith("slow"));
  expect(slow.length).toBeLessThan(48);
});

test("the claim on a file is extended while its bytes arrive", async () => {
  const { streams } = await startFetching({ extendEveryMs: 10 });
  await receive("slow");
  await vi.waitUntil(() => streams.has("slow"));
  await endClaims();
  await vi.waitUntil(
    async () => {
      streams.get("slow")?.write("more");
      return (await fileOf("slow"))?.isLater;
    },
    { interval: 10 },
  );
  expect(await fileOf("slow")).toMatchObject({ attempts: 1 });
});

test("a download ends when its file is claimed again by another node", async () => {
  const { streams } = await startFetching({ extendEveryMs: 10 });
  await receive("slow");
  await vi.waitUntil(() => streams.has("slow"));
  await node.db.query("update files set attempts = 7 where account_id = $1", [account.id]);
  streams.get("slow")?.write("more");
  await vi.waitUntil(() => streams.get("slow")?.destroyed);
  expect(await fileOf("slow")).toMatchObject({ state: "waiting", attempts: 7, isLater: true });
});

test("downloads end with the fetcher", async () => {
  const { fetcher, streams } = await startFetching();
  await receive("slow");
  await vi.waitUntil(() => streams.has("slow"));
  await fetcher.stop();
  expect(streams.get("slow")?.destroyed).toBe(true);
  expect(await fileOf("slow")).toMatchObject({ state: "waiting", isLater: false });
});

test.each<{ name: string; meanwhile(file: WaitingFile): Promise<unknown>; after: Partial<FileRow> }>([
  {
    name: "was stored",
    meanwhile: (file) => markStored(node.db, file, CONTENT),
    after: { state: "stored", attempts: 1 },
  },
  {
    name: "is being downloaded again",
    meanwhile: async () => {
      await endClaims();
      await takeWaitingFiles(node.db, [channelId], 1);
    },
    after: { state: "waiting", attempts: 2, isLater: true },
  },
])("a failure changes nothing if the file meanwhile $name", async ({ meanwhile, after }) => {
  await receive("file");
  const [file] = await takeWaitingFiles(node.db, [channelId], 1);
  if (file === undefined) throw new Error("there is no file");
  await node.core.files.put(file.id, Readable.from([Buffer.from("file")]), { maxBytes: 100 });
  await meanwhile(file);
  for (const againMs of [1, null]) await markFetchFailed(node.db, file, { reason: "ENOENT", againMs });
  expect(await fileOf("file")).toMatchObject(after);
});

/** As after the rest of a failed attempt. */
const endRests = async () => {
  await endClaims();
  node.core.signals.wake("files");
};

const MB = 1024 * 1024;
const usedBytes = async (): Promise<number> => {
  const [row] = await node.db.query<{ bytes: number }>(
    "select file_bytes as bytes from account_usage where account_id = $1",
    [account.id],
  );
  return row?.bytes ?? 0;
};
const contentOf = async (token: string): Promise<Buffer> =>
  Buffer.concat(await node.core.files.open((await fileOf(token))?.id ?? "").toArray());

/** A server that breaks off after so many megabytes the first time; then the file is another one, or the same. */
function breakingOff(megabytes: number, { changes = false } = {}) {
  const asked: (FileResume | undefined)[] = [];
  const version = () => (changes && asked.length > 1 ? "b" : "a");
  const whole = () => Buffer.alloc(3 * MB + 5, version());
  const open = (_file: { token: string }, resume?: FileResume): OpenedFile => {
    asked.push(resume);
    const validator = `"${version()}"`;
    const from = resume?.validator === validator ? resume.from : 0;
    const rest = whole().subarray(from, asked.length === 1 ? megabytes * MB : undefined);
    const stream = Readable.from(
      (async function* () {
        for (let at = 0; at < rest.length; at += 65_536) yield rest.subarray(at, at + 65_536);
        if (asked.length === 1) throw new Error("connection lost");
      })(),
    );
    return { stream, validator, ...(from === 0 ? {} : { from }), size: whole().length };
  };
  return { open, asked, whole };
}

test("an interrupted download is continued", async () => {
  const { open, asked, whole } = breakingOff(2);
  await startFetching({ open, quota: 10 * MB });
  await receive("large");
  await vi.waitUntil(async () => asked.length === 1 && (await fileOf("large"))?.attempts === 1);
  await vi.waitUntil(async () => (await usedBytes()) === 2 * MB);
  await endRests();
  await untilStored("large");
  expect(asked).toEqual([undefined, { from: 2 * MB, validator: '"a"' }]);
  expect((await contentOf("large")).equals(whole())).toBe(true);
  expect(await usedBytes()).toBe(whole().length);
});

test("a file that changed meanwhile is downloaded anew", async () => {
  const { open, asked, whole } = breakingOff(2, { changes: true });
  await startFetching({ open });
  await receive("large");
  await vi.waitUntil(async () => asked.length === 1 && (await usedBytes()) === 2 * MB);
  await endRests();
  await untilStored("large");
  expect((await contentOf("large")).equals(whole())).toBe(true);
  expect(await usedBytes()).toBe(whole().length);
});

test.each([
  ["a file of unknown size", undefined],
  ["a file of known size", 40 * MB],
])("%s beyond the quota ends there, and is not asked for again until there is room", async (_label, size) => {
  let [opened, read] = [0, 0];
  const open = (): OpenedFile => {
    opened++;
    const stream = Readable.from(
      (async function* () {
        for (; read < 40 * MB; read += 65_536) yield Buffer.alloc(65_536, "x");
      })(),
    );
    return { stream, ...(size === undefined ? {} : { size }), validator: '"a"' };
  };
  await startFetching({ open, quota: 2 * MB });
  await receive("huge");
  const untilFailed = (attempts: number) =>
    vi.waitUntil(async () => {
      const [row] = await node.db.query<{ attempts: number }>(
        "select attempts from files where account_id = $1 and failure is not null and progress is null and due > now()",
        [account.id],
      );
      return row?.attempts === attempts;
    });
  await untilFailed(1);
  const readFirst = read;
  expect(readFirst).toBeLessThan(3 * MB);
  if (size !== undefined) expect(readFirst).toBeLessThan(MB);
  expect(await usedBytes()).toBe(0);
  await node.db.query("update files set failure = null where account_id = $1", [account.id]);
  await endRests();
  await untilFailed(2);
  expect([opened, read]).toEqual([1, readFirst]);
});

test("the content of a file that is deleted while it is downloaded is removed", async () => {
  const { streams } = await startFetching();
  await receive("slow");
  await vi.waitUntil(() => streams.has("slow"));
  const id = (await fileOf("slow"))?.id ?? "";
  let removed = false;
  const { files } = node.core;
  const remove = vi.spyOn(files, "remove").mockImplementation(async (each) => {
    removed ||= each === id;
  });
  onTestFinished(() => remove.mockRestore());
  await node.db.query("delete from files where account_id = $1", [account.id]);
  streams.get("slow")?.end("le");
  await vi.waitUntil(() => removed);
});

test("files of channels without a session are looked for once, until another file is due or a session opens", async () => {
  const closed = await addChannel(node, account, { transport: "whatsapp" });
  await receive("of a closed channel", closed);
  const { fetcher, channels } = await startFetching();
  const untilLookedFor = (latestDue: number) =>
    vi.waitUntil(
      () => {
        if (fetcher.hasLookedFor(latestDue)) return true;
        node.core.signals.wake("files");
        return false;
      },
      { interval: 10 },
    );
  await untilLookedFor(1);
  expect(fetcher.hasLookedFor(2)).toBe(false);
  await untilLookedFor(2);
  channels.push(closed);
  expect(fetcher.hasLookedFor(2)).toBe(false);
  node.core.signals.wake("files");
  await untilStored("of a closed channel");
});
