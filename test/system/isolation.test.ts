import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import Type from "typebox";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createTestLink, type TestLink } from "../../src/core/transport/conformance.ts";
import type { OutboundMessage, Session } from "../../src/core/transport/connector.ts";
import { aboutMessage, currentMessage } from "../../src/core/transport/current-message.ts";
import type { TransportDefinition } from "../../src/core/transport/definition.ts";
import { isolate } from "../../src/core/transport/isolation/isolate.ts";
import { postbox } from "../kit/transport.ts";

const definition = {
  ...postbox,
  credentials: Type.Object({}),
  capabilities: {
    ...postbox.capabilities,
    media: { document: { maxBytes: 1e6 } },
    inboundFiles: true,
    login: ["password"],
  },
} as const satisfies TransportDefinition;
const MAX_RSS = 1024 ** 3;
const never = new AbortController().signal;
/** Ends a test that hangs; not a performance limit. */
const PATIENCE_MS = 60_000;

type Puppets = ReturnType<typeof isolate<TransportDefinition>>;
type Link = TestLink<Record<string, never>, Record<string, never>>;
interface Puppet {
  readonly session: Session;
  readonly link: Link;
  /** Sends a text and returns its external id. */
  tell(text: string): Promise<string>;
  pid(): Promise<number>;
}

