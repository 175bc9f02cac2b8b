import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { TransportError } from "../../../src/core/transport/errors.ts";
import { addTrigger } from "../../kit/database.ts";
import { call } from "../kit/call.ts";
import { createMessenger, startSending } from "../kit/sending.ts";
import { addAccount, addChannel, startNode } from "../kit/service.ts";

const WIDE = { perSecond: 1_000, burst: 1_000 };

test("outcomes that the database fails to store affect no other, and are logged once for a channel", async () => {
  const messenger = createMessenger({ channel: WIDE, chat: WIDE, jitterMs: 0 });
  const node = await startNode({ transports: [messenger.transport] });
  onTestFinished(() => node.stop());
  const account = await addAccount(node.db);
  const channelId = await addChannel(node, account, { transport: "whatsapp" });
  await addTrigger(node.db, "before update on messages", {
    when: "new.status = 'sent' and new.text = 'not stored'",
    run: "raise exception 'could not write' using errcode = 'XX000'",
  });
  const texts = ["one", "not stored", "two", "not stored"];
  const logged = vi.spyOn(node.core.log, "error");
  for (const [chat, text] of texts.entries())
    await call(node, "POST", "/v2/messages", {
      token: account.access,
      body: {
        channel_id: channelId,
        recipient: { chat_type: "whatsapp", chat_id: `7900111000${chat}` },
        text,
      },
    });
  onTestFinished(await startSending(node, { pacing: false }));
  const ended = () =>
    node.db.query<{ text: string; status: string }>(
      "select text, status from messages where status <> 'queued' order by id",
    );
  await vi.waitUntil(async () => (await ended()).length === texts.length);
  expect((await ended()).map(({ text, status }) => `${text}: ${status}`)).toEqual([
    "one: sent",
    "not stored: error",
    "two: sent",
    "not stored: error",
  ]);
  const stops = logged.mock.calls.filter(([, text]) => text === "a chat's queue stopped for now");
  expect(stops).toHaveLength(1);
});

test("a message that is given twice at once is stored once, and fails no other of its batch", async () => {
  const messenger = createMessenger({ channel: WIDE, chat: WIDE, jitterMs: 0 });
  const node = await startNode({ transports: [messenger.transport] });
  onTestFinished(() => node.stop());
  const account = await addAccount(node.db);
  const channelId = await addChannel(node, account, { transport: "whatsapp" });
  const { accept } = node.core;
  const twice: typeof accept.add = async (message) =>
    (await Promise.all([accept.add(message), accept.add({ ...message })]))[0];
  Object.assign(node.core, { accept: { ...accept, add: twice } });
  const send = (chat: number) =>
    call(node, "POST", "/v2/messages", {
      token: account.access,
      body: {
        channel_id: channelId,
        recipient: { chat_type: "whatsapp", chat_id: `7900111000${chat}` },
        text: "given twice",
      },
    });
  const answers = await Promise.all([1, 2, 3].map(send));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await node.db.query("select 1 from messages")).toHaveLength(3);
  expect(await node.db.query("select 1 from send_jobs")).toHaveLength(3);
});

test("a send that is aborted with its channel is repeated by the next owner, because the messenger deduplicates it", async () => {
  const messenger = createMessenger(
    { channel: WIDE, chat: WIDE, jitterMs: 0 },
    { resend: { idempotentForMs: null } },
  );
  const node = await startNode({ transports: [messenger.transport] });
  onTestFinished(() => node.stop());
  const account = await addAccount(node.db);
  const channelId = await addChannel(node, account, { transport: "whatsapp" });
  const begun = Promise.withResolvers<void>();
  // As a session in another process answers to its caller's signal.
  messenger.hinder = (_chatId, signal) =>
    new Promise((_resolve, reject) => {
      messenger.hinder = () => undefined;
      signal.addEventListener("abort", () => reject(signal.reason));
      begun.resolve();
    });
  onTestFinished(await startSending(node, { pacing: false }));
  await call(node, "POST", "/v2/messages", {
    token: account.access,
    body: {
      channel_id: channelId,
      recipient: { chat_type: "whatsapp", chat_id: "79001110009" },
      text: "given up",
    },
  });
  await begun.promise;
  // It was taken away and came back.
  await node.db.query("update channels set epoch = epoch + 1 where id = $1", [channelId]);
  const status = async () =>
    (await node.db.query<{ status: string }>("select status from messages")).map((row) => row.status);
  await vi.waitUntil(async () => (await status())[0] !== "queued");
  expect(await status()).toEqual(["sent"]);
  expect(messenger.arrived.map(({ text }) => text)).toEqual(["given up"]);
});