function startPuppets(sessionsPerWorker = 8, maxRssBytes = MAX_RSS): Puppets {
  const entry = new URL("./programs/puppets.ts", import.meta.url);
  const timing = { beatMs: 100, silentMs: 1_500, idleMs: 100, minAgeMs: 100 };
  const options = { entry, sessionsPerWorker, maxRssBytes, maxHeapMegabytes: 96, timing };
  return isolate<TransportDefinition>(definition, options);
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

let messages = 0;
const messageOf = (content: OutboundMessage["content"]): OutboundMessage => ({
  id: `message-${++messages}`,
  to: { chatType: "vk", chatId: "1" },
  content,
});

async function openPuppet(puppets: Puppets): Promise<Puppet> {
  const link: Link = createTestLink({ credentials: {}, settings: {} });
  const session = await puppets.open(link as never);
  closing.push(() => session.close());
  await link.waitFor(({ kind }) => kind === "link");
  const send = (text: string) => session.send(messageOf({ type: "text", text }), never);
  const answered = () => vi.waitFor(() => send("hello"), { timeout: PATIENCE_MS, interval: 50 });
  await answered();
  return {
    session,
    link,
    tell: async (text) => (await send(text)).externalId,
    pid: async () => Number((await answered()).chatId),
  };
}

async function openMany(puppets: Puppets, count: number): Promise<[Puppet, ...Puppet[]]> {
  const all = await Promise.all(Array.from({ length: count }, () => openPuppet(puppets)));
  return all as [Puppet, ...Puppet[]];
}

const pidsOf = async (all: readonly Puppet[]): Promise<number[]> => Promise.all(all.map(({ pid }) => pid()));

test("several sessions share a process, further ones get another", async () => {
  const puppets = startPuppets(3);
  const pids = await pidsOf(await openMany(puppets, 4));
  expect(new Set(pids).size).toBe(2);
  expect(pids).not.toContain(process.pid);
  expect(puppets.usage().map(({ tenants }) => tenants)).toEqual([3, 1]);
});

test("core sees no difference: errors, files both ways, state, closing", async () => {
  const { session, link, tell } = await openPuppet(startPuppets());
  await expect(tell("refuse")).rejects.toMatchObject({
    name: "TransportError",
    code: "SPAM",
    retry: { afterMs: 7, scope: "chat" },
    data: "463",
  });
  const bytes = Buffer.alloc(300_000, 7);
  const file = {
    url: "",
    urlIsPublic: false,
    urlMimeType: "application/octet-stream",
    name: "a.bin",
    mimeType: "application/octet-stream",
    kind: "document" as const,
    size: bytes.length,
    open: () => Readable.from([bytes.subarray(0, 100_000), bytes.subarray(100_000)]),
  };
  expect(await session.send(messageOf({ type: "file", file }), never)).toEqual({
    chatId: "a.bin",
    externalId: "300000",
    sentAt: new Date(0),
  });
  const opened = await session.openFile?.({ token: "abc" }, never);
  expect(opened?.name).toBe("abc");
  expect((await buffer(opened?.stream ?? Readable.from([]))).length).toBe(300_000);
  expect(await tell("remember one")).toBe("one");
  expect([...(await link.vault.readAll("f")).keys()]).toEqual(["one"]);
  await session.logout?.();
  await link.waitForLog(({ message }) => message === "logged out");
  await Promise.all([session.close(), session.close()]);
  await expect(tell("hello")).rejects.toMatchObject({ retry: "later" });
});

test("requests are sent from the worker, and refusals are reported", async () => {
  const server = createServer(({ url }, response) => response.writeHead(404).end(`nothing at ${url}`));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { link, tell } = await openPuppet(startPuppets());
  /** The message that each entry of the log is about. */
  const about: (string | undefined)[] = [];
  const { log } = link;
  Object.assign(link, {
    log: (...entry: Parameters<typeof log>) => {
      about.push(currentMessage());
      log(...entry);
    },
  });
  const request = `request http://127.0.0.1:${port}/x`;
  expect(await aboutMessage("first", () => tell(request))).toBe("nothing at /x");
  expect(await tell(request)).toBe("nothing at /x");
  await vi.waitUntil(() => link.logs.length >= 2);
  expect(link.logs.every(({ message }) => message.includes("refused a request"))).toBe(true);
  expect(about).toEqual(["first", undefined]);
});

test("a caller who aborts is released", async () => {
  const { session } = await openPuppet(startPuppets());
  const sending = session.send(messageOf({ type: "text", text: "wait" }), AbortSignal.timeout(50));
  await expect(sending).rejects.toMatchObject({ name: "TimeoutError" });
});

describe("a session that misbehaves", () => {
  test.each(["throw", "block", "grow"])(
    "%s: its neighbours are restarted elsewhere, finally without it",
    async (fault) => {
      const puppets = startPuppets(8);
      const [bad, ...others] = await openMany(puppets, 5);
      const before = await pidsOf(others);
      expect(new Set(before).size).toBe(1);
      const outcome = bad.tell(fault).catch((error: unknown) => error);
      expect(await outcome).toMatchObject({ name: "TransportError", retry: "unknown" });
      await bad.link.waitForLog(({ message }) => message.includes("process of this session ended"));
      await bad.pid();
      const after = await pidsOf(others);
      expect(after).not.toContain(before[0]);
      // Smaller groups now: a session that fails again affects fewer others.
      expect(new Set([...after, await bad.pid()]).size).toBeGreaterThan(1);
      await bad.tell(fault).catch(() => undefined);
      const alone = await bad.pid();
      expect(await pidsOf(others)).not.toContain(alone);
    },
  );

  test("what a library printed before its process died is not logged, what ended it is", async () => {
    const [bad] = await openMany(startPuppets(), 1);
    await bad.tell("print secret");
    await bad.tell("throw").catch(() => undefined);
    const { details } = await bad.link.waitForLog(({ message }) =>
      message.includes("process of this session"),
    );
    expect(JSON.stringify(details)).toContain("a fault of the library");
    expect(JSON.stringify(details)).not.toMatch(/secret|privKey/);
  });

  test("an unhandled rejection affects no session", async () => {
    const puppets = startPuppets();
    const [bad, other] = await openMany(puppets, 2);
    const before = await other?.pid();
    expect(await bad.tell("reject")).toBe("survived");
    expect(await other?.pid()).toBe(before);
  });
});

test.each([
  { failure: "reported after the call that starts it", program: "/nowhere/node" },
  { failure: "thrown by the call that starts it", program: "/dev/null/node" },
])(
  "a session opens when a process can be started again, if the failure was $failure",
  async ({ program }) => {
    const { execPath } = process;
    const restore = (): void => void Object.assign(process, { execPath });
    onTestFinished(restore);
    process.execPath = program;
    const puppets = startPuppets();
    const links = [1, 2].map((): Link => createTestLink({ credentials: {}, settings: {} }));
    const sessions = await Promise.all(links.map((link) => puppets.open(link as never)));
    closing.push(...sessions.map((session) => () => session.close()));
    for (const link of links) {
      const { details } = await link.waitForLog(({ message }) => message.includes("no process could be"));
      expect(details).toEqual({ last: expect.stringContaining("spawn") });
    }
    await expect(sessions[0]?.send(messageOf({ type: "text", text: "hello" }), never)).rejects.toMatchObject({
      retry: "later",
    });
    restore();
    await Promise.all(links.map((link) => link.waitFor(({ kind }) => kind === "link")));
    // The sessions are not taken for the cause, so they share a process.
    expect(puppets.usage().map(({ tenants }) => tenants)).toEqual([2]);
  },
);

test("events emitted while the store is unavailable are stored when it is back", async () => {
  const puppets = startPuppets();
  const link: Link = createTestLink({ credentials: {}, settings: {} });
  const { promise: isBack, resolve: bringBack } = Promise.withResolvers<void>();
  link.onEmit(() => isBack);
  const session = await puppets.open(link as never);
  onTestFinished(() => session.close());
  expect(link.events).toEqual([]);
  bringBack();
  await link.waitFor(({ kind }) => kind === "link");
});

test("a process that is recycled moves its sessions to another one, and no send fails", async () => {
  const puppets = startPuppets();
  const all = await openMany(puppets, 3);
  const [before = 0] = await pidsOf(all);
  const sends = Promise.all(all.map(({ tell }) => tell("hello")));
  puppets.recycle(before);
  await sends;
  await vi.waitFor(async () => expect(await pidsOf(all)).not.toContain(before), { timeout: PATIENCE_MS });
  await vi.waitFor(() => expect(puppets.usage().map(({ pid }) => pid)).not.toContain(before), {
    timeout: PATIENCE_MS,
  });
});

test("a process that grew too large is recycled automatically", async () => {
  const puppets = startPuppets(8, 300e6);
  const puppet = await openPuppet(puppets);
  const before = await puppet.pid();
  await puppet.tell("swell");
  await vi.waitFor(async () => expect(await puppet.pid()).not.toBe(before), { timeout: PATIENCE_MS });
});

test("a worker does not see the secrets of its node", async () => {
  vi.stubEnv("SECRET_KEY", "x").stubEnv("DATABASE_URL", "y");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { tell } = await openPuppet(startPuppets());
  const names = (await tell("environment")).split(",");
  expect(names).toContain("PATH");
  expect(names.filter((name) => /SECRET|DATABASE/.test(name))).toEqual([]);
});

test("workers exit when no session needs them", async () => {
  const puppets = startPuppets();
  const { session } = await openPuppet(puppets);
  await session.close();
  await vi.waitFor(() => expect(puppets.usage()).toEqual([]), { timeout: PATIENCE_MS });
});

test("a session on a node that may not act sends nothing", async () => {
  const { session, link } = await openPuppet(startPuppets());
  link.abort();
  await expect(session.send(messageOf({ type: "text", text: "hello" }), never)).rejects.toMatchObject({
    retry: "later",
  });
});

test("steps of the login and renewed credentials go through", async () => {
  const { session, link, tell } = await openPuppet(startPuppets());
  expect(await session.answer?.({ kind: "password", value: "s3cret" })).toEqual({ code: "password s3cret" });
  const refused = session.answer?.({ kind: "password", value: "wrong" });
  await expect(refused).rejects.toMatchObject({ name: "LoginRefused", reason: "wrong" });
  expect(await tell("renew second")).toBe('{"token":"second"}');
  expect(link.credentials).toEqual({ token: "second" });
});