test("a send that failed while the channel was disconnected is repeated as soon as it is connected", async () => {
  const messenger = createMessenger({ channel: WIDE, chat: WIDE, jitterMs: 0 });
  const node = await startNode({ transports: [messenger.transport] });
  onTestFinished(() => node.stop());
  const account = await addAccount(node.db);
  const channelId = await addChannel(node, account, { transport: "whatsapp" });
  const send = (text: string) =>
    call(node, "POST", "/v2/messages", {
      token: account.access,
      body: { channel_id: channelId, recipient: { chat_type: "whatsapp", chat_id: "79001110000" }, text },
    });
  messenger.refuse = () => {
    throw new TransportError("UNKNOWN_ERROR", "Not connected", { retry: "later" });
  };
  await send("first");
  // The next attempt but one would be half a minute away at least.
  await node.db.query("update send_jobs set attempts = 20");
  onTestFinished(await startSending(node, { pacing: false }));
  const restMs = async (): Promise<number> => {
    const query = "select extract(epoch from not_before - now()) * 1000 as ms from send_jobs";
    return Number((await node.db.query<{ ms: string | null }>(query))[0]?.ms ?? 0);
  };
  await vi.waitUntil(async () => (await restMs()) > 20_000);
  await send("second");
  messenger.refuse = () => undefined;
  const profile = { messengerId: channelId, name: "Shop" };
  await messenger.tell(channelId, { kind: "link", state: { status: "lost", detail: "socket closed" } });
  await messenger.tell(channelId, { kind: "link", state: { status: "active", profile } });
  await vi.waitUntil(() => messenger.arrived.length === 2, 15_000);
  expect(messenger.arrived.map(({ text }) => text)).toEqual(["first", "second"]);
});

/** Serves files; resolves with its address. */
async function startFileHost(respond: RequestListener): Promise<string> {
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a file whose host fails once is sent, however often its messenger was unavailable before", async () => {
  const left = { outages: 6, faults: 1 };
  const url = await startFileHost((_, response) => {
    const isFault = left.outages === 0 && left.faults > 0;
    if (isFault) left.faults--;
    response.writeHead(isFault ? 503 : 200, { "content-type": "image/png" }).end("a picture");
  });
  const messenger = createMessenger(
    { channel: WIDE, chat: WIDE, jitterMs: 0 },
    { media: { image: { maxBytes: 100 } } },
  );
  messenger.refuse = () => {
    if (left.outages === 0) return;
    left.outages--;
    throw new TransportError("UNKNOWN_ERROR", "Not connected", { retry: "later" });
  };
  const node = await startNode({ transports: [messenger.transport] });
  onTestFinished(() => node.stop());
  const account = await addAccount(node.db);
  const channelId = await addChannel(node, account, { transport: "whatsapp" });
  const recipient = { chat_type: "whatsapp", chat_id: "79001110000" };
  const body = { channel_id: channelId, recipient, attachment: { url: `${url}/a.png` } };
  await call(node, "POST", "/v2/messages", { token: account.access, body });
  onTestFinished(await startSending(node, { pacing: false, allowNetworks: ["127.0.0.0/8"] }));
  const profile = { messengerId: channelId, name: "Shop" };
  const status = async () =>
    (await node.db.query<{ status: string }>("select status from messages"))[0]?.status;
  await vi.waitUntil(async () => {
    // Ends the rest after a failed attempt.
    await messenger.tell(channelId, { kind: "link", state: { status: "active", profile } });
    return (await status()) !== "queued";
  });
  expect([await status(), left.faults]).toEqual(["sent", 0]);
});
